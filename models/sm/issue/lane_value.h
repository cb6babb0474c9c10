// SPDX-License-Identifier: Apache-2.0
// Operands read by the front end itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/image.h"
#include "isa/state.h"

namespace heddle::sm {

/// Storage of the operand for the warp's threads.
inline const std::byte* operand_base(const isa::Operand& operand, const isa::WarpState& warp) {
  return operand.base == isa::Operand::Base::constants ? warp.block->launch->kernel->constants.data() : warp.registers;
}

/// Value of a source operand in one lane, up to 32 bits.
inline std::uint32_t lane_value(const isa::MicroOp& op, unsigned source, const isa::WarpState& warp, unsigned lane) {
  const isa::Operand& operand = op.sources[source];
  std::uint32_t value = 0;
  std::memcpy(&value, operand_base(operand, warp) + operand.offset + 4 * lane, 4);
  return value;
}

}  // namespace heddle::sm
