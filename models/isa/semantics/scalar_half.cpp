// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/scalar_half.h"

#define HEDDLE_LANE_LEVEL baseline
#include "isa/semantics/half.h"

namespace heddle::isa {

std::uint16_t add_half(std::uint16_t a, std::uint16_t b, DataType type) {
  using namespace baseline;
  const double x = type == DataType::f16 ? widen<Binary16>(Half{a}) : widen<BrainFloat16>(Half{a});
  const double y = type == DataType::f16 ? widen<Binary16>(Half{b}) : widen<BrainFloat16>(Half{b});
  const double sum = add_to_odd(x, y);
  const Half result = type == DataType::f16 ? narrow<Binary16, kNearest>(sum) : narrow<BrainFloat16, kNearest>(sum);
  return static_cast<std::uint16_t>(result.bits);
}

std::uint32_t add_half_pair(std::uint32_t a, std::uint32_t b, DataType type) {
  const DataType element = type == DataType::f16x2 ? DataType::f16 : DataType::bf16;
  const auto low = [](std::uint32_t pair) { return static_cast<std::uint16_t>(pair); };
  return add_half(low(a), low(b), element) | static_cast<std::uint32_t>(add_half(low(a >> 16), low(b >> 16), element))
                                                 << 16;
}

}  // namespace heddle::isa
