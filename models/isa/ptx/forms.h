// SPDX-License-Identifier: Apache-2.0
// The legal combinations of operation, types and modifiers, as a table.
#pragma once

#include <cstdint>
#include <span>

#include "isa/micro_op.h"

namespace heddle::isa {

/// One row: an operation with its legal types and modifiers. Sets are bit masks indexed by enumerator.
struct Form {
  Opcode opcode;
  std::uint32_t types;                              ///< of the first type word; 0: no type
  std::uint32_t source_types;                       ///< of the second
  std::uint64_t required, optional;                 ///< of Feature
  std::uint32_t modes;                              ///< of mode_of(); 0: no mode
  std::uint8_t destinations_min, destinations_max;  ///< operands as written: a vector is one, `p|q` two
  std::uint8_t sources_min, sources_max;
};

std::span<const Form> all_forms();

/// The row matching this operation, types and features, or null. Ignores operand counts.
const Form* find_form(const MicroOp& op, std::uint64_t features);

}  // namespace heddle::isa
