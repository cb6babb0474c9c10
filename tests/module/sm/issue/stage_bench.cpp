// SPDX-License-Identifier: Apache-2.0
#include "stage_bench.h"

namespace heddle::sm {

namespace {

constexpr LinkParameters kWide{.width = 4, .latency = 1};

}  // namespace

SendingEnds::SendingEnds(const sc_core::sc_module_name& module_name, ClockGate& g)
    : Stage(module_name, g),
      finished("finished", g, stage_number()),
      fetch("fetch", g, stage_number()),
      units(g, stage_number()) {}

ReceivingEnds::ReceivingEnds(const sc_core::sc_module_name& module_name, ClockGate& g)
    : Stage(module_name, g),
      finished("finished", g, stage_number(), kWide),
      fetch("fetch", g, stage_number(), {.width = 1, .latency = 1}),
      alu("alu", g, stage_number(), kWide),
      sfu("sfu", g, stage_number(), kWide),
      fp64("fp64", g, stage_number(), kWide),
      memory("memory", g, stage_number(), kWide) {}

StageBench::Parts::Parts(StageBench& b)
    : units(b.parameters, b.out.units),
      policies(b.sm, *b.scheme, b.grouping.traits().contexts),
      supply(b.sm, std::move(b.fetch_scheme), b.out.fetch, b.calls.fetch_at_pick, b.group),
      waiting(b.sm, b.grouping, b.meetings),
      effects(b.sm, b.meetings, b.calls.prefix_sum),
      regroupings(b.sm.contexts, b.grouping.traits().contexts, b.hazards, waiting),
      states(b.sm, b.hazards, b.follows_threads ? &regroupings : nullptr, supply, units, policies, effects),
      meeting_unit(b.sm, b.grouping, b.meetings, waiting),
      barriers(b.sm, b.events, waiting, b.group),
      notes(b.sm, b.grouping, b.blocks),
      branches(b.sm, b.grouping, b.events, notes, b.group),
      residents(b.sm, b.blocks, {b.grouping, b.hazards, nullptr, supply, waiting, barriers, meeting_unit},
                b.out.finished, b.group),
      timing(b.sm, b.grouping, b.hazards, b.hazard_traits, b.events, states, waiting, effects, residents),
      account(b.group, b.parameters, b.sm.contexts, policies),
      kit(b.sm,
          {b.grouping, b.hazards, units, policies, supply, effects, states, timing, branches, barriers, meeting_unit,
           residents, b.events, notes, account},
          b.group) {}

void StageBench::build() {
  if (scheme == nullptr) {
    std::vector<ContextSet> members(parameters.schedulers);
    for (unsigned c = 0; c < grouping.traits().contexts; ++c) members[c % members.size()].set(c);
    scheme = std::make_unique<IndependentSlots>(std::move(members));
  }
  connect(out.finished, in.finished);
  connect(out.fetch, in.fetch);
  connect(out.units.alu, in.alu);
  connect(out.units.sfu, in.sfu);
  connect(out.units.fp64, in.fp64);
  connect(out.units.memory, in.memory);
  parts_ = std::make_unique<Parts>(*this);
  scheme->attach(parts_->kit);
  elaborate();
  go_to(1);
}

BlockSlot StageBench::arrive(unsigned threads, unsigned granules) {
  launch.block = {threads};
  const unsigned granule = grouping.traits().granule;
  parts_->residents.launch({&launch, next_block_++, granules != 0 ? granules : (threads + granule - 1) / granule});
  fetch_all();
  return blocks.slot_of({launch.id, next_block_ - 1});
}

void StageBench::fetch_all() {
  Parts& p = *parts_;
  do {
    p.states.settle();
    p.supply.send_requests();
    go_to(gate.now() + 1);
    answer_fetches();
  } while (p.supply.wants_fetch() || sm.contexts.changed.any());
}

void StageBench::answer_fetches() {
  for (const FetchRequest& request : received(in.fetch)) parts_->supply.arrived({request});
}

void StageBench::run_to(Cycle cycle) {
  while (gate.now() < cycle) {
    go_to(gate.now() + 1);
    events.take(gate.now(), [this](const IssueEvent& event) { handle(event); });
    parts_->timing.advance();
    parts_->states.settle();
  }
}

void StageBench::handle(const IssueEvent& event) {
  switch (event.kind) {
    case IssueEvent::Kind::release:
    case IssueEvent::Kind::leave_pipeline:
      parts_->timing.due(event);
      break;
    case IssueEvent::Kind::resolve:
      parts_->branches.resolve(event.context);
      break;
    case IssueEvent::Kind::wake_up:
      parts_->branches.wake_up(event.context);
      break;
    case IssueEvent::Kind::end_barrier:
      parts_->barriers.ended(event);
      break;
  }
}

}  // namespace heddle::sm
