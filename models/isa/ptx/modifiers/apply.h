// SPDX-License-Identifier: Apache-2.0
// Modifiers by the kind of operation that they belong to. Each function takes a word without its dot, and returns false
// when the operation is of another kind or does not know the word.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {

bool apply_arithmetic(std::string_view word, MicroOp& op, std::uint64_t& features);
/// Loads, stores, atomics, fences, asynchronous copies, cache policies.
bool apply_memory(std::string_view word, MicroOp& op, std::uint64_t& features);
bool apply_texture(std::string_view word, MicroOp& op, std::uint64_t& features);
/// Barriers, exchanges between threads, indexed branches.
bool apply_threads(std::string_view word, MicroOp& op, std::uint64_t& features);
bool apply_video(std::string_view word, MicroOp& op, std::uint64_t& features);

/// Adds a feature whose word was found. Returns `found`.
inline bool note(bool found, Feature feature, std::uint64_t& features) {
  if (found) features |= feature;
  return found;
}

}  // namespace heddle::isa
