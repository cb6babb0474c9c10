// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/warp_ganging_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "sm/blocks/block_site.h"
#include "sm/hazards/checked_hazards.h"

namespace heddle::sm {

namespace {

constexpr std::uint64_t kWaits = std::uint64_t{1} << (kGangPcBits - 1);
constexpr std::uint64_t kAwaitsData = std::uint64_t{1} << (kGangPcBits - 2);

unsigned size_of(SliceMask mask) { return static_cast<unsigned>(std::popcount(mask)); }

}  // namespace

WarpGangingUnit::WarpGangingUnit(sc_core::sc_module_name module_name, SmSite& site, const GangingParameters& parameters,
                                 const Shape& shape, ContextTable& contexts, const std::string& charged_to)
    : sc_module(module_name),
      signals("signals"),
      parameters_(parameters),
      shape_(shape),
      slice_bits_(static_cast<unsigned>(std::countr_zero(shape.slices))),
      all_slices_(static_cast<SliceMask>((1u << shape.slices) - 1)),
      words_((shape.sets * shape.slices + 63) / 64),
      contexts_(contexts),
      gate_(site.gate),
      coalescer_(
          make(site.parameters.blocks.pc_coalescer, PcCoalescerShape{shape.slices}, block_site(site, "pc_coalescer"))),
      issue_table_(make(site.parameters.blocks.gang_issue,
                        GangIssueShape{shape.sets, shape.slices, parameters.gangs_per_cycle, parameters.gang_order},
                        block_site(site, "gang_issue"))),
      table_(shape.sets),
      checked_(CheckedHazards::wanted()),
      group_(site.statistics, "ganging"),
      compares_(group_, "pc_compares", "partitions of an original gang by program counter", unit::kEvents),
      control_splits_(group_, "control_splits", "gangs split because their warps were at different program counters",
                      unit::kEvents),
      memory_splits_(group_, "memory_splits", "gangs split because their warps got their data in different cycles",
                     unit::kEvents),
      merges_(group_, "merges", "gangs formed again from gangs and single warps", unit::kEvents),
      refetches_(group_, "refetches", "merges of parts whose buffered instructions differed", unit::kEvents),
      holds_(group_, "holds", "times a warp waited at a reconvergence point for its original gang", unit::kEvents),
      timeouts_(group_, "hold_timeouts", "of these, times it went on alone", unit::kEvents),
      state_(site.services, site.path(basename()), site.domain()),
      split_(state_.signals.pulse("split", 6, "set of a gang that is split; the last one of a cycle")),
      merge_(state_.signals.pulse("merge", 6, "set of the gang that is formed again")) {
  signals.bind(*this);
  for (unsigned s = 0; s < shape.slices; ++s)
    slices_.push_back(std::make_unique<CallPort<SliceOverrides>>(fmt::format("slice{}", s).c_str()));
  for (unsigned size = 1; size <= shape.slices; ++size) {
    warps_in_.emplace_back(group_, fmt::format("warps_in_{}", size),
                           size == 1 ? std::string("warps that their slice schedules, summed over cycles")
                                     : fmt::format("warps in gangs of {}, summed over cycles", size),
                           unit::kWarpCycles);
  }
  declare(charged_to);
}

void WarpGangingUnit::declare(const std::string& charged_to) {
  state_.charge_to(charged_to);
  const auto members = [this](std::size_t entry) {
    return table_[static_cast<unsigned>(entry / kGangWays)].gangs[entry % kGangWays];
  };
  const auto leader = [this, members](std::size_t entry) {
    return context_of(static_cast<unsigned>(entry / kGangWays),
                      static_cast<unsigned>(std::countr_zero(unsigned{members(entry)})));
  };
  const unsigned entries = shape_.sets * kGangWays;
  Structure& table = state_.traced_structure("gang_table", "gangs, four entries for each original gang", entries,
                                             {{"id", index_bits(entries), 1, 1},
                                              {"mask", kMaxSlices, 1, 1, false, true},
                                              {"pc", kGangPcBits, 1, 1},
                                              {"valid", 1, 1, 1},
                                              {"ready", kMaxSlices, 1, 1, false, true}});
  table.occupied([members](std::size_t entry) { return members(entry) != 0; });
  table.read([this, members, leader](std::size_t entry, std::size_t field) -> std::uint64_t {
    const SliceMask mask = members(entry);
    if (field == 0 || mask == 0) return field == 0 ? entry : 0;
    const auto set = static_cast<unsigned>(entry / kGangWays);
    const auto waits = static_cast<unsigned>(slices_in(contexts_.hazard, set) | slices_in(contexts_.long_latency, set));
    switch (field) {
      case 1:
        return mask;
      case 2:
        return contexts_[leader(entry)].pc;
      case 3:
        return (slices_in(contexts_.buffered, set) & mask) == mask;
      default:
        return mask & ~waits;
    }
  });
  state_
      .structure("pc_compare", "comparison of the program counters of two warps of an original gang",
                 std::size_t{shape_.slices} * (shape_.slices - 1) / 2, {{"equal", kGangPcBits, 0, 0}})
      .is_logic();
  for (unsigned size = 1; size <= shape_.slices; ++size) {
    state_.signals.add(
        fmt::format("warps_in_{}", size), 9,
        size == 1 ? std::string("warps that their slice schedules") : fmt::format("warps in gangs of {}", size),
        [this, size] { return warps_in_[size - 1].level(); });
  }
}

template <typename Change>
void WarpGangingUnit::change(unsigned set, Change&& change) {
  const GangSetState before = table_[set];
  change();
  const GangSetState& after = table_[set];
  for (unsigned way = 0; way < kGangWays; ++way) {
    if (before.gangs[way] != after.gangs[way]) issue_table_->write(set * kGangWays + way, after.gangs[way]);
  }
  for_each_slice(static_cast<SliceMask>(before.alone ^ after.alone), [&](unsigned s) {
    const bool alone = (after.alone >> s & 1) != 0;
    (*slices_[s])->hand_over(set, alone);
    single_.assign(context_of(set, s), alone);
  });
  alone_ = single_ - settling_;
  const std::uint64_t bit = std::uint64_t{1} << set;
  with_gangs_ = after.live() != after.alone ? with_gangs_ | bit : with_gangs_ & ~bit;
  in_parts_ = after.items() > 1 ? in_parts_ | bit : in_parts_ & ~bit;
  stale_ |= bit;
  unreported_ |= bit;
  regrouped_ |= bit;
  count_sizes(before, after);
}

void WarpGangingUnit::count_sizes(const GangSetState& before, const GangSetState& after) {
  const Cycle now = gate_.now();
  const auto add = [&](unsigned size, int warps) {
    if (size == 0) return;
    LevelTime& level = warps_in_[size - 1];
    level.set(now, level.level() + static_cast<std::uint64_t>(static_cast<std::int64_t>(warps)));
  };
  const int alone = static_cast<int>(size_of(after.alone)) - static_cast<int>(size_of(before.alone));
  if (alone != 0) add(1, alone);
  for (unsigned way = 0; way < kGangWays; ++way) {
    if (before.gangs[way] == after.gangs[way]) continue;
    add(size_of(before.gangs[way]), -static_cast<int>(size_of(before.gangs[way])));
    add(size_of(after.gangs[way]), static_cast<int>(size_of(after.gangs[way])));
  }
}

void WarpGangingUnit::start(unsigned set, SliceMask live) {
  issue_table_->start(set);
  for (unsigned s = 0; s < shape_.slices; ++s) {
    const ContextId c = context_of(set, s);
    settling_.reset(c);
    if (held_.test(c)) end_hold(c);
  }
  changed_ &= ~(std::uint64_t{1} << set);
  change(set, [&] {
    table_.start(set, live);
    if (parameters_.mode == GangingParameters::Mode::slice_only) table_.dissolve(set, live);
  });
}

void WarpGangingUnit::pc_changed(unsigned, unsigned set) {
  changed_ |= std::uint64_t{1} << set;
  stale_ |= std::uint64_t{1} << set;
}

void WarpGangingUnit::settle(Cycle until) {
  for (LevelTime& warps : warps_in_) warps.settle(until);
  for (const auto& slice : slices_) (*slice)->settle(until);
}

void WarpGangingUnit::begin(IssueKit& kit) {
  if (settling_.any()) finish_settling();
  for_each_set(changed_, [this](unsigned set) { split_by_pc(set); });
  if (parameters_.memory_split != GangingParameters::MemorySplit::none && contexts_.long_latency.any())
    for_each_set(with_gangs_, [this](unsigned set) { split_on_memory(set); });
  if (holding_ != 0) release_holds();
  if (parameters_.reforms()) {
    const auto set = static_cast<unsigned>(gate_.now() % shape_.sets);
    if (may_merge(set)) reform(kit, set);
  }
  if (settling_.any()) kit.stay();
  if (unreported_ != 0 && kit.sm().watch != nullptr) report(*kit.sm().watch);
  if (checked_) {
    for (unsigned set = 0; set < shape_.sets; ++set) check(set);
  }
}

std::uint64_t WarpGangingUnit::key_of(ContextId c) const {
  const Context& context = contexts_[c];
  return context.pc | (contexts_.waits(context.warp, context.threads) ? kWaits : 0);
}

void WarpGangingUnit::split_by_pc(unsigned set) {
  const auto live = slices_in(contexts_.valid, set);
  if (const auto gone = static_cast<SliceMask>(table_[set].live() & ~live); gone != 0)
    change(set, [&] { table_.leave(set, gone); });
  const auto branching = slices_in(contexts_.branch, set);
  bool later = false;
  for (const SliceMask gang : GangSetState(table_[set]).gangs) {
    if (gang == 0) continue;
    if ((gang & branching) != 0) {
      // All members report before the gang is compared.
      later = true;
      continue;
    }
    CoalescePcs request{.members = gang, .pcs = {}};
    for_each_slice(gang, [&](unsigned s) { request.pcs[s] = key_of(context_of(set, s)); });
    const PcGroups groups = coalescer_->partition(request);
    ++compares_;
    if (groups.gangs[0] == gang) continue;
    ++control_splits_;
    if (state_.signals.on()) state_.signals.fire(split_, set);
    change(set, [&] { table_.regroup(set, groups); });
    settle_for(set, gang, parameters_.split_latency);
  }
  if (!later) changed_ &= ~(std::uint64_t{1} << set);
}

void WarpGangingUnit::split_on_memory(unsigned set) {
  const SliceMask awaits = slices_in(contexts_.long_latency, set);
  const auto waits = static_cast<SliceMask>(awaits | slices_in(contexts_.hazard, set));
  if (awaits == 0) return;
  for (const SliceMask gang : GangSetState(table_[set]).gangs) {
    const auto ready = static_cast<SliceMask>(gang & ~waits);
    if (gang == 0 || ready == 0 || ready == gang || (gang & waits & ~awaits) != 0) continue;
    ++memory_splits_;
    if (state_.signals.on()) state_.signals.fire(split_, set);
    change(set, [&] {
      if (parameters_.memory_split == GangingParameters::MemorySplit::impatient) {
        table_.dissolve(set, gang);
      } else {
        table_.divide(set, gang, ready);
      }
    });
    settle_for(set, gang, parameters_.split_latency);
  }
}

bool WarpGangingUnit::may_merge(unsigned set) const {
  const std::uint64_t bit = std::uint64_t{1} << set;
  // Readiness changes without a move.
  return (in_parts_ & (parameters_.compares_readiness() ? bit : stale_ & bit)) != 0;
}

void WarpGangingUnit::reform(IssueKit& kit, unsigned set) {
  const GangSetState& of = table_[set];
  const SliceMask branching = slices_in(contexts_.branch, set);
  const SliceMask awaits = slices_in(contexts_.long_latency, set);
  const auto waits = static_cast<SliceMask>(awaits | slices_in(contexts_.hazard, set));
  CoalescePcs request;
  bool later = false;
  const auto add = [&](SliceMask item) {
    const auto leader = static_cast<unsigned>(std::countr_zero(unsigned{item}));
    const ContextId context = context_of(set, leader);
    const bool moves = (item & branching) != 0 || settling_.test(context);
    later = later || moves;
    if (moves) return;
    std::uint64_t key = key_of(context);
    if (parameters_.compares_readiness()) {
      const bool some_wait = (item & waits) != 0;
      if (some_wait && (item & ~awaits) != 0) return;
      if (some_wait) key |= kAwaitsData;
    }
    request.members = static_cast<SliceMask>(request.members | 1u << leader);
    request.pcs[leader] = key;
  };
  for (const SliceMask gang : of.gangs) {
    if (gang != 0) add(gang);
  }
  for_each_slice(of.alone, [&](unsigned s) { add(static_cast<SliceMask>(1u << s)); });
  if (!later) stale_ &= ~(std::uint64_t{1} << set);
  if (size_of(request.members) < 2) return;
  ++compares_;
  const SliceMask parts = items_to_merge(of, coalescer_->partition(request), parameters_.merge_items);
  if (parts != 0) merge(kit, set, parts);
}

void WarpGangingUnit::merge(IssueKit& kit, unsigned set, SliceMask parts) {
  ++merges_;
  if (state_.signals.on()) state_.signals.fire(merge_, set);
  equalize_buffers(kit, set, parts);
  change(set, [&] { table_.merge(set, parts); });
  // A hold goes on, until the first of the parts would have gone on.
  Cycle until = kNever;
  for_each_slice(parts, [&](unsigned s) {
    if (const ContextId c = context_of(set, s); held_.test(c)) until = std::min(until, held_until_[c]);
  });
  for_each_slice(parts, [&](unsigned s) {
    const ContextId c = context_of(set, s);
    if (held_.test(c)) held_until_[c] = until;
  });
  settle_for(set, parts, parameters_.reform_latency);
}

void WarpGangingUnit::equalize_buffers(IssueKit& kit, unsigned set, SliceMask members) {
  const auto first = context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{members})));
  InstructionSupply& supply = kit.parts().supply;
  const InstructionBuffers::Range& buffer = supply.buffers()[first];
  bool same = true;
  for_each_slice(members, [&](unsigned s) { same = same && supply.buffers()[context_of(set, s)] == buffer; });
  if (same && buffer.requested == 0) return;
  ++refetches_;
  for_each_slice(members, [&](unsigned s) {
    const ContextId c = context_of(set, s);
    supply.launched(c);
    kit.contexts().changed.set(c);
  });
}

