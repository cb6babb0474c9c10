// SPDX-License-Identifier: Apache-2.0
// How threads are grouped: who runs together, under which program counter, on which lanes. Owns every PC and mask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/bits.h"
#include "core/config/mechanism.h"
#include "core/kernel/module_state.h"
#include "isa/image.h"
#include "sm/context_table.h"
#include "sm/grouping/grouping_traits.h"
#include "sm/grouping/lane_plan.h"
#include "sm/issue/issue_scheme.h"
#include "sm/packet.h"

namespace heddle::sm {

struct SmEvents;
struct SmSite;

/// A block (or some of its warps) that arrives. Threads first_thread .. first_thread + threads - 1 of the block.
struct Placement {
  std::uint16_t block_slot = 0;
  std::uint32_t first_thread = 0, threads = 0;
  const isa::Kernel* kernel = nullptr;
  std::vector<ContextId>* contexts = nullptr;  ///< contexts the unit gave it, appended in thread order
};

/// One SM's grouping. Called by the issue stage only; changes state in the call.
class GroupingUnit {
 public:
  using MakeArguments = void(const GroupingShape&, ContextTable&);
  /// Implementations have a static function traits(const Parameters&, const GroupingShape&), or without Parameters.
  using Traits = GroupingTraits;
  using TraitsArguments = void(const GroupingShape&);
  virtual ~GroupingUnit() = default;

  // -- shape, asked once
  const GroupingTraits& traits() const { return traits_; }
  /// Builds the modules that it has of its own; they become children of the SM. Called once, before any block is
  /// launched.
  virtual void build(SmSite& /*site*/) {}
  /// What sticky policies keep together with the context; asked at launch.
  virtual std::uint16_t group_of(ContextId context) const { return table_[context].block; }
  /// Subscribes to what it acts on. Called once, after build().
  virtual void subscribe(SmEvents& /*events*/) {}
  /// How its contexts share the issue slots. Called once, after build(); the scheme may refer to the grouping.
  virtual std::unique_ptr<IssueScheme> make_scheme() = 0;
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
  GroupingUnit(ContextTable& table, const GroupingTraits& traits)
      : table_(table), first_thread_(kMaxContexts), traits_(traits) {}
  ContextTable& table_;
  std::vector<std::uint32_t> first_thread_;

 private:
  GroupingTraits traits_;
};

}  // namespace heddle::sm
