// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/load_scheduler.h"

#include "core/error.h"
#include "sm/context_table.h"
#include "sm/scheduling/locality/gated_load.h"

namespace heddle::sm {

LoadScheduler::LoadScheduler(sc_core::sc_module_name module_name, SmSite& site,
                             const DivergenceAwareParameters& parameters, unsigned contexts,
                             const std::string& charged_to)
    : sc_module(module_name),
      classes("classes"),
      parameters_(parameters),
      contexts_(contexts),
      warp_size_(site.parameters.warp_size),
      gate_(site.gate),
      admission_({}),
      can_issue_load_(ContextSet::first_n(contexts)),
      group_(site.statistics, "load_scheduler"),
      predictions_(group_, "predictions", "trips through a loop for which a footprint was predicted", unit::kEvents),
      kept_inner_(group_, "kept_inner",
                  "of these, trips of an outer loop that kept the footprint of the inner loop that had run",
                  unit::kEvents),
      tentative_(group_, "tentative", "loads outside loops that were given the footprint of the closest loop",
                 unit::kEvents),
      let_go_(group_, "let_go", "loads that issued although blocked, because threads of their warp waited for others",
              unit::kEvents),
      over_capacity_(group_, "over_capacity",
                     "decisions that left a loop alone because one warp of it needs more lines than the cache has",
                     unit::kEvents),
      irreducible_(
          group_, "irreducible_loops",
          "cycles of the control flow entered at several places, in each kernel that the SM began to run: they "
          "count as no loops and get no footprint",
          unit::kEvents),
      lines_(group_, "footprint_lines", "lines of the predicted footprints, summed over cycles", unit::kEntryCycles),
      lines_admitted_(group_, "admitted_lines", "of these, lines of contexts that may load", unit::kEntryCycles),
      warps_admitted_(group_, "admitted", "contexts in loops that have a footprint and may load, summed over cycles",
                      unit::kWarpCycles),
      warps_blocked_(group_, "blocked", "contexts that may not load, summed over cycles", unit::kWarpCycles),
      most_lines_(group_, "most_lines", "largest sum of the footprints", unit::kLines),
      state_(site.services, site.path(basename()), site.domain()) {
  site.events.l1d_built.add([this](const L1dShape& l1d) {
    admission_.set_rule(
        {effective_lines(parameters_.associativity_factor, l1d.lines), l1d.lines, parameters_.strict_age});
  });
  declare(charged_to);
}

void LoadScheduler::declare(const std::string& charged_to) {
  state_.charge_to(charged_to);
  Structure& table = state_.traced_structure("footprints", "predicted footprint of each context in a loop", contexts_,
                                             {{"lines", kFootprintBits, 1, 1},
                                              {"loop", 32, 1, 1},
                                              {"outermost_begin", 32, 1, 1},
                                              {"outermost_end", 32, 1, 1},
                                              {"tentative", 1, 1, 1},
                                              {"admitted", 1, 1, 1}});
  table.read([this](std::size_t entry, std::size_t field) -> std::uint64_t {
    const Footprint& of = table_[ContextId(entry)];
    const CodeAddress values[] = {of.lines,         of.loop,      of.outermost.begin,
                                  of.outermost.end, of.tentative, admission_.admitted().test(entry)};
    return field == 0 || field > 3 ? values[field] : values[field] & 0xffffffff;
  });
  table.occupied([this](std::size_t entry) { return table_[ContextId(entry)].loop != kNoCode; });
  state_
      .structure("effective_lines", "lines into which the footprints must fit", 1, {{"lines", kEffectiveLinesBits, 1}})
      .read([this](std::size_t, std::size_t) { return admission_.rule().effective_lines; });
  state_
      .structure("prefix_sum", "sum of the footprints up to each context, and its comparison", contexts_,
                 {{"sum", kFootprintSumBits}})
      .is_logic();
  state_.signals.add("footprint_sum", kFootprintSumBits, "sum of the footprints", [this] { return admission_.sum(); });
  state_.signals.add("admitted_sum", kFootprintSumBits, "sum of the footprints of contexts that may load",
                     [this] { return admission_.admitted_sum(); });
  state_.show_set("can_issue_load", contexts_, "contexts that may load", can_issue_load_);
  state_.show_set("admitted", contexts_, "contexts in loops with a footprint that may load", admission_.admitted());
  state_.show_set("in_loop", contexts_, "contexts in loops", table_.in_loop());
}

void LoadScheduler::settle(Cycle until) {
  for (LevelTime* level : {&lines_, &lines_admitted_, &warps_admitted_, &warps_blocked_}) level->settle(until);
  classes->settle();
}

LoadScheduler::Place& LoadScheduler::place_of(const ContextTable& contexts, ContextId c) {
  const Context& context = contexts[c];
  Place& place = places_[c];
  if (place.kernel == context.kernel && place.code == context.code_address) return place;
  auto& loops = loops_[context.kernel];
  if (loops == nullptr) {
    loops = std::make_shared<const isa::LoopExtents>(*context.kernel);
    irreducible_ += loops->irreducible();
  }
  place = {context.kernel, loops, context.code_address};
  classes->runs(*context.kernel, context.code_address);
  return place;
}

void LoadScheduler::begin_cycle(const ContextTable& contexts) {
  if (table_.take_changed() || (contexts.next_age != next_age_ && table_.with_lines().any())) decide(contexts);
  if (table_.with_lines().none()) {
    seen_.clear();
    return;
  }
  release_waiting(contexts);
  expect_loads(contexts);
}

void LoadScheduler::decide(const ContextTable& contexts) {
  next_age_ = contexts.next_age;
  admission_.admit(table_, [&](ContextId a, ContextId b) { return contexts.age[a] < contexts.age[b]; });
  if (admission_.over_capacity()) ++over_capacity_;
  can_issue_load_ = ContextSet::first_n(contexts_) - admission_.blocked();
  most_lines_.record(admission_.sum());
  const Cycle now = gate_.now();
  lines_.set(now, admission_.sum());
  lines_admitted_.set(now, admission_.admitted_sum());
  warps_admitted_.set(now, admission_.admitted().count());
  warps_blocked_.set(now, admission_.blocked().count());
}

void LoadScheduler::release_waiting(const ContextTable& contexts) {
  const ContextSet waiting = contexts.waiting_for_others() & table_.with_lines();
  if (waiting.none()) return;
  waiting.for_each([this](std::size_t c) {
    if (table_.tentative().test(c)) {
      table_.clear(ContextId(c));
    } else {
      table_.waits(ContextId(c));
    }
  });
}

unsigned LoadScheduler::lines_of(CodeAddress loop, const Context& context) {
  return classes->lines(loop, parameters_.ignore_control_flow ? warp_size_ : context.lane_count);
}

void LoadScheduler::expect_loads(const ContextTable& contexts) {
  if (!table_.loop_with_lines()) {
    const ContextSet stale = table_.tentative();
    stale.for_each([this](std::size_t c) { table_.clear(ContextId(c)); });
    seen_.clear();
    return;
  }
  const ContextSet fresh = (contexts.valid & contexts.buffered) - seen_;
  if (fresh.none()) return;
  seen_ |= fresh;
  fresh.for_each([&](std::size_t c) {
    if (is_gated_load(*contexts[c].next)) expect_load(contexts, ContextId(c));
  });
}

void LoadScheduler::expect_load(const ContextTable& contexts, ContextId c) {
  const Context& context = contexts[c];
  const Place& place = place_of(contexts, c);
  // A load may be the first instruction of its loop. The mark stands in front of it.
  const isa::LoopExtent* const begun = place.loops->begins_at(context.next->pc);
  if (table_.in_loop().test(c)) {
    if (begun != nullptr) enter(c, place, *begun, context);
    return;
  }
  const isa::LoopExtent* const closest = begun != nullptr ? begun : place.loops->next_after(context.next->pc);
  if (closest == nullptr) return;
  const unsigned lines = lines_of(place.code + closest->begin, context);
  if (lines != 0) ++tentative_;
  table_.expects(c, place.code + closest->begin, lines);
}

LoadScheduler::Prediction LoadScheduler::enter(ContextId c, const Place& place, const isa::LoopExtent& loop,
                                               const Context& context) {
  const CodeAddress begin = place.code + loop.begin, predicted = table_.predicted(c, begin);
  const unsigned lines = lines_of(predicted, context);
  table_.begins(c, predicted, {place.code + loop.outermost->begin, place.code + loop.outermost->end}, lines);
  return {lines, predicted != begin};
}

void LoadScheduler::issued(const ContextTable& contexts, ContextId c) {
  const Context& context = contexts[c];
  Place& place = place_of(contexts, c);
  const std::uint32_t pc = context.next->pc;
  seen_.reset(c);
  if (blocked().test(c) && is_gated_load(*context.next)) ++let_go_;
  if (table_.tentative().test(c) || table_.leaves(c, place.code + pc)) table_.clear(c);
  if (const isa::LoopExtent* const loop = place.loops->begins_at(pc); loop != nullptr) {
    classes->trip_begins(
        {c, context.warp, place.code, place.loops, loop, context.lane_count, !loop->contains(place.last_pc)});
    const Prediction prediction = enter(c, place, *loop, context);
    if (prediction.lines != 0) ++predictions_;
    if (prediction.lines != 0 && prediction.of_inner) ++kept_inner_;
  }
  place.last_pc = pc;
}

void LoadScheduler::finished(const ContextTable& contexts, ContextId c) {
  table_.clear(c);
  seen_.reset(c);
  places_[c] = {};
  // A kernel may be unloaded once it has ended.
  if (contexts.valid.none()) loops_.clear();
  classes->ended(c);
}

}  // namespace heddle::sm
