// SPDX-License-Identifier: Apache-2.0
#include "cc/architecture.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"

namespace heddle::cc {

namespace {

// Ascending; those that clang 14 knows. PTX 6.4 is the version best tested with the PTX front end; use newer ones only
// where the architecture requires it (clang 14, NVPTX.td).
struct Known {
  int number;
  const char* ptx_feature;
};
constexpr std::array<Known, 5> kKnown{{{70, "+ptx64"}, {72, "+ptx64"}, {75, "+ptx64"}, {80, "+ptx71"}, {86, "+ptx71"}}};

const Known& best_known(int number) {
  const Known* best = &kKnown.front();
  for (const Known& known : kKnown) {
    if (known.number <= number) best = &known;
  }
  return *best;
}

}  // namespace

int architecture_number(const std::string& name) {
  if (name == "native" || name == "all" || name == "all-major") return 0;
  std::size_t start = name.find('_');
  start = start == std::string::npos ? 0 : start + 1;
  const std::string prefix = name.substr(0, start);
  std::size_t end = start;
  while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
  const bool known_prefix = prefix.empty() || prefix == "sm_" || prefix == "compute_" || prefix == "lto_";
  const std::string suffix = name.substr(end);
  if (!known_prefix || end == start || end - start > 3 || (!suffix.empty() && suffix != "a" && suffix != "f")) {
    fail(ExitCode::usage, "'{}' is not an architecture; write it as sm_70 or compute_70", name);
  }
  return std::stoi(name.substr(start, end - start));
}

int gencode_architecture(const std::string& value) {
  const std::string key = "arch=";
  const std::size_t start = value.find(key);
  if (start == std::string::npos) {
    fail(ExitCode::usage, "-gencode {}: arch= is missing; write arch=compute_70,code=sm_70", value);
  }
  std::string name = value.substr(start + key.size());
  name = name.substr(0, name.find(','));
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == '"' || c == '\'' || c == ' '; }),
             name.end());
  return architecture_number(name);
}

std::string Architecture::ptx_feature() const { return best_known(number).ptx_feature; }

Architecture choose_architecture(const std::vector<int>& asked) {
  Architecture chosen;
  int lowest = 0;   // the lowest after clamping
  int spelled = 0;  // what the user wrote, unless it is an exact match
  bool exact = false;
  for (int number : asked) {
    if (number == 0) continue;
    const int clamped = best_known(number).number;
    if (lowest == 0 || clamped < lowest) {
      lowest = clamped;
      spelled = number;
      exact = number == clamped;
    } else if (clamped == lowest && number == clamped) {
      exact = true;
    }
  }
  if (lowest == 0) return chosen;
  chosen.number = lowest;
  if (!exact) {
    chosen.note = fmt::format("sm_{} is {} than the supported architectures; compiling for {} instead", spelled,
                              spelled < kKnown.front().number ? "older" : "newer", chosen.name());
  }
  return chosen;
}

}  // namespace heddle::cc
