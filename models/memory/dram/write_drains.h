// SPDX-License-Identifier: Apache-2.0
// Decides which queue a channel serves while writes wait in one of their own. They are served from the high mark down
// to the low mark, while a read must follow one, and while no reads wait.
#pragma once

#include "memory/dram/dram_parameters.h"
#include "memory/dram/dram_queue.h"

namespace heddle::memory {

class WriteDrains {
 public:
  explicit WriteDrains(const DramParameters& parameters)
      : high_(parameters.write_drain_high),
        low_(parameters.write_drain_low),
        most_(parameters.write_queue_entries),
        to_low_(parameters.write_mode_to_low) {}

  /// Whether requests of the write lists, or of the read lists, are served now. Both are without a write queue.
  bool serves(bool writes) const { return most_ == 0 || writes == serves_writes_; }

  struct Change {
    bool switched = false;      ///< the other queue is served from now
    bool drain_begins = false;  ///< writes gained priority over reads
  };
  /// Chooses the queue to serve; only with a write queue.
  Change choose(const DramQueue& queue);
  /// Whether choose() would switch to the other queue.
  bool wants_switch(const DramQueue& queue) const { return wants_writes(queue) != serves_writes_; }
  /// A request that is still in the queue was served.
  void served(const DramQueue& queue, DramQueue::Id id) {
    if (queue.reads() != 0) ++served_;
    if (!queue.among_writes(id) && reads_due_ != 0) --reads_due_;
  }

 private:
  bool due(const DramQueue& queue) const {
    return queue.reads_behind_writes() != 0 || queue.writes() >= high_ || (draining_ && queue.writes() > low_);
  }
  bool wants_writes(const DramQueue& queue) const;

  unsigned high_, low_;
  unsigned most_;  // requests that a drain may serve before the reads that wait; 0: no write queue
  bool to_low_;
  bool serves_writes_ = false, draining_ = false;
  unsigned served_ = 0;     // requests since the last switch, while reads waited
  unsigned reads_due_ = 0;  // reads to serve before the next drain, after a drain cut short for them
};

}  // namespace heddle::memory
