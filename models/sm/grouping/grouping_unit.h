// SPDX-License-Identifier: Apache-2.0
// How threads are grouped: who runs together, under which program counter, on which lanes. Owns every PC and mask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/bits.h"
#include "core/mechanism.h"
#include "core/module_state.h"
#include "isa/image.h"
#include "sm/context_table.h"
#include "sm/packet.h"
#include "sm/subwarp_packer.h"

namespace heddle::sm {

/// What every grouping is told of its machine.
struct GroupingShape {
  unsigned threads = 1024;   ///< hardware threads of the SM
  unsigned warp_size = 32;   ///< threads of a machine warp: power of two, 4 .. 512
  unsigned simd_width = 32;  ///< lanes of the widest unit: power of two, 4 .. 64
  unsigned issue_slots = 1;  ///< schedulers
};

/// A block (or some of its warps) that arrives. Threads first_thread .. first_thread + threads - 1 of the block.
struct Placement {
  std::uint16_t block_slot = 0;
  std::uint32_t first_thread = 0, threads = 0;
  const isa::Kernel* kernel = nullptr;
  std::vector<ContextId>* contexts = nullptr;  ///< contexts the unit gave it, appended in thread order
};

/// Which physical lanes the threads of a context use, and for how many cycles.
struct LanePlan {
  LaneMask lanes;
  unsigned waves = 1;
};

/// One SM's grouping. Called by the issue stage only; changes state in the call.
class GroupingUnit {
 public:
  using MakeArguments = void(const GroupingShape&, ContextTable&);
  virtual ~GroupingUnit() = default;

  // -- shape, asked once
  virtual unsigned context_count() const = 0;
  /// Threads are allocated in multiples of this; a block's first thread is aligned to it.
  virtual unsigned allocation_granule() const = 0;
  /// Threads of the block, from first_thread() on, among which a context's are. 0: as many as a warp has.
  virtual unsigned context_span() const { return 0; }
  /// Rows and columns of the packer it uses; no rows: none.
  virtual PackerShape packer_shape() const { return {0, 0}; }
  /// Called once after construction where packer_shape() has rows, before any block is launched.
  virtual void use(SubwarpPacker& /*packer*/) {}
  /// Contexts of one warp hold threads that are elsewhere later, so that hazards must be kept by thread.
  virtual bool needs_hazards_by_thread() const { return false; }
  /// It leaves threads in flight out of packets, so that a tracker must say which they are.
  virtual bool needs_busy_threads() const { return false; }
  /// Cycles after the last line of a load was asked for, from which on the unit wants to hear of threads whose lines
  /// are back while others' are not (returned()). kNever: it does not.
  virtual Cycle return_wait() const { return kNever; }
  /// What sticky policies keep together with the context; asked at launch.
  virtual std::uint16_t group_of(ContextId context) const { return table_[context].block; }
  /// Contexts an issue slot may pick from. Slots are 0 .. issue_slots - 1.
  virtual ContextSet slot_members(unsigned slot) const = 0;
  /// True when the slot fills lanes that slot - 1 left free in the same cycle, with what partners() allows.
  virtual bool slot_fills(unsigned /*slot*/) const { return false; }
  /// Contexts that may issue beside `first` in the same cycle, lanes permitting.
  virtual ContextSet partners(ContextId /*first*/) const { return {}; }
  /// Whether `second` may issue beside `first` in one cycle.
  virtual bool pairs(const isa::MicroOp& /*first*/, const isa::MicroOp& /*second*/) const { return true; }
  /// Packets issued in one cycle coalesce as one access.
  virtual bool packs_memory_of_a_cycle() const { return false; }
  /// Refuses a kernel it cannot run: throws Error(kLaunch) that names instruction and line.
  virtual void admit(const isa::Kernel& /*kernel*/) const {}
  /// Name, for messages.
  virtual std::string name() const = 0;
  /// Declares what it keeps, for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/) {}

  // -- life of a block
  virtual void launch(const Placement& placement) = 0;
  virtual void release(std::uint16_t block_slot) = 0;

