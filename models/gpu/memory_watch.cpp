// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory_watch.h"

#include <cstring>

#include "gpu/operands.h"

namespace heddle::gpu {

MemoryWatch::MemoryWatch(const Execution& execution, const isa::MicroOp& op, const isa::Addresses& addresses)
    : addresses_(addresses), bytes_(isa::size_of(op.type) * op.vector_width) {
  using isa::Space;
  if (addresses.space == Space::shared || addresses.space == Space::local || addresses.space == Space::param) return;
  const bool writes = op.opcode == isa::Opcode::st || op.opcode == isa::Opcode::atom || op.opcode == isa::Opcode::red;
  for_each_lane(addresses.mask & ~(addresses.shared_lanes | addresses.local_lanes), [&](unsigned lane) {
    const std::uint64_t address = addresses.value[lane];
    if (address < execution.device_begin || address + bytes_ > execution.device_end) {
      outside_ = true;
    } else if (writes) {
      std::memcpy(&before_[kMostBytes * lane], reinterpret_cast<const void*>(address), bytes_);
      watched_ |= 1u << lane;
    }
  });
}

bool MemoryWatch::changed() const {
  bool different = outside_;
  for_each_lane(watched_, [&](unsigned lane) {
    const void* now = reinterpret_cast<const void*>(addresses_.value[lane]);
    different = different || std::memcmp(&before_[kMostBytes * lane], now, bytes_) != 0;
  });
  return different;
}

}  // namespace heddle::gpu
