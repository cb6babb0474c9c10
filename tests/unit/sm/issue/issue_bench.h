// SPDX-License-Identifier: Apache-2.0
// What surrounds a part of the issue stage: the state of an SM, a block of threads, and a grouping and a hazard tracker
// that do as they are told and note what they hear.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "sm/blocks/block_store.h"
#include "sm/blocks/rendezvous.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/hazards/hazard_tracker.h"
#include "sm/issue/issue_events.h"
#include "sm/messages.h"
#include "sm/prefix_sum/prefix_sum_block.h"
#include "sm/sm_context.h"

namespace heddle::sm {

using BlockSlot = decltype(Placement::block_slot);
using WarpNumber = decltype(Context::warp);
using SmNumber = decltype(SmSite::number);

/// "0-3,8"; "none" and "everything" where that is meant.
std::string text_of(const ThreadSet& threads);
std::vector<std::size_t> members_of(const ContextSet& contexts);

/// Notes calls as text.
class Told {
 public:
  /// What was noted since the last call.
  std::vector<std::string> take_told() { return std::exchange(told_, {}); }

 protected:
  void tell(std::string what) { told_.push_back(std::move(what)); }

 private:
  std::vector<std::string> told_;
};

/// One context per `span` threads, each a machine warp of its own. Only the first way of a branch gets a context.
class ScriptedGrouping final : public GroupingUnit, public Told {
 public:
  ScriptedGrouping(const GroupingTraits& traits, ContextTable& table) : GroupingUnit(table, traits) {}

  bool parts = false;                              ///< answer of part_waiting()
  std::vector<Path> paths;                         ///< of every warp that are in no context
  std::function<LanePlan(const ThreadSet&)> plan;  ///< of a packet; unset: lane i for thread i, in one wave

  /// Asked at a branch; true: it takes care of it. Told of one that it does not.
  std::function<bool(ContextId)> branches;
  std::function<void(ContextId)> has_branched;
  std::function<Packet*(Packet&)> shows;  ///< answer of shown_as(); unset: the packet

  void place_at(ContextId context, std::uint32_t first_thread) { first_thread_[context] = first_thread; }

  std::string name() const override { return "scripted"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return nullptr; }
  void launch(const Placement& placement) override;
  void release(BlockSlot slot) override;
  void release_granule(BlockSlot slot, std::uint32_t first_thread) override;
  LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const override;
  void advanced(ContextId context) override;
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& taken) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void retired(ContextId context) override;
  Packet* shown_as(Packet& packet) override { return shows ? shows(packet) : &packet; }
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  bool part_waiting(ContextId context, const ThreadSet& waiting) override;
  void waiting_paths(ContextId context, std::vector<Path>& to) const override;
};

class ScriptedHazards final : public HazardTracker, public Told {
 public:
  std::array<Wait, kMaxContexts> waits{};  ///< answers of check()
  Cycle late = 0;                          ///< cycles from a result to its release
  bool commits = true;                     ///< answer of commit()
  std::vector<PacketHandle> held_back;     ///< by commit()
  std::vector<PacketHandle> lets_go;       ///< handed out by the next advance()
  ThreadSet busy;

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override;
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override;
  void released(const Release& release) override;
  Cycle release_at(const Packet& packet, Cycle done) const override;
  bool commit(Packet& packet) override;
  void advance(Cycle now, std::vector<PacketHandle>& released) override;
  void gathered(const Packet& packet) override;
  void regrouped(const Regrouping& regrouping) override;
  std::size_t pending(WarpNumber) const override { return 0; }
  void admit(const isa::Kernel& kernel) override;
  const ThreadSet* busy_threads(WarpNumber) const override { return &busy; }

 private:
  std::uint32_t last_token_ = 0;
};

