// SPDX-License-Identifier: Apache-2.0
// The stage in which everything that must agree within one cycle meets: grouping, instruction buffers, hazards,
// policies. One fixed order of work a cycle; see cycle().
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/link.h"
#include "core/slot_account.h"
#include "isa/fault.h"
#include "isa/prefix_operations.h"
#include "sm/async_copies.h"
#include "sm/barrier_table.h"
#include "sm/block_store.h"
#include "sm/context_table.h"
#include "sm/event_wheel.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/hazards/hazard_tracker.h"
#include "sm/instruction_buffers.h"
#include "sm/messages.h"
#include "sm/prefix_sum_block.h"
#include "sm/rendezvous.h"
#include "sm/scheduling/order_policy.h"
#include "sm/sm_context.h"
#include "sm/subwarp_packer_block.h"
#include "sm/unit_occupancy.h"

namespace heddle::sm {

class CheckedHazards;

/// What a look for endless loops found.
enum class Standstill : std::uint8_t {
  none,     ///< some threads get further
  machine,  ///< some have waited for the machine, for data or a result, since the look began; nobody else gets further
  for_ever  ///< no thread will ever get further by itself
};

class IssueStage final : public Stage {
 public:
  IssueStage(sc_core::sc_module_name name, SmContext& sm);

  // -- sockets
  LinkIn<BlockLaunch> launches;
  LinkOut<BlockDone> finished;
  LinkOut<FetchRequest> fetch;
  CallPort<FetchAtPick> fetch_at_pick;
  CallPort<PrefixSumCall> prefix_sum;
  OptionalCallPort<SubwarpPackerCall> packer;
  LinkIn<Fetched> decoded;
  LinkOut<PacketHandle> to_alu, to_sfu, to_fp64, to_memory;
  LinkIn<Completion> completions;
  LinkIn<OperandDelay> delays;
  LinkIn<MemoryReport> reports;

  void cycle() override;

  using Situation = isa::Situation;
  /// Appends one for every group of threads.
  void describe_waiting(std::vector<Situation>& all) const;
  /// In a look for endless loops that saw no change: whether some threads repeat themselves.
  bool repeats() const;
  /// At the end of a look for endless loops that saw no change: whether any thread gets further.
  Standstill standstill() const;
  bool idle() const { return contexts_.valid.none(); }
  /// Whether somebody will wake up by itself.
  bool any_asleep() const { return contexts_.asleep.any(); }
  std::uint64_t thread_instructions() const { return thread_instructions_.value(); }
  std::uint64_t warp_instructions() const { return warp_instructions_.value(); }
  const ContextTable& contexts() const { return contexts_; }
  const GroupingUnit& grouping() const { return *grouping_; }
  /// Charges the cycles the clock gate skipped before `until`; before statistics are read.
  void settle_account(Cycle until);
  /// Counts the threads that blocks have taken in the cycles before `until`; before statistics are read.
  void settle_residency(Cycle until);
  const SlotAccount& slot_account() const { return slots_account_; }

 private:
  /// What happens to a context at a known cycle.
  enum class EventKind : std::uint8_t { release, resolve, end_barrier, leave_pipeline, wake_up };
  struct Event {
    EventKind kind;
    ContextId context = kNoContext;
    PacketHandle packet;
    bool late = false;  ///< put off by what the packet's operands came late
  };
  /// A scheduler: picks from its contexts, one instruction a cycle, and keeps a sequence of packets going.
  struct Slot {
    ContextSet members;
    bool fills = false;
    std::unique_ptr<OrderPolicy> order;
    ContextId sequence = kNoContext;  ///< context whose instruction is being issued packet by packet
    const isa::MicroOp* sequence_op = nullptr;
    ThreadSet sequence_left;
    bool sequence_first = false;    ///< its first packet is still to come
    ContextId issued = kNoContext;  ///< in this cycle
    bool tried = false;             ///< in this cycle: a context that its unit could take, whether or not it issued
    CauseId cause{};                ///< what the last cycle's slot is charged to
    std::uint32_t active = 0;       ///< threads of the packet that it issued in this cycle
  };
  /// Contexts that a machine warp has had: one on most machines, which is found without another look at the memory.
  class WarpContexts {
   public:
    void add(ContextId c) {
      if (first_ == kNoContext) first_ = c;
      if (first_ != c && std::find(others_.begin(), others_.end(), c) == others_.end()) others_.push_back(c);
    }
    template <typename Visit>
    void for_each(Visit&& visit) const {
      if (first_ != kNoContext) visit(first_);
      for (ContextId c : others_) visit(c);
    }

