// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a function that takes any text, initial texts, and useful words. libFuzzer drives it with clang and
// the CMake option HEDDLE_FUZZ; otherwise a program mutates the texts from a seed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::fuzz {

/// Tries one text; returns when it was taken or refused with a heddle::Error. Anything else (a signal, another
/// exception, no end) is the failure that is looked for.
void try_text(std::string_view text);

/// Between them, every construct of the grammar.
std::vector<std::string> texts();

/// Words and signs that mean something to the grammar.
std::vector<std::string> words();

}  // namespace heddle::fuzz
