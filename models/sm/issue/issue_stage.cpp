// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_stage.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sm/pipeline/operand_stage.h"

namespace heddle::sm {

namespace {

std::unique_ptr<HazardTracker> make_hazards(const SmParameters& p, const GroupingTraits& grouping,
                                            const HazardTraits& traits) {
  const bool barrel = p.shape == PipelineShape::barrel;
  const HazardShape shape{.contexts = grouping.contexts,
                          .warps = grouping.contexts,
                          .warp_threads = grouping.span,
                          .named_registers = p.hazard_registers == "named",
                          .barrel_depth = barrel ? p.pipeline_depth : 0,
                          .release_lead = barrel ? grouping.release_lead : 0};
  auto hazards = make(p.hazards, shape);
  if (!CheckedHazards::wanted()) return hazards;
  return std::make_unique<CheckedHazards>(std::move(hazards), traits, shape);
}

}  // namespace

/// Parts of the stage, in order of dependence.
struct IssueStage::Parts {
  Parts(IssueStage& stage, SmContext& sm, GroupingUnit& grouping)
      : group(sm.statistics, "issue"),
        hazard_traits(traits_of(sm.parameters.hazards)),
        hazards(make_hazards(sm.parameters, grouping.traits(), hazard_traits)),
        scheme(grouping.make_scheme()),
        blocks(sm.number, sm.parameters.residency),
        units(sm.parameters, stage.units),
        policies(sm, *scheme, grouping.traits().contexts),
        supply(sm, grouping.make_fetch_scheme(), stage.fetch, stage.fetch_at_pick, group),
        waiting(sm, grouping, meetings),
        effects(sm, meetings, stage.prefix_sum),
        regroupings(hazard_traits.follows_threads
                        ? std::make_unique<Regroupings>(sm.contexts, grouping.traits().contexts, *hazards, waiting)
                        : nullptr),
        states(sm, *hazards, regroupings.get(), supply, units, policies, effects),
        meeting_unit(sm, grouping, meetings, waiting),
        barriers(sm, events, waiting, group),
        notes(sm, grouping, blocks),
        branches(sm, grouping, events, notes, group),
        residents(
            sm, blocks,
            {grouping, *hazards, dynamic_cast<CheckedHazards*>(hazards.get()), supply, waiting, barriers, meeting_unit},
            stage.finished, group),
        timing(sm, grouping, *hazards, hazard_traits, events, states, waiting, effects, residents),
        account(group, sm.parameters, sm.contexts, policies),
        kit(sm,
            {grouping, *hazards, units, policies, supply, effects, states, timing, branches, barriers, meeting_unit,
             residents, events, notes, account},
            group),
        report(sm, grouping, blocks, waiting, barriers.barriers(), meetings) {
    hazards->build(sm);
    scheme->attach(kit);
  }

  StatisticsGroup group;
  const HazardTraits hazard_traits;
  std::unique_ptr<HazardTracker> hazards;
  std::unique_ptr<IssueScheme> scheme;
  IssueEvents events;
  Rendezvous meetings;
  BlockStore blocks;
  IssueUnits units;
  SlotPolicies policies;
  InstructionSupply supply;
  WaitingThreads waiting;
  InstructionEffects effects;
  std::unique_ptr<Regroupings> regroupings;  ///< null unless the tracker follows threads
  ContextStates states;
  MeetingUnit meeting_unit;
  BarrierUnit barriers;
  LoopNotes notes;
  BranchUnit branches;
  ResidentBlocks residents;
  PacketTiming timing;
  IssueAccount account;
  IssueKit kit;
  WaitingReport report;
};

/// Signals, statistics and storage of the stage.
struct IssueStage::Display {
  Display(IssueStage& stage, Parts& parts, SmContext& sm, GroupingUnit& grouping)
      : state(sm.services, sm.path("issue"), sm.domain()),
        grouping_state(sm.services, sm.path("grouping"), sm.domain()),
        hazard_group(sm.statistics, "hazards"),
        hazard_state(sm.services, sm.path("hazards"), sm.domain()) {
    const unsigned contexts = grouping.traits().contexts;
    packets.emplace(state, sm, parts.account, contexts);
    declare_context_sets(state, sm.contexts, contexts);
    declare_arrivals(stage, parts.blocks.residency().used());
    warps.emplace(sm, parts.units, contexts);
    declare_issue_storage(state, sm, contexts, parts.supply.buffers(), parts.barriers.barriers(), parts.meetings);
    grouping_state.charge_to(grouping.name());
    grouping.declare_state(grouping_state);
    // A grouping that packs by threads in flight owns the tracker's storage.
    const bool of_grouping = grouping.traits().needs.has(Feature::threads_in_flight);
    hazard_state.charge_to(of_grouping ? grouping.name() : sm.parameters.hazards.name());
    parts.hazards->declare_state(hazard_state);
    parts.hazards->declare_statistics(hazard_group);
    parts.policies.declare(sm);
    declare_rates(parts, sm.parameters.residency.threads);
  }

