// SPDX-License-Identifier: Apache-2.0
#include "cc/toolkits.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

void leave_out_of_environment(const InstallPaths& paths, const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return;
  std::istringstream folders(value);
  std::string kept;
  bool changed = false;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_foreign_toolkit(paths, folder)) {
      changed = true;
    } else {
      kept += (kept.empty() ? "" : ":") + folder;
    }
  }
  if (changed) setenv(variable, kept.c_str(), 1);
}

}  // namespace

bool is_foreign_toolkit(const InstallPaths& paths, const fs::path& folder) {
  std::error_code error;
  if (fs::equivalent(folder, paths.cuda_include, error) || fs::equivalent(folder, paths.runtime_library, error))
    return false;
  for (const char* sign : {"cuda_runtime_api.h", "libcudart.so", "libcudart_static.a"}) {
    if (fs::exists(folder / sign, error)) return true;
  }
  // Its other folders: lib64/stubs, extras/CUPTI/include.
  const fs::path full = fs::weakly_canonical(folder, error);
  for (fs::path root = full.parent_path(); root != root.root_path() && root != "/usr"; root = root.parent_path()) {
    if (fs::exists(root / "bin" / "nvcc", error) && fs::exists(root / "include" / "cuda_runtime_api.h", error)) {
      return !fs::equivalent(root, paths.cuda_root, error);
    }
  }
  return false;
}

void leave_out_toolkits(const InstallPaths& paths, Options& options) {
  const auto foreign = [&](const std::string& folder) {
    if (!is_foreign_toolkit(paths, folder)) return false;
    options.notes.push_back(folder + " belongs to an installed CUDA toolkit and is ignored");
    return true;
  };
  std::vector<std::string> kept;
  const std::vector<std::string>& flags = options.preprocessor;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool folder = flags[i].rfind("-I", 0) == 0;
    const bool two_words = flags[i] == "-isystem" || flags[i] == "-include";
    if (folder ? foreign(flags[i].substr(2)) : flags[i] == "-isystem" && foreign(flags[i + 1])) {
      if (two_words) ++i;
      continue;
    }
    kept.push_back(flags[i]);
    if (two_words) kept.push_back(flags[++i]);
  }
  options.preprocessor = kept;
  std::vector<std::string>& folders = options.library_folders;
  folders.erase(std::remove_if(folders.begin(), folders.end(), foreign), folders.end());
  for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"}) {
    leave_out_of_environment(paths, variable);
  }
}

}  // namespace heddle::cc