/// Memory that may be accessed anywhere.
class OpenPort final : public isa::MemoryPort {
 public:
  bool accessible(std::uint64_t, std::uint64_t) const override { return true; }
  std::string nearest(std::uint64_t) const override { return "no allocation"; }
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
  void system_call(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
};

/// The ports of an issue stage for calls, and who answers them.
struct Calls final : sc_core::sc_module {
  struct PrefixNetwork final : PrefixSumCall {
    unsigned lanes() const override { return isa::kWordThreads; }
    isa::PrefixSums sum(std::uint64_t predicates) override;
    std::vector<std::uint64_t> summed;
  };
  struct InstructionCache final : FetchAtPick {
    InstructionStore::Answer fetch_at_pick(const FetchRequest& request) override;
    InstructionStore::Answer answer = InstructionStore::Answer::hit;
    std::vector<FetchRequest> requests;
  };
  explicit Calls(const sc_core::sc_module_name& name);

  PrefixNetwork network;
  InstructionCache cache;
  CallPort<PrefixSumCall> prefix_sum{"prefix_sum"};
  CallPort<FetchAtPick> fetch_at_pick{"fetch_at_pick"};
};

class CountingSink final : public EffectSink {
 public:
  void gathered(SmNumber, bool waits) override {
    ++count;
    if (waits) ++waiting;
  }
  unsigned count = 0, waiting = 0;
};

class IssueBench {
 public:
  static constexpr unsigned kRegisters = 8, kPredicates = 8;

  /// residency: of the SM. Set other parameters before making the part under test.
  explicit IssueBench(const GroupingTraits& traits = {.contexts = 8}, const ResidencyParameters& residency = {});

  // -- time; needs every socket bound, and one bench per process
  void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  /// Simulates up to and including this cycle, which becomes the present.
  void go_to(Cycle cycle);

  // -- the kernel
  /// Appends an instruction; set its modifiers in the result. The program must be complete before start().
  isa::MicroOp& add(isa::Opcode opcode, std::initializer_list<isa::Operand> sources = {},
                    std::initializer_list<isa::Operand> destinations = {});
  static isa::Operand register_at(unsigned number);
  static isa::Operand wide_register_at(unsigned number);  ///< 64 bits: this 32-bit register and the next
  static isa::Operand predicate_at(unsigned number, bool negate = false);
  isa::Operand constant(std::uint32_t value);

  // -- blocks
  /// A block starts at PC 0 with a context for every `span` threads, as if ResidentBlocks had launched it.
  BlockSlot start(unsigned threads);
  /// ISA warp of a block.
  isa::WarpState& warp(unsigned index = 0, BlockSlot slot = BlockSlot{0}) { return blocks[slot].warps[index]; }
  std::uint32_t& value(isa::WarpState& warp, unsigned number, unsigned lane) const;
  std::uint32_t& predicate(isa::WarpState& warp, unsigned number) const;
  /// Moves threads of a context to another of its warp, which held none.
  void split(ContextId from, ContextId to, const ThreadSet& threads, std::uint32_t pc);
  /// A packet of the instruction at the context's PC for some of its threads.
  Packet& packet(ContextId context, const ThreadSet& threads);
  Packet& packet(ContextId context) { return packet(context, sm.contexts[context].threads); }

  ContextTable& contexts() { return sm.contexts; }
  double counted(const std::string& name) { return services.statistics.total().value("sm0.issue." + name); }

 private:
  struct Pulse final : Clocked {
    void tick() override {}
  };

 public:
  ClockTree tree;
  ClockDomain core{sc_core::sc_gen_unique_name("core"), tree, 1'000'000};  ///< 1 GHz: a cycle is a nanosecond
  ClockGate gate{core};
  Services services;
  StatisticsOwner owner{services.statistics, "sm0", "sm"};
  StatisticsGroup group{owner, "issue"};
  SmParameters parameters;
  SmContext sm;
  OpenPort port;
  CountingSink sink;
  Calls calls{sc_core::sc_gen_unique_name("calls")};
  isa::Kernel kernel;
  isa::LaunchState launch;
  BlockStore blocks;
  ScriptedGrouping grouping;
  ScriptedHazards hazards;
  Rendezvous meetings;
  IssueEvents events;

 private:
  Pulse pulse_;
  std::uint64_t next_block_ = 0;
};

}  // namespace heddle::sm
