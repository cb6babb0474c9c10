// SPDX-License-Identifier: Apache-2.0
// Effects on memory that other SMs can reach. They are gathered while the SMs issue and applied at the end of the
// cycle, in SM order, then issue order: one defined order, whatever the order of processes.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/execute.h"
#include "sm/packet.h"
#include "sm/watch/progress_watch.h"

namespace heddle::sm {

/// Whether accesses to this space take effect when they issue: no other SM sees them.
inline bool own_space(isa::Space space) {
  return space == isa::Space::shared || space == isa::Space::local || space == isa::Space::constant ||
         space == isa::Space::param;
}

/// What the machine does for the effects of its SMs.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  /// SM number `sm` gathered something in this cycle.
  virtual void gathered(unsigned sm) = 0;
};

/// One SM's effects of the present cycle.
class EffectQueue {
 public:
  void add(Packet& packet) { packets_.push_back(&packet); }
  bool empty() const { return packets_.empty(); }
  /// Moves the bytes of everything gathered, in issue order.
  void apply(isa::MemoryPort& port, ProgressWatch& progress) {
    for (const PacketHandle& packet : packets_) {
      for (unsigned w = 0; w < packet->word_count; ++w) {
        PacketWord& word = packet->words[w];
        if (word.mask == 0) continue;
        if (packet->op->opcode == isa::Opcode::tex) {
          port.texture(*packet->op, *word.warp, word.mask);
        } else if (packet->op->opcode == isa::Opcode::syscall) {
          port.system_call(*packet->op, *word.warp, word.mask);
          progress.changed();
        } else if (own_space(packet->memory->addresses[w].space)) {
          continue;  // other words of the packet reach further
        } else if (progress.on()) {
          progress.execute(*packet->op, *word.warp, packet->memory->addresses[w], port);
        } else {
          isa::execute_memory(*packet->op, *word.warp, packet->memory->addresses[w], port);
        }
      }
    }
    packets_.clear();
  }

 private:
  std::vector<PacketHandle> packets_;
};

}  // namespace heddle::sm
