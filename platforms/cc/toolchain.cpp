// SPDX-License-Identifier: Apache-2.0
#include "cc/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "cc/commands.h"
#include "core/error.h"

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string first_program(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string found = find_program(name);
    if (!found.empty()) return found;
  }
  return "";
}

// -ccbin names a program, or the folder of one (then g++ in it).
std::string host_compiler_of(const std::string& option) {
  std::error_code error;
  if (fs::is_directory(option, error)) return (fs::path(option) / "g++").string();
  std::string found = find_program(option);
  if (found.empty()) fail(ExitCode::configuration, "-ccbin {}: no such program", option);
  return found;
}

// The C++ driver that corresponds to a C driver: gcc-12 gives g++-12, clang gives clang++.
std::string cxx_front(const std::string& compiler) {
  const fs::path path(compiler);
  std::string name = path.filename().string();
  for (const auto& [c, cxx] : {std::pair<std::string, std::string>{"gcc", "g++"}, {"clang", "clang++"}}) {
    const std::size_t at = name.find(c);
    if (at == std::string::npos || name.compare(at, cxx.size(), cxx) == 0) continue;
    name.replace(at, c.size(), cxx);
    const fs::path front = path.parent_path() / name;
    return is_program(front) ? front.string() : compiler;
  }
  return compiler;
}

// The C driver that corresponds to a C++ driver, so that C sources use the same compiler family.
std::string c_front(const std::string& compiler) {
  const fs::path path(compiler);
  std::string name = path.filename().string();
  const std::size_t plus = name.find("++");
  if (plus == std::string::npos) return compiler;
  name.replace(plus, 2, plus > 0 && name[plus - 1] == 'g' && name.find("clang") == std::string::npos ? "cc" : "");
  const fs::path front = path.parent_path() / name;
  return is_program(front) ? front.string() : compiler;
}

// Newest folder of GCC's own headers that has omp.h, or empty.
std::string folder_of_gcc_openmp() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& triple : fs::directory_iterator("/usr/lib/gcc", error)) {
    for (const auto& version : fs::directory_iterator(triple.path(), error)) {
      const fs::path folder = version.path() / "include";
      if (fs::exists(folder / "omp.h", error)) found.push_back(folder.string());
    }
  }
  return found.empty() ? "" : *std::max_element(found.begin(), found.end());
}

// <prefix>/bin/clang++ keeps its headers in <prefix>/lib/clang/<version>/include, its libraries in <prefix>/lib.
std::string openmp_library_of(const std::string& clang) {
  std::error_code error;
  const fs::path libraries = fs::canonical(clang, error).parent_path().parent_path() / "lib";
  if (!fs::exists(libraries / "libomp.so", error)) return "";
  for (const auto& version : fs::directory_iterator(libraries / "clang", error)) {
    if (fs::exists(version.path() / "include" / "omp.h", error)) return (libraries / "libomp.so").string();
  }
  return "";
}

// Versions that the CUDA headers and the options of commands.cpp suit, in order of preference: golden counts and
// published results are those of 14; of the others the latest comes first. `./heddle setup` installs by the same order.
constexpr std::array kClangVersions{14, 19, 18, 17, 16, 15};

// Major version a compiler states, or 0.
int stated_version(const std::string& clang) {
  const std::string command = shell_text({clang, "-dumpversion"}) + " 2>/dev/null";
  std::FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return 0;
  int version = 0;
  if (std::fscanf(output, "%d", &version) != 1) version = 0;
  pclose(output);
  return version;
}

void set_clang(Toolchain& tools) {
  const char* named = std::getenv("HEDDLE_CLANG");
  if (named != nullptr && *named != '\0') {
    tools.clang = find_program(named);
    if (tools.clang.empty()) {
      fail(ExitCode::configuration,
           "HEDDLE_CLANG={}: no such program; unset it, or name a clang++ of the packages clang-14 to clang-19", named);
    }
    tools.clang_version = stated_version(tools.clang);
    if (std::find(kClangVersions.begin(), kClangVersions.end(), tools.clang_version) == kClangVersions.end()) {
      fail(ExitCode::configuration, "HEDDLE_CLANG={}: it is not clang 14 to 19", named);
    }
    return;
  }
  for (const int version : kClangVersions) {
    tools.clang = first_program({fmt::format("clang++-{}", version), fmt::format("/usr/bin/clang++-{}", version),
                                 fmt::format("/usr/lib/llvm-{}/bin/clang++", version)});
    tools.clang_version = version;
    if (!tools.clang.empty()) return;
  }
  fail(ExitCode::configuration,
       "clang, which compiles CUDA, is missing: install the package clang-14, or clang-19 if the distribution has no "
       "clang-14, or set HEDDLE_CLANG to a clang++ 14 to 19");
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) return candidate.string();
  }
  return "";
}

Toolchain find_toolchain(const InstallPaths& paths, const std::string& host_compiler_option) {
  Toolchain tools;
  tools.paths = paths;
  set_clang(tools);
  tools.host_compiler =
      host_compiler_option.empty() ? first_program({"g++", "c++"}) : cxx_front(host_compiler_of(host_compiler_option));
  if (tools.host_compiler.empty()) tools.host_compiler = tools.clang;
  tools.c_compiler = c_front(tools.host_compiler);
  tools.archiver = first_program({"ar", fmt::format("llvm-ar-{}", tools.clang_version)});
  if (tools.archiver.empty()) tools.archiver = "ar";
  tools.openmp_library = openmp_library_of(tools.clang);
  if (tools.openmp_library.empty()) tools.gcc_include = folder_of_gcc_openmp();
  return tools;
}

}  // namespace heddle::cc
