// SPDX-License-Identifier: Apache-2.0
// Regions marked by kernels, with the number of threads in each. Independent of machine and statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::runtime {

/// A region is open while any thread is in it. Entries and exits accumulate until settle(), so their order between two
/// calls does not matter.
class DeviceRegions {
 public:
  /// Adds `threads`, possibly negative, to the threads in the region.
  void count(const std::string& name, std::int64_t threads);
  /// Whether settle() would report anything.
  bool changed() const;

  struct Changes {
    std::vector<std::string> opened, closed;  ///< sorted by name
    std::vector<std::string> unmatched;       ///< left by more threads than had entered; reset to none
  };
  Changes settle();
  /// Call when the kernel ends: empties all regions and returns those that were open.
  std::vector<std::string> end();

 private:
  struct State {
    std::int64_t threads = 0;
    bool open = false;  ///< as last reported by settle()
    bool differs() const { return threads < 0 || open != (threads > 0); }
  };
  std::map<std::string, State> states_;
  bool counted_ = false;  ///< since settle()
};

}  // namespace heddle::runtime
