// SPDX-License-Identifier: Apache-2.0
#include "common/install_paths.h"

#include <cstdlib>

#include "core/error.h"

namespace heddle {

namespace fs = std::filesystem;

namespace {

// Resolves a symbolic link; other paths are unchanged.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

InstallPaths install_paths_at(const fs::path& home) {
  InstallPaths paths;
  paths.home = home;
  paths.program = home / "bin" / "heddle";
  paths.cuda_root = home / "share" / "heddle" / "cuda";
  paths.presets = home / "share" / "heddle" / "presets";
  paths.report_template = home / "share" / "heddle" / "report.html";
  paths.cuda_include = resolved(paths.cuda_root / "include");
  // Used as the run path of linked programs, which should not depend on the symbolic link.
  paths.runtime_library = resolved(paths.cuda_root / "lib64");
  return paths;
}

InstallPaths find_install_paths() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const char* home = std::getenv("HEDDLE_HOME");
  const bool told = home != nullptr && *home != '\0';
  if (error && !told) {
    fail(ExitCode::io, "cannot determine the location of this program ({}); set HEDDLE_HOME to its prefix",
         error.message());
  }
  InstallPaths paths =
      install_paths_at(told ? fs::absolute(home).lexically_normal() : program.parent_path().parent_path());
  if (!error) paths.program = program;
  return paths;
}

}  // namespace heddle