void WarpGangingUnit::hold(ContextId c) {
  // A warp that is waited for does not wait.
  if (contexts_.waits(contexts_[c].warp, contexts_[c].threads)) return;
  ++holds_;
  held_.set(c);
  held_until_[c] = gate_.now() + parameters_.sync_wait;
  holding_ |= std::uint64_t{1} << set_of(c);
  contexts_.park(c, true);
}

void WarpGangingUnit::end_hold(ContextId c) {
  held_.reset(c);
  contexts_.park(c, false);
}

void WarpGangingUnit::let_go(unsigned set) {
  for_each_slice(slices_in(held_, set), [&](unsigned s) { end_hold(context_of(set, s)); });
}

void WarpGangingUnit::release_holds() {
  const Cycle now = gate_.now();
  for_each_set(holding_, [&](unsigned set) {
    const SliceMask held = slices_in(held_, set);
    const SliceMask live = slices_in(contexts_.valid, set);
    bool together = (slices_in(contexts_.branch, set) & live) == 0;
    std::uint32_t pc = 0;
    for_each_slice(held, [&](unsigned s) { pc = contexts_[context_of(set, s)].pc; });
    for_each_slice(live, [&](unsigned s) { together = together && contexts_[context_of(set, s)].pc == pc; });
    for_each_slice(held, [&](unsigned s) {
      const ContextId c = context_of(set, s);
      if (!together && held_until_[c] > now) return;
      if (!together) ++timeouts_;
      end_hold(c);
    });
    if (slices_in(held_, set) == 0) holding_ &= ~(std::uint64_t{1} << set);
  });
}

