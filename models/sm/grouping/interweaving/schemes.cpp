// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/schemes.h"

#include <bit>
#include <optional>

#include "isa/branches.h"
#include "isa/execute.h"
#include "isa/operands.h"
#include "sm/blocks/block_site.h"

namespace heddle::sm {

InterweavedSlots::InterweavedSlots(InterweavedWarps& warps, unsigned slots, unsigned sync_cost)
    : warps_(warps), site_(warps.site()), sync_cost_(sync_cost) {
  if (site_.parameters.schedulers != slots) {
    fail(ExitCode::configuration, "sm.schedulers: {} needs {}, not {}", warps.name(), slots,
         site_.parameters.schedulers);
  }
}

void InterweavedSlots::attach(IssueKit& kit) {
  no_partner_ = kit.account().cause("no_partner", "no ready instruction fitted beside that of the first slot");
  if (sync_cost_ != 0)
    marker_ = kit.account().issuing_cause("marker", "the marker of a reconvergence point took the slot");
}

ThreadSet InterweavedSlots::behind(IssueKit& kit, const PacketPlan& plan) const {
  const isa::MicroOp& op = *plan.op;
  if (!warps_.split_parameters().splits_at_memory || isa::is_branch(op) || !warps_.may_split(op)) return {};
  const Context& context = kit.contexts()[plan.context];
  const unsigned line_bits = index_bits(site_.parameters.coalescer.line_bytes);
  std::optional<std::uint64_t> line;
  ThreadSet rest;
  isa::Addresses addresses;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(plan.threads, w);
    if (mask == 0) continue;
    addresses = {};
    addresses.space = op.space;
    isa::compute_addresses(op, context.words[w], mask, addresses);
    // Accesses to the SM's own memories are replayed.
    if (addresses.shared_lanes != 0 || addresses.local_lanes != 0 ||
        (addresses.space != isa::Space::global && addresses.space != isa::Space::generic))
      return {};
    std::uint32_t others = 0;
    isa::for_each_lane(mask, [&](unsigned lane) {
      const std::uint64_t of_lane = addresses.value[lane] >> line_bits;
      if (!line) line = of_lane;
      if (of_lane != *line) others |= 1u << lane;
    });
    rest.set_word32(w, others >> context.shift);
  }
  return rest;
}

void InterweavedSlots::begin(IssueKit& kit, PacketPlan& plan) {
  const ThreadSet rest = behind(kit, plan);
  plan.threads -= rest;
  kit.begin_instruction(plan.context, false,
                        kit.contexts()[plan.context].lane_count - static_cast<std::uint32_t>(rest.count()));
  if (rest.any()) warps_.will_split(plan.context, rest);
}

bool InterweavedSlots::issue(IssueKit& kit, const PacketPlan& whole) {
  if (!kit.arrives(whole.slot, whole.context, whole.threads)) return true;
  PacketPlan plan = whole;
  begin(kit, plan);
  kit.issue(plan);
  return true;
}

bool InterweavedSlots::lacks_row(IssueKit& kit, ContextId c) {
  if (!warps_.lacks_row(c, *kit.contexts()[c].next, kit.now())) return false;
  kit.stay();
  return true;
}

bool InterweavedSlots::takes_marker(IssueKit& kit, IssueSlot slot, ContextId c) {
  if (sync_cost_ == 0 || !warps_.takes_marker(c)) return false;
  kit.charge(slot, marker_);
  return true;
}

bool InterweavedSlots::may_pair(const isa::MicroOp& first, const isa::MicroOp& second) const {
  return warps_.split_parameters().limit == DivergenceLimit::delay_second || !warps_.may_split(first) ||
         !warps_.may_split(second);
}

template <typename Attempt>
ContextId InterweavedSlots::pick_lowest(IssueKit& kit, const ContextSet& candidates, const Attempt& attempt) const {
  ContextSet behind;
  (candidates & warps_.secondaries()).for_each([&](std::size_t c) {
    if (candidates.test(c ^ 1u)) behind.set(c);
  });
  const ContextId lowest = kit.pick(kFirst, kit.order(kFirst), candidates - behind, attempt);
  if (lowest != kNoContext || behind.none()) return lowest;
  return kit.pick(kFirst, kit.order(kFirst), behind, attempt);
}

void FrontierSlot::cycle(IssueKit& kit) {
  kit.begin();
  kit.pick(kFirst, kit.order(kFirst), kit.candidates(slot(kFirst).members), [&](ContextId c) {
    if (lacks_row(kit, c)) return false;
    PacketPlan plan = kit.whole(kFirst, c);
    return kit.place_in_row(plan) && issue(kit, plan);
  });
  warps_.settle();
}

