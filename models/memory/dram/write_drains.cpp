// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/write_drains.h"

namespace heddle::memory {

bool WriteDrains::wants_writes(const DramQueue& queue) const {
  if (queue.writes() == 0) return false;
  if (queue.reads() == 0) return true;
  // Prevents starvation between two endless streams: a drain serves at most one queue of writes before reads, and the
  // reads waiting at its end are served before the next drain.
  if (serves_writes_ ? served_ >= most_ : reads_due_ != 0) return false;
  return due(queue) || (to_low_ && serves_writes_ && queue.writes() > low_);
}

WriteDrains::Change WriteDrains::choose(const DramQueue& queue) {
  const bool writes = wants_writes(queue);
  const bool cut = serves_writes_ && !writes && served_ >= most_ && due(queue);
  const bool drains = writes && due(queue);
  const Change change{writes != serves_writes_, drains && !draining_};
  draining_ = drains;
  if (!change.switched) return change;
  serves_writes_ = writes;
  served_ = 0;
  reads_due_ = cut ? queue.reads() : 0;
  return change;
}

}  // namespace heddle::memory