  // -- issue
  /// Lanes of a packet that serves `threads` of the context.
  virtual LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const = 0;
  /// One request for a packet of a context's instruction.
  struct PacketRequest {
    ThreadSet left;                   ///< threads not yet in a packet, guard not applied
    ThreadSet guarded;                ///< of them those whose guard holds now
    const ThreadSet* busy = nullptr;  ///< threads in flight, where hazards are kept by thread
    bool first = true;
  };
  /// Cuts the instruction into packets, one a call and cycle. Fills `threads` (to execute) and `left` (what further
  /// packets are for; none: this is the last).
  enum class Cut : std::uint8_t {
    packet,
    bubble,  ///< nothing in this cycle; the context keeps the slot, and `left` is what is left of it
  };
  virtual Cut next_packet(ContextId /*context*/, const isa::MicroOp& /*op*/, const PacketRequest& request,
                          ThreadSet& threads, ThreadSet& left) {
    threads = request.guarded;
    left.clear();
    return Cut::packet;
  }
  /// Where needs_busy_threads(): the packet that next_packet() named last issues, in the cycle in which it was named.
  virtual void packet_issues(const isa::MicroOp& /*op*/) {}
  /// Which packets of an instruction must be through before its context may issue again, where an instruction has
  /// several and the shape keeps a context to one instruction.
  enum class Refetch : std::uint8_t {
    first_packet,
    all_packets,
    first_divergent,  ///< of a branch: the first that shows that the threads part, or all
  };
  virtual Refetch refetch(const isa::MicroOp& op) const {
    return op.opcode == isa::Opcode::bra || op.opcode == isa::Opcode::brx ? Refetch::all_packets
                                                                          : Refetch::first_packet;
  }
  /// The first packet of the context's instruction, not a branch, has issued: next PC.
  virtual void advanced(ContextId context) = 0;
  /// A branch resolved: each way is a program counter and those of the context's threads that go there. One way or
  /// more, for indirect branches one a target.
  struct Way {
    std::uint32_t pc;
    ThreadSet threads;
  };
  virtual void branched(ContextId context, const isa::MicroOp& op, const std::vector<Way>& ways) = 0;
  /// Threads left the kernel. The context goes on behind the instruction with the others.
  virtual void exited(ContextId context, const ThreadSet& threads) = 0;
  /// A packet of the context completed (all its lanes wrote back).
  virtual void completed(const Packet& /*packet*/) {}

  /// Of a packet that waits for memory these threads, not all, have their data. The others wait on.
  virtual void returned(const Packet& /*packet*/, const ThreadSet& /*threads*/) {}
  /// The context's instruction has left the pipeline, where the shape keeps a context to one: it may issue again.
  virtual void retired(ContextId /*context*/) {}

  // -- once a cycle, before hazards: splits, merges, re-formation. True when it wants the next cycle too.
  virtual bool begin_cycle() { return false; }

  /// Threads of the context's warp began or ceased to wait (ContextTable::waits): the unit may bring another path
  /// forward. awaited: threads, by place, without which the context's own cannot go on.
  virtual void waiting_changed(ContextId /*context*/, const ThreadSet& /*awaited*/) {}

  /// Of the context's threads `waiting` wait at a collective; for the rest it has taken effect, or names none of those.
  /// What the ones wait for may wait for the others, so a unit that merges paths where they happen to be parts them
  /// again. True when it did.
  virtual bool part_waiting(ContextId /*context*/, const ThreadSet& /*waiting*/) { return false; }

  /// Appends the paths of the context's warp that no context shows: they wait for their turn. For messages.
  virtual void waiting_paths(ContextId /*context*/, std::vector<Way>& /*paths*/) const {}

  /// Places of the context's threads: words, in order, of 32-thread ISA warps. `first_thread` is the block thread of
  /// place 0.
  std::uint32_t first_thread(ContextId context) const { return first_thread_[context]; }

 protected:
  explicit GroupingUnit(ContextTable& table) : table_(table), first_thread_(kMaxContexts) {}
  ContextTable& table_;
  std::vector<std::uint32_t> first_thread_;
};

}  // namespace heddle::sm
