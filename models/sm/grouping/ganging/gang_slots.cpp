// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_slots.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/collective.h"
#include "sm/context_words.h"
#include "sm/grouping/ganging/access_kind.h"

namespace heddle::sm {

namespace {

/// In a set of units.
constexpr unsigned kMemoryUnit = 1u << static_cast<unsigned>(isa::Unit::memory);

}  // namespace

GangSlots::GangSlots(VariableWarps& warps)
    : warps_(warps),
      unit_(warps.unit()),
      site_(warps.site()),
      ready_gangs_(unit_),
      group_(site_.statistics, "gang_issue"),
      cycles_(group_, "issuing_cycles", "cycles in which an instruction issued", unit::kCycles),
      gangs_(group_, "gangs", "gangs issued", unit::kEvents),
      gang_lanes_(group_, "gang_threads", "threads of instructions that issued with a gang", unit::kThreadInstructions),
      alone_lanes_(group_, "alone_threads", "threads of instructions that a slice issued for a single warp",
                   unit::kThreadInstructions),
      conflicts_(group_, "conflicts",
                 "gangs that could issue but did not, as others took their slices, their kind of "
                 "memory access, or the cycle's number of gangs",
                 unit::kEvents),
      longest_denial_(group_, "longest_denial", "longest time for which gangs kept a slice from a ready single warp",
                      unit::kCycles),
      state_(site_.services, site_.path("gang_slots"), site_.domain()),
      first_(state_.signals.pulse("first_gang", 8, "entry of the gang table that issues first")),
      second_(state_.signals.pulse("second_gang", 8, "entry of the gang table that issues second")),
      slices_ganged_(state_.signals.pulse("gang_slices", kMaxSlices, "slices on which gangs issue")),
      slices_alone_(state_.signals.pulse("alone_slices", kMaxSlices, "slices that issue a single warp")) {
  for (const ContextSet& members : warps.slice_members()) all_ |= members;
  Derived(group_, "active_lanes", "active threads per cycle in which an instruction issued", unit::kRatio,
          [this](const StatisticsView& v) { return v.ratio(gang_lanes_, cycles_) + v.ratio(alone_lanes_, cycles_); });
}

void GangSlots::attach(IssueKit& kit) {
  packets_.emplace(kit, warps_, warps_.parameters().mode != GangingParameters::Mode::slice_only);
  IssueAccount& account = kit.account();
  memory_kind_ = account.cause("memory_kind", "another slice accessed another kind of memory");
  if (warps_.parameters().mode != GangingParameters::Mode::mixed) return;
  ganged_ = account.issuing_cause("ganged", "a warp issued with its gang");
  gang_wait_ = account.cause("gang_wait", "a warp was ready, but another one of its gang was not");
  gang_conflict_ = account.cause("gang_conflict", "a gang was ready, but other gangs issued instead");
  regrouping_ = account.cause("regrouping", "a warp's gang had just been split or formed");
}

void GangSlots::settle(Cycle until) {
  for (std::size_t gang = 0; gang < joined_.size(); ++gang) {
    const std::uint64_t times = std::exchange(joined_[gang], 0);
    if (times != 0)
      for_each_slice(static_cast<SliceMask>(gang), [&](unsigned s) { warps_.slice(s).issued_ganged(times); });
  }
  unit_.settle(until);
}

void GangSlots::cycle(IssueKit& kit) {
  kit.begin();
  unit_.begin(kit);
  kind_ = 0;
  crowded_units_ = 0;
  complete_ = crowded_ = 0;
  accesses_wait_ = false;
  if (kit.contexts().ready.none()) {
    ready_slices_ = 0;
    count_denials(0);
    kit.account().charge_idle(unit_.all_slices());
    return;
  }
  ready_ = kit.ready(all_);
  ready_slices_ = unit_.slices_in(ready_);
  const SliceMask ganged = unit_.sets_with_gangs() != 0 && ready_slices_ != 0 ? issue_gangs(kit) : SliceMask{0};
  const ContextSet singles = kit.contexts().ready & unit_.alone();
  const SliceMask wanting = singles.none() ? SliceMask{0} : unit_.slices_in(singles);
  count_denials(static_cast<SliceMask>(ganged & wanting));
  // Before single warps issue, which may end what another slice waits for: a gang, or a wait at a barrier.
  const auto idle = static_cast<SliceMask>(unit_.all_slices() & ~(ganged | wanting));
  kit.account().charge_idle(charge_gangs(kit, idle));
  unsigned alone = 0;
  const bool crowded = (crowded_units_ & kMemoryUnit) != 0;
  accesses_wait_ = kind_ == 0 && (crowded || (wanting != 0 && !packets_->has_room(isa::Unit::memory, 1)));
  for_each_slice(static_cast<SliceMask>(wanting & ~ganged), [&](unsigned s) {
    if (issue_alone(kit, s, singles & warps_.slice_members()[s])) alone |= 1u << s;
  });
  if ((ganged | alone) == 0) {
    if (accesses_wait_) packets_->await_room(isa::Unit::memory, crowded ? warps_.slices() : 1);
    return;
  }
  ++cycles_;
  if (!state_.signals.on()) return;
  if (ganged != 0) state_.signals.fire(slices_ganged_, ganged);
  if (alone != 0) state_.signals.fire(slices_alone_, alone);
}

void GangSlots::count_denials(SliceMask denied) {
  for_each_slice(static_cast<SliceMask>(denied_slices_ & ~denied), [this](unsigned s) { denied_[s] = 0; });
  for_each_slice(denied, [this](unsigned s) { longest_denial_.record(++denied_[s]); });
  denied_slices_ = denied;
}

SliceMask GangSlots::aged() const {
  const unsigned limit = warps_.parameters().aging;
  unsigned mask = 0;
  for (unsigned s = 0; limit != 0 && s < warps_.slices(); ++s) mask |= unsigned{denied_[s] >= limit} << s;
  return static_cast<SliceMask>(mask);
}

[[gnu::always_inline]] inline void GangSlots::find_gangs(IssueKit& kit) {
  const std::uint64_t changed = std::exchange(issued_sets_, 0) | unit_.take_regrouped();
  if (unit_.regrouping().any()) ready_ -= unit_.regrouping();
  ready_gangs_.update(kit, ready_, changed, candidates_);
  candidates_.ready.clear();
  for (unsigned rest = ready_gangs_.waited_for(); rest != 0; rest &= rest - 1) {
    const auto u = static_cast<unsigned>(std::countr_zero(rest));
    const auto unit = static_cast<isa::Unit>(u);
    const GangSet& gangs = ready_gangs_.waiting_for(unit);
    // All members issue or none: there must be room for whatever else issues.
    if (!packets_->has_room(unit, warps_.slices())) {
      crowded_units_ |= 1u << u;
    } else if (kit.idle(unit, kit.now())) {
      candidates_.ready |= gangs;
    } else {
      gangs.for_each([&](std::size_t entry) {
        const SliceMask gang = unit_.table()[static_cast<unsigned>(entry / kGangWays)].gangs[entry % kGangWays];
        candidates_.ready.assign(entry, kit.parts().units.find(unit, warps_.lanes_of(gang), kit.now()) >= 0);
      });
    }
  }
  complete_ = ready_gangs_.slices(~crowded_units_);
  crowded_ = ready_gangs_.slices(crowded_units_);
}

void GangSlots::remove_awaited(ContextSet& ready) const {
  if (accesses_wait_) packets_->remove_accesses(ready);
  // Warps of gangs that are left wait for others of their gang, which only an event makes ready.
  if ((crowded_units_ & ~kMemoryUnit) == 0) ready &= unit_.alone();
}

[[gnu::always_inline]] inline SliceMask GangSlots::issue_gangs(IssueKit& kit) {
  find_gangs(kit);
  if (complete_ != 0) kit.stay();
  if (candidates_.ready.none()) return 0;
  candidates_.free = static_cast<SliceMask>(unit_.all_slices() & ~aged());
  const GangPicks picks = unit_.pick(candidates_);
  unsigned used = 0;
  for (unsigned i = 0; i < picks.count; ++i) {
    const unsigned entry = picks.entries[i], set = entry / kGangWays;
    const SliceMask gang = unit_.table()[set].gangs[entry % kGangWays];
    if (i < 2 && state_.signals.on()) state_.signals.fire(i == 0 ? first_ : second_, entry);
    if (candidates_.kinds[entry] != 0) kind_ = candidates_.kinds[entry];
    used |= gang;
    issued_sets_ |= std::uint64_t{1} << set;
    issue_gang(kit, set, gang);
  }
  gangs_ += picks.count;
  conflicts_ += candidates_.ready.count() - picks.count;
  return static_cast<SliceMask>(used);
}

PacketPlan GangSlots::plan(IssueKit& kit, unsigned slice, ContextId c) const {
  PacketPlan plan = kit.whole(IssueSlot(slice), c);
  plan.access_group = kit.now();
  return plan;
}

SliceMask GangSlots::arrive(IssueKit& kit, unsigned set, SliceMask gang) {
  // Those that arrive first wait for the others, until the last one completes the meeting for all.
  unsigned passed = 0;
  for (unsigned round = 0; round < 2; ++round) {
    for_each_slice(static_cast<SliceMask>(gang & ~passed), [&](unsigned s) {
      const ContextId c = unit_.context_of(set, s);
      ContextTable& contexts = kit.contexts();
      const Context& context = contexts[c];
      const bool came_back =
          context.next == &context.kernel->ops[context.pc] && !contexts.waits(context.warp, context.threads);
      if (round != 0 && !came_back) return;
      const PacketPlan own = plan(kit, s, c);
      if (kit.arrives(IssueSlot(s), c, own.threads)) passed |= 1u << s;
    });
    if (passed == gang) break;
  }
  return static_cast<SliceMask>(passed);
}

[[gnu::always_inline]] inline void GangSlots::issue_gang(IssueKit& kit, unsigned set, SliceMask gang) {
  // What may join is no collective.
  if (issue_joined(kit, set, gang)) return;
  const ContextId first = unit_.context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{gang})));
  const bool meets = isa::may_meet(*kit.contexts()[first].next);
  const SliceMask issuing = meets ? arrive(kit, set, gang) : gang;
  for_each_slice(issuing, [&](unsigned s) {
    const ContextId c = unit_.context_of(set, s);
    PacketPlan own = plan(kit, s, c);
    // find_gangs() has seen that it fits.
    kit.place(own);
    warps_.slice(s).issues(set);
    kit.charge(own.slot, ganged_);
    gang_lanes_ += static_cast<std::uint64_t>(own.threads.count());
    kit.begin_instruction(c, false);
    packets_->issue_one(own);
  });
  // The others stay behind.
  if (issuing != 0 && issuing != gang) unit_.compare(set);
}