   private:
    ContextId first_ = kNoContext;
    std::vector<ContextId> others_;
  };
  /// The packer that is bound, as the grouping sees it.
  class BoundPacker final : public SubwarpPacker {
   public:
    explicit BoundPacker(OptionalCallPort<SubwarpPackerCall>& port) : port_(port) {}
    SubWarp pack(const PackRequest& request) override { return port_->pack(request); }
    void goes() override { port_->goes(); }

   private:
    OptionalCallPort<SubwarpPackerCall>& port_;
  };
  // -- the cycle, in this order
  void take_arrivals();
  void take_events();
  void look_for_changes();
  void issue();
  void request_fetches();
  void account();
  void sleep_or_stay();

  // -- 1. arrivals, issue_arrivals.cpp
  void launch_block(const BlockLaunch& launch);
  void place_context(ContextId context);
  /// Threads of a block among which a context's are.
  unsigned context_span() const {
    return grouping_->context_span() != 0 ? grouping_->context_span() : parameters_.warp_size;
  }
  void complete(Packet& packet);
  void release(const Packet& packet, bool variable);
  void resolve(ContextId context);
  /// Puts an event off whose packet got its operands late, or has not got them yet. False: it happens now.
  bool put_off(Event event);
  /// The packet got its operands when its result was due: puts its events off.
  void gathered_late(Packet& packet);
  /// Cycles from its issue until a packet of fixed latency leaves the pipeline, where contexts wait for that.
  Cycle stay(const Packet& packet) const {
    if (parameters_.refetch != 0) return parameters_.refetch;
    const Cycle depth = parameters_.shape == PipelineShape::barrel ? parameters_.pipeline_depth : 1;
    return std::max<Cycle>(depth, packet.latency + thread_lead_);
  }
  /// A line that the packet waits for was not in its cache: the context waits for memory, if for the packet.
  void note_miss(Packet& packet);
  /// Whether a context whose instruction is being cut into packets waits for memory with all that is left of it.
  void look_at_packing();
  /// A packet that its context waited for has left the pipeline.
  void leave_pipeline(ContextId context);

  // -- 3. state of a context
  void refresh(ContextId context);
  void check_hazard(ContextId context);
  void update_ready(ContextId context);
  /// Policies and vetoes hear of a context that has threads, and when it has none any more.
  void introduce(ContextId context);
  void retire_context(ContextId context);

  // -- 4. issue
  void issue_slot(Slot& slot, unsigned number);
  /// Brings contexts_.held up to date; after whatever changes what a veto holds.
  void ask_vetoes();
  ContextSet candidates(const Slot& slot, unsigned number);
  bool try_issue(Slot& slot, unsigned number, ContextId context);
  bool continue_sequence(Slot& slot, unsigned number);
  /// Picks the instance for the packet's lanes; -1 when none is free.
  int place(isa::Unit unit, const LanePlan& plan) const;
  void issue_packet(unsigned number, ContextId context, const isa::MicroOp& op, const ThreadSet& threads,
                    const LanePlan& plan, int instance, bool first, bool last);
  isa::Unit unit_of(const isa::MicroOp& op) const { return unit_map_[static_cast<std::size_t>(op.unit)]; }
  LinkOut<PacketHandle>& link_to(isa::Unit unit);
  /// Ready contexts whose unit takes nothing in this cycle any more.
  ContextSet waiting_for_units();
  /// Contexts could issue and no unit takes them: asks to be woken when one does.
  void wait_for_units(const ContextSet& waiting);
  bool has_room(isa::Unit unit) { return unit == isa::Unit::control || link_to(unit).can_send(); }

  // -- instructions, issue_fetch.cpp
  /// Whether the context's buffer has room for another fetch of its kernel's instructions.
  void note_room(ContextId context, const isa::Kernel& kernel);
  /// Barrel shape: whether the context that was picked has its instruction; asks the cache when it must.
  bool fetched_at_pick(ContextId context);
  FetchRequest fetch_request(ContextId context, std::uint32_t pc, std::size_t count) const;

  // -- accounts, issue_account.cpp
  /// What a slot without an instruction is charged to.
  CauseId blame(const Slot& slot) const;
  /// The classes of the divergence plots of the literature: idle, held by a scoreboard, W1-4, W5-8, ... W29-31, W32
  static Buckets slot_lane_buckets(const SmParameters& parameters);
  /// Bucket of issue.slot_lanes for a slot that is charged to `cause`.
  std::size_t lane_bucket(CauseId cause, std::uint32_t active) const;

