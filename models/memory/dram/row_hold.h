// SPDX-License-Identifier: Apache-2.0
// Holds a bank's row open for a row-buffer-locality hint: which row, until when, how often renewed. Independent of the
// queue, so that a hardware block can replace it.
// Source: docs/sources/large-warps-and-database-search.md, 2.14 and 8 (`row_hold`).
#pragma once

#include <cstdint>

#include "core/kernel/cycle.h"

namespace heddle::memory {

class RowHold {
 public:
  /// Whether in cycle now the bank waits for hits to its row and serves no other. At the deadline itself a hit still
  /// wins.
  bool holds(Cycle now) const { return held_ && now < deadline_; }
  bool held() const { return held_; }
  Cycle deadline() const { return deadline_; }
  Cycle since() const { return since_; }

  /// A hinted request to `row` ends in cycle `done`. contested: an older request to another row waits, which limits
  /// holds of the same row to `renewals` renewals. Returns whether the row is held.
  bool hint(std::uint64_t row, Cycle done, Cycle threshold, bool contested, unsigned renewals) {
    const bool again = held_ && row == row_;
    renewed_ = again && contested ? renewed_ + 1 : 0;
    if (renewed_ > renewals) {
      held_ = false;
      return false;
    }
    held_ = true;
    row_ = row;
    since_ = done;
    deadline_ = done + threshold;
    return true;
  }
  void release() { held_ = false, renewed_ = 0; }

 private:
  bool held_ = false;
  std::uint64_t row_ = 0;
  Cycle since_ = 0, deadline_ = 0;
  unsigned renewed_ = 0;
};

}  // namespace heddle::memory
