// SPDX-License-Identifier: Apache-2.0
#include "sm/watch/progress_watch.h"

namespace heddle::sm {

void ProgressWatch::execute(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses,
                            isa::MemoryPort& port) {
  if (changed_ || addresses.mask == 0) {
    isa::execute_memory(op, warp, addresses, port);
    return;
  }
  const isa::MemoryWatch watch(device_, op, warp, addresses);
  isa::execute_memory(op, warp, addresses, port);
  changed_ = watch.changed();
  isa::LoopWatch& loop = unit(warp).loop;
  loop.changed_local(watch.local_change());
  loop.reads(op, addresses);
}

}  // namespace heddle::sm