  void declare_arrivals(IssueStage& stage, const SmResources& used) {
    ProbeGroup& signals = state.signals;
    signals.add("resident_blocks", 8, "blocks on the SM", [&used] { return used.blocks(); });
    signals.add("resident_threads", 12, "threads allocated to blocks on the SM", [&used] { return used.threads(); });
    signals.changes_by_time(signals.add("launches_waiting", 8, "blocks on their way from the dispatcher",
                                        [&stage] { return stage.launches.occupancy(); }));
    signals.add("decoded_waiting", 8, "decoded fetches on their way", [&stage] { return stage.decoded.occupancy(); });
    signals.add("completions_waiting", 8, "completions on their way",
                [&stage] { return stage.completions.occupancy(); });
    signals.add("operand_reports", 8, "reports of the operand stage on their way",
                [&stage] { return stage.operands.occupancy(); });
  }
  static void declare_rates(Parts& parts, unsigned threads) {
    const Counter& cycles = parts.account.account().cycles();
    Derived(parts.group, "occupancy", "share of the SM's threads allocated to blocks, averaged over all cycles",
            unit::kRatio, [&taken = parts.residents.thread_cycles(), &cycles, threads](const StatisticsView& v) {
              return v.ratio(taken, cycles) / threads;
            });
    Derived(parts.group, "ipc", "instructions issued per cycle", unit::kInstructionsPerCycle,
            [&issued = parts.kit.counters().warp_instructions, &cycles](const StatisticsView& v) {
              return v.ratio(issued, cycles);
            });
    Derived(parts.group, "thread_ipc", "thread instructions issued per cycle", unit::kThreadInstructionsPerCycle,
            [&issued = parts.kit.counters().thread_instructions, &cycles](const StatisticsView& v) {
              return v.ratio(issued, cycles);
            });
    Derived(parts.group, "simd_efficiency", "share of the lanes offered by packets in which a thread executed",
            unit::kRatio,
            [&filled = parts.kit.counters().filled_lanes, &offered = parts.kit.counters().offered_lanes](
                const StatisticsView& v) { return v.ratio(filled, offered); });
  }

