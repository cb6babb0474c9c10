// SPDX-License-Identifier: Apache-2.0
// Any text is loaded as a machine description or refused with heddle::Error; an accepted one resolves to a text that is
// accepted again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/machine_description.h"
#include "core/error.h"
#include "fuzz.h"
#include "gpu/gpu_parameters.h"
#include "gpu/machine_selection.h"

namespace heddle::fuzz {
namespace {

struct Loaded {
  MachineParameters parameters;
  Configuration configuration{parameters};

  explicit Loaded(std::string_view text) {
    configuration.search({HEDDLE_PRESET_FOLDER});
    for (const auto& [shorthand, target] : gpu::parameter_aliases()) configuration.alias(shorthand, target);
    configuration.load_text(text, "fuzz.json");
    configuration.lock();
  }
};

}  // namespace

std::vector<std::string> texts() {
  std::vector<std::string> found = {
      R"({"extends": "small", "name": "x", "seed": 3, "gpu": {"sm_classes": [{"count": 1, "name": "wide",
          "sm": {"order": "gto", "vetoes": ["static_limit"], "static_limit": {"limit": 4}, "warp_size": 64}}]}})",
      R"({"extends": "gtx480", "sm": {"shape": "barrel", "grouping": {"value": "large_warps", "source": "page 2"},
          "residency": {"threads": {"value": 1024, "published": "1K", "chosen": true}}}})"};
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_PRESET_FOLDER)) {
    std::ifstream in(entry.path(), std::ios::binary);
    found.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::sort(found.begin(), found.end());  // a folder has no order
  return found;
}

std::vector<std::string> words() {
  return {"{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\"",
          "\\",
          "null",
          "true",
          "false",
          "0",
          "-1",
          "1.5",
          "1e308",
          "1e999",
          "-0",
          "18446744073709551616",
          "4294967296",
          "NaN",
          "\\ud800",
          "\"value\"",
          "\"source\"",
          "\"chosen\"",
          "\"extends\"",
          "\"small\"",
          "\"sm\"",
          "\"gpu\"",
          "\"sm_classes\"",
          "\"count\"",
          "\"order\"",
          "\"gto\"",
          "\"*\"",
          "[[[[",
          "{\"a\":",
          "\x01",
          "\xff",
          "/*"};
}

void try_text(std::string_view text) {
  try {
    const Loaded first(text);
    const std::string resolved = first.configuration.resolved();
    try {
      const Loaded second(resolved);
      if (second.configuration.values() != first.configuration.values()) std::abort();
    } catch (const Error& error) {
      std::fprintf(stderr, "what was resolved is refused: %s\n%s\n", error.what(), resolved.c_str());
      std::abort();
    }
  } catch (const Error&) {
  }
}

}  // namespace heddle::fuzz
