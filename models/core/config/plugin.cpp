// SPDX-License-Identifier: Apache-2.0
#include "core/config/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/error.h"

namespace heddle {

void load_plugins(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    // With a folder: a bare name would be looked for among the host's libraries.
    const std::string path = std::filesystem::absolute(file).string();
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      fail(ExitCode::configuration, "plugin {} cannot be loaded: {}", file, dlerror());
  }
}

}  // namespace heddle
