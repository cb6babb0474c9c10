// SPDX-License-Identifier: Apache-2.0
// Maps clang errors caused by CUDA features that are not modelled to messages that say so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cc/runner.h"

namespace heddle::cc {

/// A sentence for each unmodelled feature that caused one of these clang messages; empty when there is none.
std::string refused_features(std::string_view messages);

/// The same for a failed compilation: reruns it with its messages redirected to the file `log`.
std::string refused_features_note(const Runner& runner, const Command& command, const std::filesystem::path& log);

}  // namespace heddle::cc
