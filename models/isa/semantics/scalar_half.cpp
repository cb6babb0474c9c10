// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/scalar_half.h"

#define HEDDLE_LANE_LEVEL baseline
#include "isa/semantics/half.h"

namespace heddle::isa {

std::uint16_t add_half(std::uint16_t a, std::uint16_t b, DataType type) {
  using namespace baseline;
  if (type == DataType::f16) {
    return narrow<Binary16, kNearest>(add_to_odd(widen<Binary16>(Half{a}), widen<Binary16>(Half{b}))).bits;
  }
  return narrow<BrainFloat16, kNearest>(add_to_odd(widen<BrainFloat16>(Half{a}), widen<BrainFloat16>(Half{b}))).bits;
}

std::uint32_t add_half_pair(std::uint32_t a, std::uint32_t b, DataType type) {
  const DataType element = type == DataType::f16x2 ? DataType::f16 : DataType::bf16;
  const auto low = [](std::uint32_t pair) { return static_cast<std::uint16_t>(pair); };
  return add_half(low(a), low(b), element) | static_cast<std::uint32_t>(add_half(low(a >> 16), low(b >> 16), element))
                                                 << 16;
}

}  // namespace heddle::isa
