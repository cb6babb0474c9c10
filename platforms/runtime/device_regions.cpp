// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_regions.h"

#include <algorithm>

namespace heddle::runtime {

void DeviceRegions::count(const std::string& name, std::int64_t threads) {
  states_[name].threads += threads;
  counted_ = true;
}

bool DeviceRegions::changed() const {
  return counted_ &&
         std::any_of(states_.begin(), states_.end(), [](const auto& entry) { return entry.second.differs(); });
}

DeviceRegions::Changes DeviceRegions::settle() {
  Changes out;
  counted_ = false;
  for (auto& [name, state] : states_) {
    if (state.threads < 0) {
      state.threads = 0;
      out.unmatched.push_back(name);
    }
    if (!state.differs()) continue;
    state.open = !state.open;
    (state.open ? out.opened : out.closed).push_back(name);
  }
  return out;
}

std::vector<std::string> DeviceRegions::end() {
  std::vector<std::string> out;
  for (const auto& [name, state] : states_) {
    if (state.open) out.push_back(name);
  }
  states_.clear();
  counted_ = false;
  return out;
}

}  // namespace heddle::runtime