void WarpGangingUnit::settle_for(unsigned set, SliceMask members, unsigned latency) {
  if (latency == 0) return;
  for_each_slice(members, [&](unsigned s) {
    const ContextId c = context_of(set, s);
    settling_.set(c);
    settled_at_[c] = gate_.now() + latency;
  });
  alone_ = single_ - settling_;
}

void WarpGangingUnit::finish_settling() {
  const Cycle now = gate_.now();
  const ContextSet all = settling_;
  all.for_each([&](std::size_t c) {
    if (settled_at_[c] <= now) settling_.reset(c);
  });
  alone_ = single_ - settling_;
}

std::string WarpGangingUnit::name_of(unsigned set, unsigned way) const {
  const SliceMask gang = table_[set].gangs[way];
  std::string members;
  for (unsigned first = 0; first < shape_.slices; ++first) {
    if ((gang >> first & 1) == 0) continue;
    unsigned last = first;
    while ((gang >> (last + 1) & 1) != 0) ++last;
    members += fmt::format(" c{}", context_of(set, first));
    if (last != first) members += fmt::format("-{}", context_of(set, last));
    first = last;
  }
  return fmt::format("gang {}.{}{}", set, way, members);
}

void WarpGangingUnit::report(SmWatch& watch) {
  for_each_set(std::exchange(unreported_, 0), [&](unsigned set) {
    const GangSetState& of = table_[set];
    GroupParts told{
        .group = set, .first = context_of(set, 0), .name = fmt::format("gang {}", set), .how = {}, .parts = {}};
    std::vector<unsigned> sizes(size_of(of.alone), 1);
    for (unsigned way = 0; way < kGangWays; ++way) {
      if (of.gangs[way] == 0) continue;
      sizes.push_back(size_of(of.gangs[way]));
      told.parts += name_of(set, way) + "; ";
    }
    for_each_slice(of.alone, [&](unsigned s) { told.parts += fmt::format("c{} alone; ", context_of(set, s)); });
    if (!told.parts.empty()) told.parts.resize(told.parts.size() - 2);
    std::sort(sizes.rbegin(), sizes.rend());
    told.how = fmt::format("{}", fmt::join(sizes, "+"));
    watch.regrouped(told);
  });
}

