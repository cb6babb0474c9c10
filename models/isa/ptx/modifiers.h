// SPDX-License-Identifier: Apache-2.0
// The words of an instruction (`ld.global.nc.v4.f32`) to the fields of a micro-op.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Kinds of modifier an instruction carries; a form (forms.h) says which it must and which it may.
enum Feature : std::uint32_t {
  kRounding = 1u << 0,
  kIntegerRounding = 1u << 1,
  kFlush = 1u << 2,
  kSaturate = 1u << 3,
  kApproximate = 1u << 4,
  kFullRange = 1u << 5,
  kCarryOut = 1u << 6,
  kMulMode = 1u << 7,
  kCompare = 1u << 8,
  kBoolOp = 1u << 9,
  kSpace = 1u << 10,
  kCacheOp = 1u << 11,
  kVolatile = 1u << 12,
  kMemoryOrder = 1u << 13,
  kScope = 1u << 14,
  kVector = 1u << 15,
  kSync = 1u << 16,
  kUniform = 1u << 17,
  kNan = 1u << 18,
  kNonCoherent = 1u << 19,
  kShiftAmount = 1u << 20,
  kTo = 1u << 21,
  kShiftWrap = 1u << 22,
  kDirection = 1u << 23,
  kMode = 1u << 24,  ///< what the operation does: atom_op, vote_mode, ...; mode_of() says which
  kHint = 1u << 25,  ///< eviction and prefetch hints, .aligned, .noftz: without effect here
  kGeometry = 1u << 26,
  kRowHint = 1u << 27,
};

struct Mnemonic {
  Opcode opcode = Opcode::count;
  std::uint32_t features = 0;  ///< of Feature
};

/// The operation of a first word ("ld", "barrier", "membar", "ldu"); false when there is none of that name.
bool find_mnemonic(std::string_view word, Mnemonic& out);

/// Reads the modifiers (with their dots) into `op`, whose opcode is set, and adds to `features`. Returns the first
/// modifier that the operation does not know, or an empty view.
std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint32_t& features);

/// The type of that name (without the dot); none when there is no such type.
DataType find_type(std::string_view name);

/// The enumerator of whichever mode field the operation has (atom_op, vote_mode, bar_mode, ...), 0 when it has none.
unsigned mode_of(const MicroOp& op);

/// Fills unit and timing_class from opcode and types.
void classify(MicroOp& op);

}  // namespace heddle::isa
