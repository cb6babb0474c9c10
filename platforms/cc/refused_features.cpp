// SPDX-License-Identifier: Apache-2.0
#include "cc/refused_features.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace heddle::cc {

namespace {

struct Feature {
  std::string_view message;  // part of clang's message
  std::string_view sentence;
};

constexpr std::string_view kClusters = "block clusters are not modelled: launch the blocks without clusters";

constexpr std::array<Feature, 3> kFeatures{{
    {"reference to __global__ function", "kernels that launch kernels are not modelled: launch them from the host"},
    {"'this_cluster'", kClusters},
    {"'__cluster_dims__'", kClusters},
}};

}  // namespace

std::string refused_features(std::string_view messages) {
  std::string note;
  for (const Feature& feature : kFeatures) {
    if (messages.find(feature.message) == std::string_view::npos || note.find(feature.sentence) != std::string::npos)
      continue;
    note += (note.empty() ? "" : "; ");
    note += feature.sentence;
  }
  return note;
}

std::string refused_features_note(const Runner& runner, const Command& command, const std::filesystem::path& log) {
  const bool compiles = std::find(command.begin(), command.end(), "--cuda-device-only") != command.end();
  if (runner.dry_run() || !compiles) return "";
  Command again = {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", log.string()};
  for (std::size_t i = 0; i < command.size(); ++i) {
    again.push_back(command[i]);
    if (command[i] == "-o" && i + 1 < command.size()) {
      again.emplace_back("/dev/null");
      ++i;
    }
  }
  runner.run(again);
  std::ifstream file(log);
  return refused_features(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace heddle::cc
