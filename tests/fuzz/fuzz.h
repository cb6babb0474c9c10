// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a function that takes any text, initial texts, and useful words. libFuzzer drives it with clang and
// the CMake option HEDDLE_FUZZ; otherwise a program mutates the texts from a seed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::fuzz {

/// Tries one text; returns if it was accepted or refused with a heddle::Error. Anything else (a signal, another
/// exception, an endless loop) is a failure.
void try_text(std::string_view text);

/// Initial texts that together contain every construct of the grammar.
std::vector<std::string> texts();

/// Tokens with a meaning in the grammar.
std::vector<std::string> words();

}  // namespace heddle::fuzz