Cycle WarpGangingUnit::next_event(Cycle now) const {
  Cycle next = kNever;
  if (parameters_.reforms()) {
    const std::uint64_t candidates = in_parts_ & (parameters_.compares_readiness() ? ~std::uint64_t{0} : stale_);
    for_each_set(candidates, [&](unsigned set) {
      const Cycle wait = (set + shape_.sets - (now + 1) % shape_.sets) % shape_.sets;
      next = std::min(next, now + 1 + wait);
    });
  }
  held_.for_each([&](std::size_t c) { next = std::min(next, std::max(held_until_[c], now + 1)); });
  return next;
}

void WarpGangingUnit::check(unsigned set) const {
  const GangSetState& of = table_[set];
  unsigned seen = of.alone;
  for (const SliceMask gang : of.gangs) {
    const bool wrong = (gang & seen) != 0 || std::has_single_bit(gang);
    if (wrong) fail(ExitCode::internal, "{}: the gangs of set {} overlap, or one has a single warp", name(), set);
    seen |= gang;
    if ((changed_ >> set & 1) != 0 || gang == 0) continue;
    const ContextId first = context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{gang})));
    for_each_slice(gang, [&](unsigned s) {
      if (contexts_[context_of(set, s)].pc != contexts_[first].pc)
        fail(ExitCode::internal, "{}: a gang of set {} has warps at different program counters", name(), set);
    });
  }
  if ((changed_ >> set & 1) == 0 && seen != slices_in(contexts_.valid, set))
    fail(ExitCode::internal, "{}: the gangs of set {} are not its live warps", name(), set);
}

}  // namespace heddle::sm
