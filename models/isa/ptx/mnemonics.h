// SPDX-License-Identifier: Apache-2.0
// Operation names of PTX, supported and refused.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/types.h"

namespace heddle::isa {

struct Mnemonic {
  Opcode opcode = Opcode::count;
  std::uint64_t features = 0;  ///< mask of Feature (modifiers/modifiers.h)
};

/// Looks up an operation by name ("ld", "barrier", "membar", "cp.async"); false when there is none.
bool find_mnemonic(std::string_view word, Mnemonic& out);
/// Whether any operation name, supported or refused, equals these words or begins with them and a dot: "cp.async".
bool begins_mnemonic(std::string_view words);
/// The message for an operation that exists in PTX but is not modelled; empty for others.
std::string_view refusal_of(std::string_view name);

/// A refused operation: its name, without modifiers, and the message.
struct Refusal {
  std::string_view name, sentence;
};
std::span<const Refusal> all_refusals();

}  // namespace heddle::isa
