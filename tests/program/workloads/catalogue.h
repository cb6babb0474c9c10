// SPDX-License-Identifier: Apache-2.0
// The entries of workloads.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace heddle::test {

inline std::vector<nlohmann::json> programs() {
  return nlohmann::json::parse(std::ifstream(HEDDLE_WORKLOADS "/workloads.json")).at("programs");
}

}  // namespace heddle::test