SplitSlots::SplitSlots(InterweavedWarps& warps, const BranchParameters& parameters)
    : InterweavedSlots(warps, 2, parameters.sync_cost),
      scope_(parameters.scope),
      group_(site_.statistics, "coissue"),
      same_row_(group_, "same_row", "second instructions of the first one's warp, in its row", unit::kInstructions),
      same_warp_(group_, "same_warp", "second instructions of the first one's warp, on another unit",
                 unit::kInstructions),
      other_warp_(group_, "other_warp", "second instructions of another warp, on another unit", unit::kInstructions) {}

void SplitSlots::cycle(IssueKit& kit) {
  kit.begin();
  First first;
  const ContextSet all = slot(kFirst).members;
  first.context = pick_lowest(kit, kit.candidates(all), [&](ContextId c) {
    if (lacks_row(kit, c)) return false;
    first.op = kit.contexts()[c].next;
    PacketPlan plan = kit.whole(kFirst, c);
    return kit.place_in_row(plan) && (takes_marker(kit, kFirst, c) || issue(kit, plan));
  });
  if (first.context == kNoContext) {
    kit.charge(kSecond, kit.account().blame(all));
    warps_.settle();
    return;
  }
  const ContextSet own = warps_.contexts_of(kit.contexts()[first.context].warp);
  bool found = false;
  switch (scope_) {
    case BranchParameters::Scope::same_warp:
      found = second(kit, first, own);
      break;
    case BranchParameters::Scope::any_secondary:
      found = second(kit, first, warps_.secondaries());
      break;
    case BranchParameters::Scope::fallback:
      found = second(kit, first, own) || second(kit, first, all - own);
      break;
  }
  if (!found && kit.ready(all).any()) charge_no_partner(kit);
  warps_.settle();
}

bool SplitSlots::second(IssueKit& kit, const First& first, const ContextSet& members) {
  ContextSet candidates = kit.candidates(members);
  candidates.reset(first.context);
  const WarpId warp = kit.contexts()[first.context].warp;
  const isa::Unit unit = kit.unit_of(*first.op);
  return kNoContext != kit.pick(kSecond, kit.order(kSecond), candidates, [&](ContextId c) {
    const isa::MicroOp& op = *kit.contexts()[c].next;
    const bool same_warp = kit.contexts()[c].warp == warp;
    const bool control = kit.unit_of(op) == isa::Unit::control;
    const bool idle = kit.idle(kit.unit_of(op), kit.now());
    // Lanes of one warp are disjoint; the memory stage takes one instruction a cycle.
    const bool row = !idle && same_warp && kit.unit_of(op) == unit && unit != isa::Unit::memory && warps_.shares_rows();
    if ((!idle && !row) || !may_pair(*first.op, op) || lacks_row(kit, c)) return false;
    PacketPlan plan = kit.whole(kSecond, c);
    plan.shares_lanes = row;
    if (!kit.place_in_row(plan)) return false;
    if (takes_marker(kit, kSecond, c)) return true;
    if (!control) ++(row ? same_row_ : same_warp ? same_warp_ : other_warp_);
    return issue(kit, plan);
  });
}

