// SPDX-License-Identifier: Apache-2.0
// What of CUDA is not modelled and what clang says of it, which does not say so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cc/runner.h"

namespace heddle::cc {

/// A sentence on each feature that is not modelled and stands behind an error among these messages of clang's; empty
/// when none does.
std::string refused_features(std::string_view messages);

/// The same for a compilation that failed: runs it again and reads its messages, which go to the file `log`.
std::string refused_features_note(const Runner& runner, const Command& command, const std::filesystem::path& log);

}  // namespace heddle::cc
