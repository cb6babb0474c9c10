// SPDX-License-Identifier: Apache-2.0
// The words of an instruction (`ld.global.nc.v4.f32`) to the fields of a micro-op.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Kinds of modifier an instruction carries; a form (forms.h) says which it must and which it may.
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
  kMode = std::uint64_t{1} << 24,  ///< what the operation does: atom_op, vote_mode, ...; mode_of() says which
  kHint = std::uint64_t{1} << 25,  ///< eviction and prefetch hints, .aligned, .noftz: without effect here
  kGeometry = std::uint64_t{1} << 26,
  kRowHint = std::uint64_t{1} << 27,
  kRelu = std::uint64_t{1} << 28,
  kFinite = std::uint64_t{1} << 29,
  kMagnitude = std::uint64_t{1} << 30,
  kSignProduct = std::uint64_t{1} << 31,
  kSecond = std::uint64_t{1} << 32,  ///< video: the operation on the result and c
  kPlusOne = std::uint64_t{1} << 33,
  kScale = std::uint64_t{1} << 34,
  kParity = std::uint64_t{1} << 35,
  kNoComplete = std::uint64_t{1} << 36,
  kCacheHint = std::uint64_t{1} << 37,  ///< .L2::cache_hint: a policy follows the operands
  kToShared = std::uint64_t{1} << 38,   ///< async_copy: .shared of what is written
  kPackBits = std::uint64_t{1} << 39,   ///< cvt.pack: elements of 2 and 4 bits
  kRoundAway = std::uint64_t{1} << 40,  ///< .rna
  kProxy = std::uint64_t{1} << 41,      ///< fence.proxy and its kinds, .mbarrier_init
  kLevel = std::uint64_t{1} << 42,      ///< tex.level, txq.level
  kGradient = std::uint64_t{1} << 43,
  kBaseLevel = std::uint64_t{1} << 44,  ///< .base: without effect, as it is what no word says
  kBytes = std::uint64_t{1} << 45,      ///< surfaces: .b
  kFormatted = std::uint64_t{1} << 46,  ///< surfaces: .p
  kBound = std::uint64_t{1} << 47,      ///< surfaces: .trap, .clamp, .zero
};

struct Mnemonic {
  Opcode opcode = Opcode::count;
  std::uint64_t features = 0;  ///< of Feature
};

/// The operation of a name ("ld", "barrier", "membar", "cp.async"); false when there is none.
bool find_mnemonic(std::string_view word, Mnemonic& out);
/// Whether names of operations, supported or refused, begin with these words and a dot, or are them: "cp.async".
bool begins_mnemonic(std::string_view words);
/// What to say of an operation that the PTX manual has and the model has not; empty for others.
std::string_view refusal_of(std::string_view name);

/// An operation that is refused: its name, whatever modifiers follow, and a sentence.
struct Refusal {
  std::string_view name, sentence;
};
std::span<const Refusal> all_refusals();

/// The words (without dots) of a feature of Feature, as the operation writes them. Of kMode those of the modes in
/// `modes`. Empty where the feature stands for words that are not fixed.
std::vector<std::string_view> words_of(Opcode opcode, std::uint64_t feature, std::uint32_t modes = ~0u);

/// Reads the modifiers (with their dots) into `op`, whose opcode is set, and adds to `features`. Returns the first
/// modifier that the operation does not know, or an empty view.
std::string_view apply_modifiers(std::span<const std::string_view> modifiers, MicroOp& op, std::uint64_t& features);

/// Whether the operation may name this state space: one that words_of(opcode, kSpace) lists, or none.
bool allows_space(const MicroOp& op);

/// The type of that name (without the dot); none when there is no such type.
DataType find_type(std::string_view name);

/// The enumerator of whichever mode field the operation has (atom_op, vote_mode, bar_mode, ...), 0 when it has none.
unsigned mode_of(const MicroOp& op);

/// Fills unit and timing_class from opcode and types.
void classify(MicroOp& op);

}  // namespace heddle::isa