CascadedSlots::CascadedSlots(InterweavedWarps& warps, const LookupParameters& parameters, unsigned sync_cost)
    : InterweavedSlots(warps, 2, sync_cost),
      parameters_(parameters),
      lookup_(make(site_.parameters.blocks.secondary_lookup, LookupShape{warps.warps() * warps.hot()},
                   block_site(site_, "secondary_lookup"))),
      random_(static_cast<std::uint16_t>(site_.seed * 0x9e3779b9u >> 16 | 1)),
      sets_(parameters.sets),
      group_(site_.statistics, "coissue"),
      conflicts_(group_, "conflicts", "instructions that both schedulers picked in one cycle", unit::kInstructions),
      forced_conflicts_(group_, "forced_conflicts", "conflicts where the first scheduler could pick nothing else",
                        unit::kInstructions),
      held_cycles_(group_, "latch_held", "cycles in which a latched instruction waited for its unit", unit::kCycles),
      searches_(group_, "searches", "look-ups of the second scheduler with an instruction that was ready",
                unit::kEvents),
      found_(group_, "found", "look-ups that found an instruction that fits", unit::kEvents),
      same_row_(group_, "same_row", "second instructions in the row of the first one", unit::kInstructions),
      same_warp_(group_, "same_warp", "second instructions of the first one's warp", unit::kInstructions),
      other_unit_(group_, "other_unit", "second instructions on another unit, or without a first one",
                  unit::kInstructions),
      state_(site_.services, site_.path("cascade"), site_.domain()),
      first_pick_(state_.signals.pulse("first", index_bits(kMaxWays), "context that the first scheduler latches")),
      second_pick_(state_.signals.pulse("second", index_bits(kMaxWays), "context that the second scheduler issues")),
      conflict_(state_.signals.pulse("conflict", 1, "both schedulers picked the same instruction")),
      free_lanes_(state_.signals.pulse("free", kMaxWays, "lanes that the first instruction leaves free")) {
  if (site_.parameters.shape != PipelineShape::buffered) {
    fail(ExitCode::configuration, "sm.shape: {} latches an instruction between its schedulers, which needs 'buffered'",
         warps.name());
  }
  if (warps.warps() % parameters.sets != 0) {
    fail(ExitCode::configuration, "sm.{}.sets: {} sets do not divide the SM's {} warps", warps.name(), parameters.sets,
         warps.warps());
  }
  if (parameters.sets % 2 != 0 && parameters.sets != 1 &&
      parameters.set_function == LookupParameters::SetFunction::exclusive_or_one) {
    fail(ExitCode::configuration, "sm.{}.set_function: xor1 needs an even number of sets, not {}", warps.name(),
         parameters.sets);
  }
  for (unsigned w = 0; w < warps.warps(); ++w) sets_[w % parameters.sets] |= warps.contexts_of(WarpId(w));
  state_.signals.show(free_lanes_, Radix::hexadecimal);
  state_.charge_to(warps.name());
  state_.structure("latch", "instruction between the schedulers", 1,
                   {{"context", index_bits(kMaxWays), 1, 1}, {"lanes", 64, 1, 1, false, true}, {"valid", 1, 1, 1}});
  state_
      .structure("search", "inclusion test of each instruction that is searched", warps.warps() / parameters.sets,
                 {{"lanes", 64, 0, 0}})
      .is_logic();
}

void CascadedSlots::attach(IssueKit& kit) {
  InterweavedSlots::attach(kit);
  held_ = kit.account().cause("latch_held", "the latched first instruction waited for its unit");
  discarded_ = kit.account().cause("conflict", "the second scheduler issued what the first one had picked");
}

void CascadedSlots::cycle(IssueKit& kit) {
  kit.begin();
  // The schedulers work side by side: neither sees what the other picks in this cycle.
  const bool passed = pass_on(kit);
  const ContextId first = passed ? pick_first(kit) : kNoContext;
  if (!passed) {
    ++held_cycles_;
    kit.charge(kFirst, held_);
    kit.stay();
  }
  const ContextId second = pick_second(kit, passed);
  if (passed) latch_.context = kNoContext;
  if (first != kNoContext && first == second) {
    ++conflicts_;
    if (!has_other_choice(kit, first)) ++forced_conflicts_;
    kit.charge(kFirst, discarded_);
    latch_.warp = kit.contexts()[first].warp;
    if (state_.signals.on()) state_.signals.fire(conflict_, 1);
  } else if (first != kNoContext) {
    fill_latch(kit, first);
  }
  warps_.settle();
}

bool CascadedSlots::pass_on(IssueKit& kit) {
  if (!latch_.packet) return true;
  if (!kit.place_in_row(latch_.plan)) return false;
  kit.send(*latch_.packet, latch_.plan);
  latch_.packet = {};
  return true;
}

ContextId CascadedSlots::pick_first(IssueKit& kit) {
  return pick_lowest(kit, kit.ready(slot(kFirst).members),
                     [&](ContextId c) { return finds_unit(kit, c) && !lacks_row(kit, c); });
}

bool CascadedSlots::finds_unit(IssueKit& kit, ContextId c) {
  // An instruction that is latched reaches its unit in the next cycle.
  return kit.idle(kit.unit_of(*kit.contexts()[c].next), kit.now() + 1);
}

bool CascadedSlots::has_other_choice(IssueKit& kit, ContextId picked) {
  ContextSet others = kit.ready(slot(kFirst).members);
  others.reset(picked);
  bool found = false;
  others.for_each([&](std::size_t c) {
    found =
        found || (finds_unit(kit, ContextId(c)) && !warps_.lacks_row(ContextId(c), *kit.contexts()[c].next, kit.now()));
  });
  return found;
}

unsigned CascadedSlots::latency_behind_first(IssueKit& kit, const isa::MicroOp& op) const {
  const isa::Unit unit = kit.unit_of(op);
  if (unit == isa::Unit::control || unit == isa::Unit::memory) return 0;
  return std::max(2u, site_.parameters.latency[static_cast<std::size_t>(op.timing_class)].latency) - 1;
}

const ContextSet& CascadedSlots::searched() const {
  using Function = LookupParameters::SetFunction;
  const unsigned set = static_cast<unsigned>(latch_.warp) % parameters_.sets;
  if (parameters_.sets == 1 || parameters_.set_function == Function::same) return sets_[set];
  return sets_[parameters_.set_function == Function::exclusive_or_one ? set ^ 1u : (set + 1) % parameters_.sets];
}

