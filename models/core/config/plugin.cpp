// SPDX-License-Identifier: Apache-2.0
#include "core/config/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/error.h"

namespace heddle {

namespace {

/// What is wrong with the plugin being loaded; null: none is.
std::string* problem_of_plugin = nullptr;

}  // namespace

bool note_plugin_problem(const std::string& message) {
  if (problem_of_plugin == nullptr) return false;
  if (problem_of_plugin->empty()) *problem_of_plugin = message;
  return true;
}

void load_plugins(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    // With a folder: a bare name would be looked for among the host's libraries.
    const std::string path = std::filesystem::absolute(file).string();
    std::string problem;
    problem_of_plugin = &problem;
    const void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    problem_of_plugin = nullptr;
    if (loaded == nullptr) fail(ExitCode::configuration, "plugin {} cannot be loaded: {}", file, dlerror());
    if (!problem.empty()) fail(ExitCode::configuration, "plugin {} cannot be used: {}", file, problem);
  }
}

}  // namespace heddle