  // -- effects of an instruction, issue_effects.cpp
  ThreadSet guarded_threads(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const;
  void fill_words(Packet& packet, ContextId context, const ThreadSet& threads);
  void take_effect(Packet& packet);
  /// Whether the context's next instruction waits for copies to shared memory.
  bool waits_for_copies(ContextId c) const;
  void start_memory(Packet& packet);
  /// What the threads of a packet's word have of the sums of predicates, of which the network is asked.
  isa::PrefixShares shares_of(const isa::MicroOp& op, const PacketWord& word);
  /// Holds the context until the packet has left the pipeline, where shape and grouping say so.
  void hold_context(ContextId context, Packet& packet, bool variable);
  /// A packet of a branch issued: schedules its resolution once it is known when that is.
  void branch_issued(ContextId context, const Packet& packet);
  /// Cycles that the context's next instruction, nanosleep, takes: the longest time a thread of it asks for, to the
  /// nearest cycle, and no less than the instruction takes anyway.
  Cycle sleep_of(ContextId context, const isa::MicroOp& op) const;
  /// A packet of nanosleep issued: the context goes on when the time is over.
  void fall_asleep(ContextId context, const Packet& packet);
  void wake_up(ContextId context);
  void leave(ContextId context, const Packet& packet);
  void arrive_at_barrier(ContextId context, Packet& packet);
  static void write_barrier_result(const Packet& packet, const BarrierTable::Barrier& barrier);
  void open_barrier(std::uint16_t block, unsigned barrier);
  /// Fails where threads of an ISA warp are at two instructions.
  void check_convergence(const BarrierTable::Barrier& barrier, unsigned number);
  /// Threads of the context's warp wait no longer.
  void waiting_ended(ContextId context);
  void finish_block(std::uint16_t block);
  void look_at_block(std::uint16_t block);
  /// Cycles from the last packet of a branch to its resolution.
  Cycle branch_wait() const {
    return parameters_.shape == PipelineShape::barrel ? parameters_.pipeline_depth : parameters_.branch_latency;
  }
  Cycle latency_of(const isa::MicroOp& op) const {
    return parameters_.latency[static_cast<std::size_t>(op.timing_class)].latency;
  }

  // -- meetings of threads of an ISA warp, issue_meetings.cpp
  /// Threads of a collective arrive; true when the context may go on at once.
  bool meet(ContextId context, const isa::MicroOp& op, const ThreadSet& threads);
  ThreadSet awaited_by(ContextId context) const;
  /// Threads of the context's warp began or ceased to wait.
  void tell_waiting(ContextId context);
  struct Arrival {
    std::uint32_t waiting = 0;  ///< threads of the ISA warp
    bool joined = false;        ///< others were the last of those that somebody waited for
  };
  Arrival arrive_at_meeting(ContextId context, const isa::MicroOp& op, unsigned word, unsigned shift,
                            isa::WarpState& warp, std::uint32_t mask);
  /// All named threads are there: the collective takes effect once, and those that waited go on.
  void settle_meeting(const Rendezvous::Meeting& meeting);

  // -- looking for endless loops, issue_progress.cpp
  void note_issue(ContextId context);
  /// The context's branch at `pc` resolved to ways_.
  void note_branch(ContextId context, std::uint32_t pc);
  /// Whether its threads stand at a barrier or a meeting.
  bool waits_for_others(ContextId context) const;

  // -- messages, issue_report.cpp
  void describe_loop(ContextId context, std::vector<Situation>& all) const;
  void describe_paths(ContextId context, std::vector<Situation>& all) const;
  void describe_barriers(std::uint16_t block, std::vector<Situation>& all) const;

  // -- what it shows, issue_state.cpp
  struct SlotSignals {
    ProbeGroup::SignalId context, pc, opcode, threads, lanes;
  };
  void declare_state();
  void declare_storage(unsigned contexts);
  void show_packet(unsigned slot, const Packet& packet);
  CauseId shown_cause(const Slot& slot) const;
  /// ContextState of a context at the end of this cycle.
  std::uint8_t shown_state(unsigned context);

  SmContext& sm_;
  const SmParameters& parameters_;
  ContextTable contexts_;
  std::unique_ptr<GroupingUnit> grouping_;
  std::unique_ptr<HazardTracker> hazards_;
  CheckedHazards* checker_ = nullptr;  ///< hazards_, where it is checked
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Veto>> vetoes_;
  InstructionBuffers buffers_;
  BarrierTable barriers_;
  AsyncCopies copies_;
  Rendezvous rendezvous_;
  BlockStore blocks_;
  UnitOccupancy units_;
  EventWheel<Event> events_;
  std::array<isa::Unit, static_cast<std::size_t>(isa::Unit::count)> unit_map_{};
  std::vector<ContextId> fresh_;             ///< contexts of the block being launched
  std::vector<WarpContexts> warp_contexts_;  ///< by machine warp
  std::vector<std::uint32_t> in_flight_;     ///< by block: packets whose end is still to come
  std::vector<GroupingUnit::Way> ways_;
  std::vector<isa::BarrierWait> arrived_at_;                      ///< by ISA warp of the block whose barrier opens
  ContextSet kinds_[static_cast<std::size_t>(isa::Unit::count)];  ///< contexts by the unit of their next instruction
  std::array<ThreadSet, kMaxContexts> leaving_{};                 ///< threads whose exit has issued in part
  std::array<std::uint16_t, kMaxContexts> kept_{};                ///< packets the context waits for
  std::array<Cycle, kMaxContexts> branch_due_{};                  ///< when a branch whose packets issue will resolve
  std::array<ThreadSet, kMaxContexts> branch_taken_{}, branch_left_{};  ///< by the packets so far
  BoundPacker bound_packer_;
  static constexpr std::uint32_t kNoPc = 0xffffffff;
  const bool picks_at_fetch_;    ///< barrel shape
  bool hazards_shared_ = false;  ///< HazardTracker::shared_by_warp()
  ContextSet away_;              ///< contexts that packets keep which missed: long_latency, where no hazard says so
  std::array<std::uint16_t, kMaxContexts> missed_{};  ///< how many such packets
  bool packs_free_threads_ = false;                   ///< GroupingUnit::needs_busy_threads()
  std::vector<ThreadSet> lost_;                       ///< where so: threads of a context in packets that missed
  /// Cycles by which a packet's threads can be packed again before its context can: the packer looks at threads one
  /// stage behind the fetch, which looks at contexts, and here both are one step.
  Cycle thread_lead_ = 0;
  ContextSet awaits_line_;  ///< barrel shape: its fetch missed the instruction cache
  std::array<std::uint32_t, kMaxContexts> awaited_pc_{}, fetched_pc_{};  ///< barrel shape; kNoPc: none
  ContextSet wants_fetch_;
  ContextSet known_;        ///< contexts that the policies were told of
  Cycle vetoes_asked_ = 0;  ///< last cycle in which they were
  ContextId last_fetch_ = kNoContext;
  std::array<std::uint8_t, kMaxContexts> kind_{};  ///< unit of the next instruction, where buffered
  std::array<Cycle, kMaxContexts> ready_since_{};
  std::uint64_t next_issue_id_ = 1;
  std::vector<CauseId> skipped_causes_;
  Cycle resident_from_ = 1;  ///< cycles before this one are in resident_thread_cycles_
  Cycle accounted_ = 1;      ///< cycles before this one are charged; none is worked on before it
  Cycle worked_ = kNever;    ///< last cycle in which the stage was called
  bool grouping_busy_ = false;
  bool fresh_ready_ = false;  ///< a context became ready since the slots chose

  // -- statistics
  StatisticsGroup group_;
  Counter warp_instructions_, thread_instructions_, issued_packets_, branches_, divergent_branches_, barriers_waited_;
  Counter fetches_, blocks_launched_, blocks_finished_, active_lanes_, filled_lanes_, offered_lanes_;
  Counter resident_thread_cycles_;
  Histogram slot_lanes_;
  Maximum longest_ready_wait_, most_contexts_;
  SlotAccount slots_account_;
  CauseId cause_issued_, cause_arrival_, cause_packet_, cause_bubble_, cause_unit_, cause_held_, cause_hazard_,
      cause_pipeline_, cause_branch_, cause_asleep_, cause_fetch_, cause_memory_, cause_rendezvous_, cause_barrier_,
      cause_parked_, cause_empty_;

  ModuleState state_, warp_state_, grouping_state_;
  StatisticsGroup hazard_group_;
  ModuleState hazard_state_;
  std::vector<std::unique_ptr<ModuleState>> policy_states_;
  std::vector<std::unique_ptr<StatisticsGroup>> policy_groups_;
  std::vector<SlotSignals> slot_signals_;
  std::array<std::uint8_t, kMaxContexts> shown_states_{};
  Cycle states_shown_at_ = kNever;
};

}  // namespace heddle::sm