[[gnu::always_inline]] inline bool GangSlots::issue_joined(IssueKit& kit, unsigned set, SliceMask gang) {
  const ContextTable& contexts = kit.contexts();
  const auto leader = static_cast<unsigned>(std::countr_zero(unsigned{gang}));
  const unsigned span = site_.parameters.warp_size;
  const ContextId first = unit_.context_of(set, leader);
  const isa::MicroOp& op = *contexts[first].next;
  if (!packets_->may_join(op)) return false;
  std::uint64_t threads = 0;
  Cycle since = kit.now();
  const auto company = static_cast<std::uint8_t>(gang >> leader);
  for_each_of(first, company, [&](ContextId c) {
    threads |= contexts[c].threads.word(0) << ((c - first) * span);
    since = std::min(since, kit.parts().states.ready_since(c));
  });
  const IssueSlot slot(leader);
  PacketPlan& joined = joined_plan_;
  joined.context = first;
  joined.slot = slot;
  joined.op = &op;
  joined.threads = kit.guarded(first, op, ThreadSet::of_word(threads));
  joined.lanes = {warps_.lanes_of(gang), warps_.waves()};
  joined.company = company;
  joined.access_group = kit.now();
  // Members on their own may find lanes of different instances.
  if (!packets_->may_join(joined) || !kit.place(joined) || joined.instance != 0) return false;
  ++joined_[gang];
  gang_lanes_ += static_cast<std::uint64_t>(joined.threads.count());
  packets_->issue(joined, ganged_, static_cast<std::uint32_t>(std::popcount(threads)), since);
  return true;
}

