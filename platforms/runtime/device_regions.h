// SPDX-License-Identifier: Apache-2.0
// Regions that kernels mark: which of them threads are in. Knows no machine and no statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::runtime {

/// A region is open while a thread is in it. Threads that enter and leave are summed up until settle(), so that their
/// order between two calls of it does not matter.
class DeviceRegions {
 public:
  /// `threads` more threads are in the region, or fewer.
  void count(const std::string& name, std::int64_t threads);
  /// Whether settle() would say anything.
  bool changed() const;

  struct Changes {
    std::vector<std::string> opened, closed;  ///< in the order of their names
    std::vector<std::string> unmatched;       ///< left by more threads than were in them; none is now
  };
  Changes settle();
  /// The kernel ended: nobody is in any region. Returns those that were open.
  std::vector<std::string> end();

 private:
  struct State {
    std::int64_t threads = 0;
    bool open = false;  ///< as settle() last said
    bool differs() const { return threads < 0 || open != (threads > 0); }
  };
  std::map<std::string, State> states_;
  bool counted_ = false;  ///< since settle()
};

}  // namespace heddle::runtime
