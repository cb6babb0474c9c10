// SPDX-License-Identifier: Apache-2.0
#include "sm/issue_stage.h"

#include <algorithm>

#include "core/error.h"
#include "isa/collective.h"
#include "sm/hazards/checked_hazards.h"

namespace heddle::sm {

namespace {

constexpr std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

IssueStage::IssueStage(sc_core::sc_module_name module_name, SmContext& sm)
    : Stage(module_name, sm.gate),
      launches("launches", sm.gate, stage_number(), {.width = 1, .latency = sm.parameters.launch_latency}),
      finished("finished", sm.gate, stage_number()),
      fetch("fetch", sm.gate, stage_number()),
      fetch_at_pick("fetch_at_pick"),
      prefix_sum("prefix_sum"),
      packer("packer"),
      decoded("decoded", sm.gate, stage_number(), {.width = sm.parameters.fetch.width, .latency = 1}),
      to_alu("to_alu", sm.gate, stage_number()),
      to_sfu("to_sfu", sm.gate, stage_number()),
      to_fp64("to_fp64", sm.gate, stage_number()),
      to_memory("to_memory", sm.gate, stage_number()),
      completions("completions", sm.gate, stage_number(), {.width = 4, .latency = 1}),
      // As many as leave the operand stage in a cycle for units of fixed latency.
      delays("delays", sm.gate, stage_number(), {.width = 3 * std::max(1u, sm.parameters.schedulers), .latency = 1}),
      reports("reports", sm.gate, stage_number(), {.width = 4, .latency = 1}),
      sm_(sm),
      parameters_(sm.parameters),
      slots_(sm.parameters.schedulers),
      buffers_(sm.parameters.fetch.buffer_depth),
      blocks_(sm.number, sm.parameters.residency),
      in_flight_(sm.parameters.residency.blocks),
      bound_packer_(packer),
      picks_at_fetch_(sm.parameters.shape == PipelineShape::barrel),
      group_(sm.statistics, "issue"),
      warp_instructions_(group_, "warp_instructions", "instructions issued, once for all packets of one",
                         unit::kInstructions),
      thread_instructions_(
          group_, "thread_instructions",
          "instructions issued, summed over the active threads of each, those with a false guard included",
          unit::kThreadInstructions),
      issued_packets_(group_, "packets", "packets issued", unit::kInstructions),
      branches_(group_, "branches", "branches resolved", unit::kInstructions),
      divergent_branches_(group_, "divergent_branches", "branches whose threads went different ways",
                          unit::kInstructions),
      barriers_waited_(group_, "barriers", "arrivals of contexts at block barriers", unit::kEvents),
      fetches_(group_, "fetch_requests", "requests sent to the fetch stage", unit::kRequests),
      blocks_launched_(group_, "blocks_launched", "blocks that arrived", unit::kBlocks),
      blocks_finished_(group_, "blocks_finished", "blocks that finished", unit::kBlocks),
      active_lanes_(group_, "active_lanes", "threads that execute, the guard applied, summed over packets",
                    unit::kThreadInstructions),
      filled_lanes_(
          group_, "filled_lanes",
          "lanes in which a thread executes, summed over packets: as active_lanes, but the token of a jump fills "
          "no more than there are",
          unit::kThreadInstructions),
      offered_lanes_(group_, "offered_lanes",
                     "threads that the packets could have held: SIMD width, or the warp's where that is less, times "
                     "waves; a packet in lanes that another left free offers none",
                     unit::kThreadInstructions),
      resident_thread_cycles_(group_, "resident_thread_cycles",
                              "threads that the blocks on the SM have taken, summed over cycles", unit::kThreadCycles),
      slot_lanes_(group_, "slot_lanes",
                  "issue slots by what they issued: W0_idle nothing was there to issue, W0_scoreboard the next "
                  "instructions waited for results, W0_no_thread an instruction that no thread executes, W1-4 and so "
                  "on by number of threads that execute, 32 apart from 29 to 31",
                  unit::kSlots, slot_lane_buckets(sm.parameters)),
      longest_ready_wait_(group_, "longest_ready_wait", "longest time a context that could issue waited for its turn",
                          unit::kCycles),
      most_contexts_(group_, "most_contexts", "most contexts with threads at once", unit::kContexts),
      slots_account_(group_, sm.parameters.schedulers),
      cause_issued_(slots_account_.cause("issued", "an instruction issued")),
      cause_arrival_(slots_account_.cause("arrival", "threads came to where they wait for others of their warp")),
      cause_packet_(slots_account_.cause("packet", "a further packet of an instruction issued")),
      cause_bubble_(slots_account_.cause("packing", "an instruction under way had no packet to issue")),
      cause_unit_(
          slots_account_.cause("unit_busy", "an instruction was ready and its unit, lanes or collectors were not")),
      cause_held_(slots_account_.cause("held", "an instruction was ready and a policy held it back")),
      cause_hazard_(slots_account_.cause("hazard", "the next instructions waited for results of arithmetic")),
      cause_pipeline_(slots_account_.cause("pipeline", "contexts waited for their instruction to leave the pipeline")),
      cause_branch_(slots_account_.cause("branch", "contexts waited for a branch to resolve")),
      cause_asleep_(slots_account_.cause("asleep", "contexts slept for the time that they had asked for")),
      cause_fetch_(slots_account_.cause("fetch", "contexts waited for instructions")),
      cause_memory_(slots_account_.cause("memory", "the next instructions waited for data from memory")),
      cause_rendezvous_(slots_account_.cause("rendezvous", "contexts waited for other threads of their warp")),
      cause_barrier_(slots_account_.cause("barrier", "contexts waited at a block barrier")),
      cause_parked_(slots_account_.cause("parked", "contexts waited for others of their group to re-form")),
      cause_empty_(slots_account_.cause("no_warp", "no context had threads")),
      state_(sm.services, sm.path("issue"), sm.domain()),
      warp_state_(sm.services, sm.path("warps"), sm.domain()),
      grouping_state_(sm.services, sm.path("grouping"), sm.domain()),
      hazard_group_(sm.statistics, "hazards"),
      hazard_state_(sm.services, sm.path("hazards"), sm.domain()) {
  fetched_pc_.fill(kNoPc);
  const GroupingShape shape = grouping_shape(parameters_);
  grouping_ = make(parameters_.grouping, shape, contexts_);
  if (grouping_->packer_shape().rows != 0) grouping_->use(bound_packer_);
  sm_.return_wait = grouping_->return_wait();
  // Elsewhere the hazards say who waits for memory.
  sm_.reports_misses = parameters_.shape != PipelineShape::buffered && parameters_.refetch == 0;
  HazardShape hazard_shape{.contexts = grouping_->context_count(),
                           .warps = grouping_->context_count(),
                           .warp_threads = context_span(),
                           .named_registers = parameters_.hazard_registers == "named"};
  hazards_ = make(parameters_.hazards, hazard_shape);
  if (CheckedHazards::wanted()) {
    auto checker = std::make_unique<CheckedHazards>(std::move(hazards_), hazard_shape);
    checker_ = checker.get();
    hazards_ = std::move(checker);
  }
  if (grouping_->needs_busy_threads() && hazards_->busy_threads(0) == nullptr) {
    fail(ExitCode::kConfiguration,
         "sm.hazards: {} packs threads that are not in flight, so it needs in_flight_bits, not {}", grouping_->name(),
         parameters_.hazards.name());
  }
  const bool overlaps = parameters_.shape == PipelineShape::buffered || parameters_.refetch != 0;
  if (grouping_->needs_hazards_by_thread() && overlaps && !hazards_->awaits_registers()) {
    fail(ExitCode::kConfiguration,
         "sm.hazards: where a context has several instructions in flight, {} needs registers to be awaited by thread "
         "(full_masks), which {} does not do",
         grouping_->name(), parameters_.hazards.name());
  }
  if (grouping_->needs_hazards_by_thread() && !hazards_->by_thread()) {
    fail(ExitCode::kConfiguration,
         "sm.hazards: {} moves threads from warp to warp, so it needs hazards by thread (full_masks, one_in_flight), "
         "not {}",
         grouping_->name(), parameters_.hazards.name());
  }
  if (parameters_.refetch != 0 && !hazards_->awaits_registers()) {
    fail(ExitCode::kConfiguration,
         "sm.refetch: a context that issues again before its instruction is through needs hazards by register, not {}",
         parameters_.hazards.name());
  }
  if (sm_.return_wait != kNever && (overlaps || hazards_->awaits_registers())) {
    fail(ExitCode::kConfiguration,
         "sm.shape: threads of a load go on without the others only where a context waits for its load (barrel or "
         "one_in_flight, without refetch) and nothing else does (hazards one_in_flight)");
  }
  hazards_shared_ = hazards_->shared_by_warp();
  packs_free_threads_ = grouping_->needs_busy_threads();
  if (packs_free_threads_) lost_.resize(grouping_->context_count());
  thread_lead_ = packs_free_threads_ && picks_at_fetch_ ? 1 : 0;
  warp_contexts_.resize(grouping_->context_count());
  SchedulerShape all{.contexts = grouping_->context_count(), .members = {}, .seed = sm.seed};
  for (unsigned s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    slot.members = grouping_->slot_members(s);
    slot.fills = grouping_->slot_fills(s);
    slot.cause = cause_empty_;
    all.members |= slot.members;
    const SchedulerShape own{.contexts = grouping_->context_count(), .members = slot.members, .seed = sm.seed};
    slot.order = make(slot.fills ? parameters_.fill_order : parameters_.order, own);
  }
  vetoes_ = make(parameters_.vetoes, all);

  // Operations of a kind of unit that the machine lacks go where its parameters say.
  const auto place = [&](isa::Unit unit, const UnitParameters& p) {
    isa::Unit target = unit;
    if (p.count == 0)
      target = p.instead == "sfu" ? isa::Unit::sfu : p.instead == "fp64" ? isa::Unit::fp64 : isa::Unit::alu;
    unit_map_[index(unit)] = target;
    if (p.count != 0) units_.add(unit, p.count, p.lanes, parameters_.simd_width);
  };
  place(isa::Unit::alu, parameters_.alu);
  place(isa::Unit::sfu, parameters_.sfu);
  place(isa::Unit::fp64, parameters_.fp64);
  unit_map_[index(isa::Unit::memory)] = isa::Unit::memory;
  unit_map_[index(isa::Unit::control)] = isa::Unit::control;
  units_.add(isa::Unit::memory, 1, parameters_.memory_lanes, parameters_.simd_width);
  declare_state();
  Derived(group_, "occupancy", "share of the SM's threads that blocks have taken, over all cycles", unit::kRatio,
          [this, threads = parameters_.residency.threads](const StatisticsView& v) {
            return v.ratio(resident_thread_cycles_, slots_account_.cycles()) / threads;
          });
  Derived(group_, "ipc", "instructions issued a cycle", unit::kInstructionsPerCycle,
          [this](const StatisticsView& v) { return v.ratio(warp_instructions_, slots_account_.cycles()); });
  Derived(group_, "thread_ipc", "instructions of threads issued a cycle", unit::kThreadInstructionsPerCycle,
          [this](const StatisticsView& v) { return v.ratio(thread_instructions_, slots_account_.cycles()); });
  Derived(group_, "simd_efficiency", "share of the lanes offered by packets in which a thread executed", unit::kRatio,
          [this](const StatisticsView& v) { return v.ratio(filled_lanes_, offered_lanes_); });
}

LinkOut<PacketHandle>& IssueStage::link_to(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::sfu:
      return to_sfu;
    case isa::Unit::fp64:
      return to_fp64;
    case isa::Unit::memory:
      return to_memory;
    default:
      return to_alu;
  }
}

void IssueStage::cycle() {
  settle_account(now());
  // 1. Returns, resolutions and launches that arrive now.
  take_arrivals();
  take_events();
  // 2. Splits, merges, re-formation.
  grouping_busy_ = grouping_->begin_cycle();
  // 3. Hazards give the ready set.
  look_for_changes();
  // 4. Order and vetoes give up to one instruction a slot, each placed on the lanes that earlier ones left free.
  issue();
  look_for_changes();
  // 5. What to fetch.
  request_fetches();
  account();
  if (sm_.watch != nullptr) sm_.watch->end_cycle(contexts_, away_, waiting_for_units());
  sleep_or_stay();
}

void IssueStage::look_for_changes() {
  while (contexts_.changed.any()) {
    const ContextSet changed = contexts_.changed;
    contexts_.changed.clear();
    changed.for_each([this](std::size_t c) { refresh(static_cast<ContextId>(c)); });
  }
}

void IssueStage::refresh(ContextId c) {
  if (sm_.watch != nullptr) sm_.watch->touched(c);
  if (contexts_.buffered.test(c)) kinds_[kind_[c]].reset(c);
  if (!contexts_.valid.test(c)) {
    retire_context(c);
    return;
  }
  if (!known_.test(c)) introduce(c);
  const isa::Kernel& kernel = *contexts_[c].kernel;
  const std::uint32_t pc = contexts_[c].pc;
  contexts_.barrier.assign(c, contexts_[c].threads.intersects(contexts_.at_barrier[contexts_[c].warp]));
  contexts_.rendezvous.assign(c, contexts_.at_meeting_alone(contexts_[c].warp, contexts_[c].threads));
  if (pc >= kernel.ops.size())
    fail(ExitCode::kInternal, "{}: context {} ran past the end of kernel {}", name(), c, kernel.name);
  bool buffered = true;
  if (picks_at_fetch_) {
    if (awaits_line_.test(c) && awaited_pc_[c] != pc) awaits_line_.reset(c);
    buffered = !awaits_line_.test(c);
  } else {
    buffers_.follow(c, pc);
    buffered = buffers_.holds(c, pc);
    note_room(c, kernel);
  }
  contexts_.buffered.assign(c, buffered);
  if (buffered) {
    contexts_[c].next = &kernel.ops[pc];
    kind_[c] = static_cast<std::uint8_t>(unit_of(kernel.ops[pc]));
    kinds_[kind_[c]].set(c);
    check_hazard(c);
  } else {
    contexts_.hazard.reset(c);
    contexts_.long_latency.assign(c, away_.test(c));
    update_ready(c);
  }
}

void IssueStage::introduce(ContextId c) {
  known_.set(c);
  for (Slot& slot : slots_) {
    if (slot.members.test(c)) slot.order->launched(contexts_, c);
  }
  for (auto& veto : vetoes_) veto->launched(contexts_, c);
}

void IssueStage::retire_context(ContextId c) {
  contexts_.buffered.reset(c);
  contexts_.hazard.reset(c);
  contexts_.long_latency.reset(c);
  contexts_.branch.reset(c);
  contexts_.ready.reset(c);
  wants_fetch_.reset(c);
  awaits_line_.reset(c);
  fetched_pc_[c] = kNoPc;
  buffers_.flush(c, 0);
  if (!known_.test(c)) return;
  known_.reset(c);
  for (Slot& slot : slots_) {
    if (slot.members.test(c)) slot.order->finished(contexts_, c);
  }
  for (auto& veto : vetoes_) veto->finished(contexts_, c);
}

void IssueStage::check_hazard(ContextId c) {
  if (!contexts_.valid.test(c) || !contexts_.buffered.test(c)) return;
  Wait wait = hazards_->check(contexts_, c, *contexts_[c].next);
  if (copies_.any() && contexts_[c].next->opcode == isa::Opcode::async_wait && waits_for_copies(c)) wait = Wait::memory;
  contexts_.hazard.assign(c, wait == Wait::hazard);
  contexts_.long_latency.assign(c, wait == Wait::memory || away_.test(c));
  update_ready(c);
}

void IssueStage::update_ready(ContextId c) {
  const bool ready = contexts_.valid.test(c) && contexts_.buffered.test(c) && !contexts_.hazard.test(c) &&
                     !contexts_.long_latency.test(c) && !contexts_.barrier.test(c) && !contexts_.branch.test(c) &&
                     !contexts_.rendezvous.test(c) && !contexts_.pipeline.test(c) && !contexts_.in_sequence.test(c) &&
                     !contexts_.parked.test(c);
  if (ready && !contexts_.ready.test(c)) {
    ready_since_[c] = now();
    fresh_ready_ = true;
  }
  contexts_.ready.assign(c, ready);
}

void IssueStage::issue() {
  fresh_ready_ = false;
  if (packs_free_threads_) look_at_packing();
  ask_vetoes();
  for (Slot& slot : slots_) slot.order->update(contexts_);
  for (unsigned s = 0; s < slots_.size(); ++s) issue_slot(slots_[s], s);
}

void IssueStage::ask_vetoes() {
  if (vetoes_.empty()) return;
  if (const Cycle passed = now() - vetoes_asked_; passed != 0) {
    vetoes_asked_ = now();
    for (auto& veto : vetoes_) veto->advance(passed);
  }
  contexts_.held.clear();
  for (auto& veto : vetoes_) contexts_.held |= veto->held(contexts_);
}

ContextSet IssueStage::candidates(const Slot& slot, unsigned number) {
  // What an earlier slot's issue changed has no decoded instruction yet.
  ContextSet set = (contexts_.ready & slot.members) - contexts_.changed;
  if (set.none()) return set;
  if (slot.fills) {
    const ContextId first = slots_[number - 1].issued;
    set = first == kNoContext ? ContextSet{} : set & grouping_->partners(first);
  }
  set -= contexts_.held;
  for (std::size_t u = 0; u < index(isa::Unit::control); ++u) {
    const auto unit = static_cast<isa::Unit>(u);
    if (set.intersects(kinds_[u]) && (!units_.any_free(unit, now()) || !has_room(unit))) set -= kinds_[u];
  }
  return set;
}

void IssueStage::issue_slot(Slot& slot, unsigned number) {
  slot.issued = kNoContext;
  slot.tried = true;
  if (slot.sequence != kNoContext) {
    slot.cause = continue_sequence(slot, number) ? cause_packet_ : cause_bubble_;
    return;
  }
  ContextSet set = candidates(slot, number);
  slot.tried = set.any();
  while (set.any()) {
    const ContextId c = slot.order->choose(contexts_, set);
    if (c == kNoContext) {
      slot.cause = cause_held_;
      return;
    }
    if (picks_at_fetch_ && !fetched_at_pick(c)) {
      slot.cause = cause_fetch_;
      return;
    }
    slot.cause = cause_issued_;
    if (try_issue(slot, number, c)) return;
    set.reset(c);
  }
  slot.cause = blame(slot);
}

bool IssueStage::try_issue(Slot& slot, unsigned number, ContextId c) {
  const isa::MicroOp& op = *contexts_[c].next;
  const isa::Unit unit = unit_of(op);
  const ThreadSet guarded = guarded_threads(c, op, contexts_[c].threads);
  if (slot.fills && !grouping_->pairs(*contexts_[slots_[number - 1].issued].next, op)) return false;
  ThreadSet threads, left;
  const auto cut = grouping_->next_packet(
      c, op, {contexts_[c].threads, guarded, hazards_->busy_threads(contexts_[c].warp), true}, threads, left);
  const bool bubble = cut == GroupingUnit::Cut::bubble;
  const bool last = !bubble && left.none();
  const LanePlan plan = grouping_->lanes(c, op, threads);
  const int instance = bubble ? 0 : place(unit, plan);
  if (instance < 0) return false;
  if (isa::may_meet(op) && !meet(c, op, guarded)) {
    // Held until the threads it names arrive; the slot is spent on the arrival.
    slot.issued = c;
    slot.cause = cause_arrival_;
    return true;
  }
  fetched_pc_[c] = kNoPc;
  longest_ready_wait_.record(now() - ready_since_[c]);
  if (sm_.progress.on()) note_issue(c);
  ++warp_instructions_;
  thread_instructions_ += contexts_[c].lane_count;
  slot.issued = c;
  for (unsigned s = 0; s < slots_.size(); ++s) {
    if (slots_[s].members.test(c)) slots_[s].order->issued(contexts_, c);
  }
  for (auto& veto : vetoes_) veto->issued(contexts_, c);
  ask_vetoes();
  if (!last) {
    slot.sequence = c;
    slot.sequence_op = &op;
    slot.sequence_left = left;
    contexts_.in_sequence.set(c);
    update_ready(c);
  }
  slot.sequence_first = bubble;
  if (bubble) {
    slot.sequence_left = left;
  } else {
    issue_packet(number, c, op, threads, plan, instance, true, last);
  }
  return true;
}

int IssueStage::place(isa::Unit unit, const LanePlan& plan) const {
  return unit == isa::Unit::control ? 0 : units_.find(unit, plan.lanes, now());
}

bool IssueStage::continue_sequence(Slot& slot, unsigned number) {
  const ContextId c = slot.sequence;
  const isa::MicroOp& op = *slot.sequence_op;
  const isa::Unit unit = unit_of(op);
  if (!has_room(unit) || (unit != isa::Unit::control && !units_.any_free(unit, now()))) return false;
  ThreadSet threads, left;
  const ThreadSet guarded = guarded_threads(c, op, slot.sequence_left);
  const bool first = slot.sequence_first;
  if (grouping_->next_packet(c, op, {slot.sequence_left, guarded, hazards_->busy_threads(contexts_[c].warp), first},
                             threads, left) == GroupingUnit::Cut::bubble) {
    slot.sequence_left = left;
    return false;
  }
  const bool last = left.none();
  const LanePlan plan = grouping_->lanes(c, op, threads);
  const int instance = place(unit, plan);
  if (instance < 0) return false;
  slot.sequence_first = false;
  slot.sequence_left = left;
  slot.issued = c;
  if (last) {
    slot.sequence = kNoContext;
    contexts_.in_sequence.reset(c);
  }
  issue_packet(number, c, op, threads, plan, instance, first, last);
  return true;
}

void IssueStage::sleep_or_stay() {
  bool tried = false;
  for (const Slot& slot : slots_) tried = tried || slot.tried || slot.sequence != kNoContext;
  // What became ready behind the choice of this cycle has not been a candidate yet.
  const bool stay = tried || fresh_ready_ || grouping_busy_ || (wants_fetch_ - contexts_.branch).any();
  if (!stay && contexts_.ready.any()) wait_for_units(contexts_.ready);
  if (stay) {
    wake(now() + 1);
    return;
  }
  Cycle next = events_.next(now());
  for (const auto& veto : vetoes_) next = std::min(next, std::max(veto->next_event(), now() + 1));
  if (next != kNever) wake(next);
}

ContextSet IssueStage::waiting_for_units() {
  ContextSet set;
  for (std::size_t u = 0; u < index(isa::Unit::control); ++u) {
    const auto unit = static_cast<isa::Unit>(u);
    if (!units_.any_free(unit, now()) || !has_room(unit)) set |= kinds_[u] & contexts_.ready;
  }
  return set;
}

void IssueStage::wait_for_units(const ContextSet& waiting) {
  for (std::size_t u = 0; u < index(isa::Unit::control); ++u) {
    const auto unit = static_cast<isa::Unit>(u);
    if (!waiting.intersects(kinds_[u])) continue;
    if (!units_.any_free(unit, now() + 1)) {
      wake(units_.free_at(unit));
    } else if (has_room(unit)) {
      wake(now() + 1);
    } else {
      link_to(unit).wait_for_room();
    }
  }
}

}  // namespace heddle::sm