bool GangSlots::issue_alone(IssueKit& kit, unsigned slice, const ContextSet& singles) {
  const IssueSlot slot(slice);
  kind_conflict_ = false;
  ContextSet candidates = kit.candidates(singles);
  if (accesses_wait_) packets_->remove_accesses(candidates);
  const ContextId issued = kit.pick(slot, kit.order(slot), candidates, [&](ContextId c) {
    const isa::MicroOp& op = *kit.contexts()[c].next;
    const std::uint8_t kind = access_kind(op);
    if (kind != 0 && kind_ != 0 && kind != kind_) {
      kind_conflict_ = true;
      return false;
    }
    const isa::Unit unit = kit.unit_of(op);
    if ((crowded_units_ >> static_cast<unsigned>(unit) & 1) != 0 || !packets_->has_room(unit, 1)) return false;
    PacketPlan own = plan(kit, slice, c);
    if (!kit.place(own)) return false;
    if (!kit.arrives(slot, c, own.threads)) return true;
    kit.begin_instruction(c, false);
    packets_->issue_one(own);
    if (kind != 0) kind_ = kind;
    alone_lanes_ += static_cast<std::uint64_t>(own.threads.count());
    warps_.slice(slice).issued();
    return true;
  });
  if (issued != kNoContext) return true;
  if (kind_conflict_) {
    kit.charge(slot, memory_kind_);
  } else {
    charge_gangs(kit, static_cast<SliceMask>(1u << slice));
  }
  return false;
}

SliceMask GangSlots::charge_gangs(IssueKit& kit, SliceMask slices) {
  // Nothing becomes ready in the course of the cycle.
  if ((slices & ready_slices_) == 0) return slices;
  const ContextSet ready = kit.ready(all_);
  // A slice whose gang waits for room is charged as a single warp would be, to unit_busy.
  const unsigned crowded = crowded_ & ~complete_;
  const unsigned waiting = slices & ~crowded & unit_.slices_in(ready) & ~unit_.slices_in(ready & unit_.alone());
  // While the stage sleeps, the account does not know of gangs.
  if (waiting != 0) kit.stay();
  const unsigned regrouping = unit_.slices_in(ready & unit_.regrouping());
  for_each_slice(static_cast<SliceMask>(waiting), [&](unsigned s) {
    const CauseId cause = (complete_ >> s & 1) != 0    ? gang_conflict_
                          : (regrouping >> s & 1) != 0 ? regrouping_
                                                       : gang_wait_;
    kit.charge(IssueSlot(s), cause);
  });
  return static_cast<SliceMask>(slices & ~waiting);
}

}  // namespace heddle::sm
