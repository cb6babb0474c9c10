// SPDX-License-Identifier: Apache-2.0
// Translates the words of an instruction (`ld.global.nc.v4.f32`) into micro-op fields.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Kinds of modifier on an instruction; a form (forms.h) lists which are required and which optional.
enum Feature : std::uint64_t {
  kRounding = std::uint64_t{1} << 0,
  kIntegerRounding = std::uint64_t{1} << 1,
  kFlush = std::uint64_t{1} << 2,
  kSaturate = std::uint64_t{1} << 3,
  kApproximate = std::uint64_t{1} << 4,
  kFullRange = std::uint64_t{1} << 5,
  kCarryOut = std::uint64_t{1} << 6,
  kMulMode = std::uint64_t{1} << 7,
  kCompare = std::uint64_t{1} << 8,
  kBoolOp = std::uint64_t{1} << 9,
  kSpace = std::uint64_t{1} << 10,
  kCacheOp = std::uint64_t{1} << 11,
  kVolatile = std::uint64_t{1} << 12,
  kMemoryOrder = std::uint64_t{1} << 13,
  kScope = std::uint64_t{1} << 14,
  kVector = std::uint64_t{1} << 15,
  kSync = std::uint64_t{1} << 16,
  kUniform = std::uint64_t{1} << 17,
  kNan = std::uint64_t{1} << 18,
  kNonCoherent = std::uint64_t{1} << 19,
  kShiftAmount = std::uint64_t{1} << 20,
  kTo = std::uint64_t{1} << 21,
  kShiftWrap = std::uint64_t{1} << 22,
  kDirection = std::uint64_t{1} << 23,
  kMode = std::uint64_t{1} << 24,  ///< the operation's mode: atom_op, vote_mode, ...; see mode_of()
  kHint = std::uint64_t{1} << 25,  ///< eviction and prefetch hints, .aligned, .noftz: no effect here
  kGeometry = std::uint64_t{1} << 26,
  kRowHint = std::uint64_t{1} << 27,
  kRelu = std::uint64_t{1} << 28,
  kFinite = std::uint64_t{1} << 29,
  kMagnitude = std::uint64_t{1} << 30,
  kSignProduct = std::uint64_t{1} << 31,
  kSecond = std::uint64_t{1} << 32,  ///< video: second operation, on the result and c
  kPlusOne = std::uint64_t{1} << 33,
  kScale = std::uint64_t{1} << 34,
  kParity = std::uint64_t{1} << 35,
  kNoComplete = std::uint64_t{1} << 36,
  kCacheHint = std::uint64_t{1} << 37,  ///< .L2::cache_hint: a policy follows the operands
  kToShared = std::uint64_t{1} << 38,   ///< async_copy: .shared of the destination
  kPackBits = std::uint64_t{1} << 39,   ///< cvt.pack: elements of 2 and 4 bits
  kRoundAway = std::uint64_t{1} << 40,  ///< .rna
  kProxy = std::uint64_t{1} << 41,      ///< fence.proxy and its kinds, .mbarrier_init
  kLevel = std::uint64_t{1} << 42,      ///< tex.level, txq.level
  kGradient = std::uint64_t{1} << 43,
  kBaseLevel = std::uint64_t{1} << 44,  ///< .base: no effect, same as the default
  kBytes = std::uint64_t{1} << 45,      ///< surfaces: .b
  kFormatted = std::uint64_t{1} << 46,  ///< surfaces: .p
  kBound = std::uint64_t{1} << 47,      ///< surfaces: .trap, .clamp, .zero
};

/// The modifier words (without dots) that express a Feature for this operation; for kMode, those of the modes in
/// `modes`. Empty for features without a fixed set of words.
std::vector<std::string_view> words_of(Opcode opcode, std::uint64_t feature, std::uint32_t modes = ~0u);

/// Reads the modifiers (with their dots) into `op`, whose opcode is set, and adds to `features`. Returns the first
/// modifier the operation does not accept, or an empty view.
std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint64_t& features);

/// Whether the operation allows its state space: one listed by words_of(opcode, kSpace), or none.
bool allows_space(const MicroOp& op);

/// Looks up a type by name (without the dot); none when there is no such type.
DataType find_type(std::string_view name);

/// The enumerator of whichever mode field the operation has (atom_op, vote_mode, bar_mode, ...), 0 when it has none.
unsigned mode_of(const MicroOp& op);

}  // namespace heddle::isa