  ModuleState state, grouping_state;
  StatisticsGroup hazard_group;
  ModuleState hazard_state;
  std::optional<PacketSignals> packets;
  std::optional<ContextSignals> warps;
};

IssueStage::IssueStage(sc_core::sc_module_name module_name, SmContext& sm, GroupingUnit& grouping)
    : Stage(module_name, sm.gate),
      launches("launches", sm.gate, stage_number(), {.width = 1, .latency = sm.parameters.launch_latency}),
      finished("finished", sm.gate, stage_number()),
      fetch("fetch", sm.gate, stage_number()),
      fetch_at_pick("fetch_at_pick"),
      prefix_sum("prefix_sum"),
      decoded("decoded", sm.gate, stage_number(), {.width = sm.parameters.fetch.width, .latency = 1}),
      units(sm.gate, stage_number()),
      completions("completions", sm.gate, stage_number(), {.width = std::max(4u, sm.issue_width), .latency = 1}),
      operands("operands", sm.gate, stage_number(), {.width = OperandStage::reports_per_cycle(sm), .latency = 1}),
      reports("reports", sm.gate, stage_number(), {.width = 4, .latency = 1}),
      sm_(sm),
      grouping_(grouping),
      parts_(std::make_unique<Parts>(*this, sm, grouping)),
      display_(std::make_unique<Display>(*this, *parts_, sm, grouping)) {
  sm.issue_stage = stage_number();
  launches.watch(arrived_, kLaunches);
  decoded.watch(arrived_, kDecoded);
  operands.watch(arrived_, kOperands);
  reports.watch(arrived_, kReports);
  completions.watch(arrived_, kCompletions);
  parts_->kit.show_with(&*display_->packets);
}

IssueStage::~IssueStage() = default;

void IssueStage::take_from(UnseenFetches& fetches) {
  unseen_ = &fetches;
  fetches.watch(arrived_, kUnseen);
}

void IssueStage::cycle() {
  Parts& p = *parts_;
  p.account.settle(now());
  sm_.contexts.touched.clear();
  // 1. Process arrivals: completions, branch resolutions, launches.
  if (arrived_ != 0) take_arrivals();
  take_events();
  // 2. Split, merge and re-form warps.
  grouping_busy_ = grouping_.begin_cycle();
  // 3. Check hazards to find the ready contexts.
  p.states.settle();
  // 4. Let order and vetoes choose what each slot issues, on lanes that earlier slots left free.
  p.scheme->cycle(p.kit);
  p.states.settle();
  // 5. Send fetch requests.
  p.supply.send_requests();
  p.account.close(now());
  if (sm_.watch != nullptr) sm_.watch->end_cycle(sm_.contexts, p.units.blocked(sm_.contexts.ready, now()));
  sleep_or_stay();
}

void IssueStage::take_arrivals() {
  Parts& p = *parts_;
  while (BlockLaunch* launch = holds(kLaunches) ? launches.front() : nullptr) {
    p.residents.launch(*launch);
    launches.pop();
    // The block may have been noted even in contexts that get no threads yet.
    sm_.contexts.touched = ContextSet::everything();
  }
  while (Fetched* fetched = holds(kDecoded) ? decoded.front() : nullptr) {
    if (sm_.watch != nullptr) sm_.watch->decoded(fetched->request);
    p.supply.arrived(*fetched);
    decoded.pop();
  }
  while (const Fetched* fetched = holds(kUnseen) ? unseen_->front(now()) : nullptr) {
    if (sm_.watch != nullptr) sm_.watch->decoded(fetched->request);
    p.supply.arrived(*fetched);
    unseen_->pop();
    // As a link does: schemes may charge slots of a cycle in which the stage is called to other causes.
    if (unseen_->front(now()) != nullptr) wake(now() + 1);
  }
  while (OperandReport* report = holds(kOperands) ? operands.front() : nullptr) {
    p.timing.operands(*report);
    operands.pop();
  }
  while (MemoryReport* report = holds(kReports) ? reports.front() : nullptr) {
    if (report->what == MemoryReport::What::missed) {
      p.timing.missed(*report->packet);
    } else {
      sm_.events.returned.tell(*report->packet, report->threads);
    }
    reports.pop();
  }
  while (Completion* completion = holds(kCompletions) ? completions.front() : nullptr) {
    p.timing.completed(*completion->packet);
    completions.pop();
  }
}

void IssueStage::take_events() {
  Parts& p = *parts_;
  p.events.take(now(), [&p](const IssueEvent& event) {
    switch (event.kind) {
      case IssueEvent::Kind::release:
      case IssueEvent::Kind::leave_pipeline:
        p.timing.due(event);
        break;
      case IssueEvent::Kind::resolve:
        p.branches.resolve(event.context);
        break;
      case IssueEvent::Kind::wake_up:
        p.branches.wake_up(event.context);
        break;
      case IssueEvent::Kind::end_barrier:
        p.barriers.ended(event);
        break;
    }
  });
  p.timing.advance();
}

void IssueStage::sleep_or_stay() {
  Parts& p = *parts_;
  // Contexts that became ready after this cycle's choice have not been candidates yet.
  const bool stay = p.kit.worked() || p.states.fresh_ready() || grouping_busy_ || p.supply.wants_fetch();
  if (stay) {
    wake(now() + 1);
    return;
  }
  // Those that are held back wait for the vetoes, not for a unit.
  ContextSet ready = sm_.contexts.ready - sm_.contexts.held;
  // Listeners are told when a unit is free for these, too.
  if (ready.any() && sm_.watch == nullptr) p.scheme->remove_awaited(ready);
  if (ready.any()) p.units.wait_for(ready, now(), [this](Cycle at) { wake(at); });
  Cycle next = std::min(p.events.next(now()), p.policies.next_event(now()));
  for (const Cycle own : {p.scheme->next_event(), p.hazards->next_event()}) {
    if (own != kNever) next = std::min(next, std::max(own, now() + 1));
  }
  if (next != kNever) wake(next);
}

void IssueStage::describe_waiting(std::vector<isa::Situation>& all) const { parts_->report.describe(all); }
const LoopNotes& IssueStage::loops() const { return parts_->notes; }
Standstill IssueStage::standstill() const {
  return parts_->notes.standstill(parts_->units.blocked(sm_.contexts.ready, now()));
}
std::uint64_t IssueStage::thread_instructions() const { return parts_->kit.counters().thread_instructions.value(); }
std::uint64_t IssueStage::warp_instructions() const { return parts_->kit.counters().warp_instructions.value(); }
const SlotAccount& IssueStage::slot_account() const { return parts_->account.account(); }

void IssueStage::settle(Cycle until) {
  parts_->account.settle(until);
  parts_->residents.settle(until);
  parts_->scheme->settle(until);
  parts_->policies.settle(until);
}

}  // namespace heddle::sm
