// SPDX-License-Identifier: Apache-2.0
// Thrust, CUB and libcu++ come from the distribution. When a compilation fails for want of one, this says which package
// has it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cc/commands.h"
#include "cc/runner.h"

namespace heddle::cc {

/// Says which packages hold the headers that `rule`, a make rule of -M -MG, names without having found them, or "".
std::string missing_packages_note(std::string_view rule);

/// The same for a compilation that failed: runs it again for its rule, into the file `rule`, if a package is missing at
/// all. "" for other commands.
std::string library_note(const Runner& runner, const Command& command, const std::filesystem::path& rule);

}  // namespace heddle::cc
