// SPDX-License-Identifier: Apache-2.0
// How threads are grouped: which run together, under which PC, on which lanes. Owns all PCs and masks.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/bits.h"
#include "core/config/mechanism.h"
#include "core/kernel/call.h"
#include "core/kernel/instruction_store.h"
#include "core/kernel/module_state.h"
#include "isa/image.h"
#include "sm/context_table.h"
#include "sm/grouping/grouping_traits.h"
#include "sm/grouping/lane_plan.h"
#include "sm/issue/fetch_scheme.h"
#include "sm/issue/issue_scheme.h"
#include "sm/packet.h"

namespace heddle::sm {

struct SmEvents;
struct SmSite;

/// An arriving block, or some of its warps: threads first_thread .. first_thread + threads - 1 of the block.
struct Placement {
  BlockSlot block_slot;
  std::uint32_t first_thread = 0, threads = 0;
  const isa::Kernel* kernel = nullptr;
  std::vector<ContextId>* contexts = nullptr;  ///< output: contexts allocated by the unit, appended in thread order
};

/// Sockets of the stores in front of the instruction cache.
struct InstructionStores {
  /// Of store 1, 2, ... (FetchRequest::store), at most 255: bound to the fetch stage.
  std::vector<CallExport<InstructionStore>*> look_ups;
  std::vector<CallPort<InstructionStore>*> to_cache;  ///< bound to the SM's instruction cache
};

/// Grouping of one SM. Called only by the issue stage; state changes take effect immediately.
class GroupingUnit {
 public:
  using MakeArguments = void(const GroupingShape&, ContextTable&);
  /// Implementations have a static function traits(const Parameters&, const GroupingShape&), or without Parameters.
  using Traits = GroupingTraits;
  using TraitsArguments = void(const GroupingShape&);
  virtual ~GroupingUnit() = default;

  // -- shape and construction, each called once
  const GroupingTraits& traits() const { return traits_; }
  /// Builds the grouping's own modules, which become children of the SM. Called once, before any block is launched.
  virtual void build(SmSite& /*site*/) {}
  /// Contexts with the same group are kept together by sticky policies. Called at launch.
  virtual std::uint16_t group_of(ContextId context) const { return table_[context].block.number(); }
  /// Subscribes to events. Called once, after build().
  virtual void subscribe(SmEvents& /*events*/) {}
  /// Creates the scheme by which the contexts share the issue slots. Called once, after build(); the scheme may refer
  /// to the grouping.
  virtual std::unique_ptr<IssueScheme> make_scheme() = 0;
  /// Creates the scheme by which contexts request instructions; null: in turn, each for itself. Called once, after
  /// build().
  virtual std::unique_ptr<FetchScheme> make_fetch_scheme() { return nullptr; }
  /// Stores of instructions in front of the instruction cache, such as L0s, which the grouping has built.
  virtual InstructionStores instruction_stores() { return {}; }
  /// Rejects kernels it cannot run: throws Error(kLaunch) that names the instruction and line.
  virtual void admit(const isa::Kernel& /*kernel*/) const {}
  /// Name, for messages.
  virtual std::string name() const = 0;
  /// Declares its state for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/) {}

  // -- life of a block
  virtual void launch(const Placement& placement) = 0;
  /// The block in this slot has ended.
  virtual void release(BlockSlot block_slot) = 0;
  /// A granule of the block has ended: its threads are first_thread .. first_thread + granule - 1. Only with
  /// GroupingTraits::places_granules.
  virtual void release_granule(BlockSlot /*block_slot*/, std::uint32_t /*first_thread*/) {}

  // -- issue
  /// Lanes of a packet for `threads` of the context.
  virtual LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const = 0;
  /// The first packet of a non-branch instruction has issued: advances the context's PC.
  virtual void advanced(ContextId context) = 0;
  /// A branch resolved. Each path is a PC and the context's threads that go there. There is at least one path; indirect
  /// branches have one per target.
  struct Path {
    std::uint32_t pc;
    ThreadSet threads;
  };
  virtual void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) = 0;
  /// Threads left the kernel. The context's remaining threads continue after the instruction.
  virtual void exited(ContextId context, const ThreadSet& threads) = 0;
  /// The context's instruction has left the pipeline, so the context may issue again. Only in shapes that limit a
  /// context to one instruction in flight.
  virtual void retired(ContextId /*context*/) {}

  // -- once per cycle, before hazards: splits, merges, re-formation. True if it must run in the next cycle too.
  virtual bool begin_cycle() { return false; }

  /// Threads of the context's warp started or stopped waiting (ContextTable::waits), so the unit may bring another path
  /// forward. awaited: threads, by position, that must arrive before the context's own can proceed.
  virtual void waiting_changed(ContextId /*context*/, const ThreadSet& /*awaited*/) {}

  /// The threads `waiting` of the context wait at a collective; for the others it has taken effect, or names none of
  /// `waiting`. The awaited threads may in turn depend on the others, so a unit that merges paths wherever they meet
  /// splits them again. True if it did.
  virtual bool part_waiting(ContextId /*context*/, const ThreadSet& /*waiting*/) { return false; }

  /// What listeners are told of in its place: itself, or a packet for each of its contexts, in their order.
  virtual Packet* shown_as(Packet& packet) { return &packet; }
  /// With which others the context issues its instruction in this cycle, in words, for views; empty: with none.
  virtual std::string company_of(ContextId /*context*/) const { return {}; }

  /// Name for profiles and listings of an instruction that this grouping treats specially; null: it does not.
  virtual const char* role_of(const isa::MicroOp& /*op*/) const { return nullptr; }

  /// Appends the paths of the context's warp that are not in any context because another path runs. For messages.
  virtual void waiting_paths(ContextId /*context*/, std::vector<Path>& /*paths*/) const {}

  /// Block thread at position 0 of the context. Positions cover consecutive 32-thread ISA warps, one word each.
  std::uint32_t first_thread(ContextId context) const { return first_thread_[context]; }

 protected:
  GroupingUnit(ContextTable& table, const GroupingTraits& traits)
      : table_(table), first_thread_(kMaxContexts), traits_(traits) {}
  ContextTable& table_;
  std::vector<std::uint32_t> first_thread_;

 private:
  GroupingTraits traits_;
};

}  // namespace heddle::sm
