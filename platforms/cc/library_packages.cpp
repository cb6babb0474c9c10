// SPDX-License-Identifier: Apache-2.0
#include "cc/library_packages.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

struct Library {
  std::string_view name;
  std::string_view folder;  // header folder in #include directives
  std::string_view sign;    // a header that indicates the package
  std::string_view package;
};
constexpr std::array<Library, 3> kLibraries{{
    {"Thrust", "thrust/", "thrust/version.h", "libthrust-dev"},
    {"CUB", "cub/", "cub/version.cuh", "libcub-dev"},
    {"libcu++", "cuda/", "cuda/std/version", "libcu++-dev"},
}};

bool is_absent(const Library& library) {
  std::error_code error;
  return !fs::exists(fs::path("/usr/include") / library.sign, error);
}

// Programs may have their own folder named cuda; libcu++'s headers have no extension.
bool is_of(const Library& library, std::string_view header) {
  return library.folder != "cuda/" || header.find('.') == std::string_view::npos;
}

bool compiles(const Command& command) {
  return std::any_of(command.begin(), command.end(),
                     [](const std::string& word) { return word == "-c" || word == "-S" || word == "-E"; });
}

}  // namespace

std::string missing_packages_note(std::string_view rule) {
  std::string note;
  for (const Library& library : kLibraries) {
    // The name of a header that was found is preceded by its path.
    const std::size_t at = rule.find(fmt::format(" {}", library.folder));
    if (at == std::string_view::npos) continue;
    const std::string_view header = rule.substr(at + 1, rule.find_first_of(" \n", at + 1) - at - 1);
    if (std::error_code error; fs::exists(header, error) || !is_of(library, header)) continue;
    note += fmt::format("{}<{}> is part of {}, provided by the distribution: apt-get install {}",
                        note.empty() ? "" : "; ", header, library.name, library.package);
  }
  return note;
}

std::string library_note(const Runner& runner, const Command& command, const fs::path& rule) {
  if (runner.dry_run() || !compiles(command) || std::none_of(kLibraries.begin(), kLibraries.end(), is_absent))
    return "";
  Command again;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "-o" || command[i] == "-MF") {
      ++i;
    } else if (command[i] != "-c" && command[i] != "-S" && command[i] != "-E" && command[i] != "-MD" &&
               command[i] != "-MMD") {
      again.push_back(command[i]);
    }
  }
  again.insert(again.end(), {"-w", "-M", "-MG", "-MF", rule.string()});
  if (runner.run(again) != 0) return "";
  std::ifstream file(rule);
  return missing_packages_note(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace heddle::cc
