// SPDX-License-Identifier: Apache-2.0
#include "sm/progress_watch.h"

#include <bit>

namespace heddle::sm {

void ProgressWatch::execute(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses,
                            isa::MemoryPort& port) {
  if (changed_ || addresses.mask == 0) {
    isa::execute_memory(op, warp, addresses, port);
    return;
  }
  const isa::MemoryWatch watch(device_, op, warp, addresses, true);
  isa::execute_memory(op, warp, addresses, port);
  changed_ = watch.changed();
  if (op.opcode != isa::Opcode::ld && op.opcode != isa::Opcode::atom) return;
  if (addresses.space == isa::Space::param || addresses.space == isa::Space::constant ||
      addresses.space == isa::Space::local) {
    return;
  }
  Unit& of_warp = unit(warp);
  of_warp.read = &op;
  of_warp.space = addresses.space;
  of_warp.address = addresses.value[static_cast<unsigned>(std::countr_zero(addresses.mask))];
}

// Brent's cycle search: the reference is renewed after 1, 2, 4, ... states, so that it lies within the cycle one day.
void ProgressWatch::note_state(Unit& unit, std::uint64_t digest, bool all_ran) {
  if (unit.seen && digest == unit.reference && all_ran) {
    unit.repeats = true;
    return;
  }
  if (unit.seen && ++unit.states < unit.renew) return;
  unit.renew = unit.seen ? unit.renew * 2 : 1;
  unit.seen = true;
  unit.states = 0;
  unit.reference = digest;
  unit.issued_since.clear();
}

}  // namespace heddle::sm
