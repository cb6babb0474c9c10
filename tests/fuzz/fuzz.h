// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a function that takes any text at all, texts to start from, and words worth putting in. With clang and
// the CMake option HEDDLE_FUZZ libFuzzer drives it; elsewhere a program of its own that mutates the texts by a seed.
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
