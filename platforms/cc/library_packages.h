// SPDX-License-Identifier: Apache-2.0
// Thrust, CUB and libcu++ come from the distribution. When a compilation fails because one is missing, this names its
// package.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cc/commands.h"
#include "cc/runner.h"

namespace heddle::cc {

/// Names the packages of headers that `rule`, a make rule from -M -MG, lists as not found; "" if none.
std::string missing_packages_note(std::string_view rule);

/// The same for a failed compilation: if any package is missing, reruns it to write its make rule to the file `rule`.
/// "" for other commands.
std::string library_note(const Runner& runner, const Command& command, const std::filesystem::path& rule);

}  // namespace heddle::cc
