// SPDX-License-Identifier: Apache-2.0
// Effects on memory that other SMs can reach. They are collected while the SMs issue and applied at the end of the
// cycle, in SM order and then issue order, so that results do not depend on the order of processes.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/execute.h"
#include "sm/packet.h"
#include "sm/watch/progress_watch.h"

namespace heddle::sm {

/// Whether accesses to this space take effect at issue because no other SM can see them.
inline bool own_space(isa::Space space) {
  return space == isa::Space::shared || space == isa::Space::local || space == isa::Space::constant ||
         space == isa::Space::param;
}

/// Implemented by the machine, which applies the effects of its SMs.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  /// SM number `sm` has queued an effect in this cycle.
  virtual void gathered(SmId sm) = 0;
};

/// Effects queued by one SM in the current cycle.
class EffectQueue {
 public:
  void add(Packet& packet) { packets_.push_back(&packet); }
  bool empty() const { return packets_.empty(); }
  /// Applies all queued effects in issue order.
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
          continue;  // only other words of this packet leave the SM
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
