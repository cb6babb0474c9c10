// SPDX-License-Identifier: Apache-2.0
// Effects on memory that other SMs can reach. They are collected while the SMs issue and applied at the end of the
// cycle, in SM order and then issue order, so that results do not depend on the order of processes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/kernel/cycle.h"
#include "isa/execute.h"
#include "sm/packet.h"
#include "sm/watch/progress_watch.h"

namespace heddle::sm {

/// Whether accesses to this space take effect at issue because no other SM can see them.
inline bool own_space(isa::Space space) {
  return space == isa::Space::shared || space == isa::Space::local || space == isa::Space::constant ||
         space == isa::Space::param;
}

/// Whether a kernel with this instruction may run in windows of cycles, in which SMs are ahead of their effects. System
/// calls, textures, asynchronous copies, mbarriers and conditional accumulates are not made for that.
bool may_run_ahead(isa::Opcode opcode);

/// Implemented by the machine, which applies the effects of its SMs.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  /// SM number `sm` has queued an effect in this cycle. waits: as in EffectQueue::add().
  virtual void gathered(SmId sm, bool waits) = 0;
};

/// Effects queued by one SM, in the current cycle or, in a window of cycles, since its start.
class EffectQueue {
 public:
  /// Queues the effect of a packet that issues in cycle `now`. Returns whether the SM must wait until it is applied
  /// before it goes on: in a window, packets end and registers change before.
  bool add(Packet& packet, Cycle now);
  bool empty() const { return queue_.empty(); }
  /// Applies those of cycles up to `now`, in issue order.
  void apply(isa::MemoryPort& port, ProgressWatch& progress, Cycle now);

 private:
  /// An effect with all that it needs: a load writes registers that nobody reads before its line can have come.
  struct Late {
    void take(const Packet& packet, unsigned w);
    void apply(isa::MemoryPort& port) const;
    const isa::MicroOp* op = nullptr;
    isa::WarpState* warp = nullptr;
    isa::Addresses addresses;
    isa::StoredValues values;
  };
  struct Queued {
    Cycle at = 0;
    PacketHandle packet;  ///< if it is not late
    std::unique_ptr<Late> late;
  };

  std::vector<Queued> queue_;
  std::size_t applied_ = 0;  ///< of these
  std::vector<std::unique_ptr<Late>> spare_;
};

}  // namespace heddle::sm