ContextSet CascadedSlots::fitting(IssueKit& kit, const ContextSet& candidates, bool passed) {
  const ContextTable& contexts = kit.contexts();
  const bool beside = passed && latch_.context != kNoContext;
  const isa::Unit unit = beside ? kit.unit_of(*latch_.op) : isa::Unit::control;
  request_.ready = request_.same_unit = 0;
  request_.free = ~std::uint64_t{0};
  if (unit != isa::Unit::control) request_.free = ~latch_.plan.lanes.lanes.word(0);
  candidates.for_each([&](std::size_t c) {
    const isa::MicroOp& op = *contexts[c].next;
    if (beside && !may_pair(*latch_.op, op)) return;
    const std::uint64_t bit = std::uint64_t{1} << c;
    if (!kit.idle(kit.unit_of(op), kit.now())) {
      const bool row = kit.unit_of(op) == unit && warps_.shares_rows() &&
                       (unit != isa::Unit::memory || parameters_.shares_memory_pass);
      if (!row) return;
      request_.same_unit |= bit;
    }
    request_.ready |= bit;
    request_.lanes[c] = warps_.lanes_of(ContextId(c));
  });
  if (request_.ready == 0) return {};
  ++searches_;
  // A 16-bit maximal-length shift register decides ties.
  random_ = static_cast<std::uint16_t>(random_ >> 1 ^ (-(random_ & 1) & 0xb400));
  request_.first = random_ % (warps_.warps() * warps_.hot());
  if (state_.signals.on()) state_.signals.fire(free_lanes_, request_.free);
  const LookupAnswer answer = lookup_->look_up(request_);
  ContextSet fit;
  if (answer.hits == 0) return fit;
  ++found_;
  if (parameters_.policy == LookupParameters::Policy::best_fit) {
    fit.set(answer.best);
  } else {
    for (std::uint64_t hits = answer.hits; hits != 0; hits &= hits - 1)
      fit.set(static_cast<std::size_t>(std::countr_zero(hits)));
  }
  return fit;
}

ContextId CascadedSlots::pick_second(IssueKit& kit, bool passed) {
  const ContextSet& members = searched();
  ContextSet candidates = kit.candidates(members);
  if (latch_.context != kNoContext) {
    candidates.reset(latch_.context);
    if (warps_.hot() == 1) candidates -= warps_.contexts_of(latch_.warp);
  }
  const ContextSet fit = candidates.any() ? fitting(kit, candidates, passed) : ContextSet{};
  const ContextId second = kit.pick(kSecond, kit.order(kSecond), fit, [&](ContextId c) {
    if (lacks_row(kit, c)) return false;
    PacketPlan plan = kit.whole(kSecond, c);
    plan.shares_lanes = (request_.same_unit >> c & 1) != 0;
    if (!kit.place_in_row(plan)) return false;
    if (takes_marker(kit, kSecond, c)) return true;
    plan.latency = latency_behind_first(kit, *plan.op);
    count(kit, c, passed);
    return issue(kit, plan);
  });
  if (second == kNoContext) {
    if (kit.ready(members).any()) charge_no_partner(kit);
  } else if (state_.signals.on()) {
    state_.signals.fire(second_pick_, second);
  }
  return second;
}

void CascadedSlots::count(IssueKit& kit, ContextId c, bool passed) {
  if ((request_.same_unit >> c & 1) != 0) {
    ++same_row_;
  } else {
    ++other_unit_;
  }
  if (passed && latch_.context != kNoContext && kit.contexts()[c].warp == latch_.warp) ++same_warp_;
}

void CascadedSlots::fill_latch(IssueKit& kit, ContextId c) {
  // What the second scheduler issued may have changed the context.
  if (!kit.contexts().ready.test(c) || kit.contexts().changed.test(c)) {
    kit.charge(kFirst, kit.account().blame(slot(kFirst).members));
    return;
  }
  kit.stay();
  if (state_.signals.on()) state_.signals.fire(first_pick_, c);
  latch_.warp = kit.contexts()[c].warp;
  if (takes_marker(kit, kFirst, c)) return;
  PacketPlan plan = kit.whole(kFirst, c);
  if (!kit.arrives(kFirst, c, plan.threads)) return;
  begin(kit, plan);
  latch_.context = c;
  latch_.op = plan.op;
  if (kit.unit_of(*plan.op) == isa::Unit::control) {
    plan.instance = 0;
    kit.issue(plan);
    return;
  }
  plan.latency = latency_behind_first(kit, *plan.op);
  latch_.plan = plan;
  latch_.packet = &kit.latch(plan);
}

}  // namespace heddle::sm
