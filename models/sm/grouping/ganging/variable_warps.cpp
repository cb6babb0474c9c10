// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/variable_warps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sm/context_words.h"
#include "sm/grouping/ganging/gang_fetch.h"
#include "sm/grouping/ganging/gang_slots.h"

namespace heddle::sm {

namespace {

using Mode = GangingParameters::Mode;
using PathOrder = GangingParameters::PathOrder;

const GroupingShape& sliced(const GangingParameters& p, const GroupingShape& shape) {
  if (p.mode == Mode::gang_only) {
    if (shape.warp_size != kGangThreads || shape.issue_slots != 1) {
      fail(ExitCode::configuration,
           "sm.variable_warps.mode: gang_only needs sm.warp_size={} and sm.schedulers=1, not {} and {}", kGangThreads,
           shape.warp_size, shape.issue_slots);
    }
    return checked(shape, 1);
  }
  const unsigned slices = shape.warp_size < kGangThreads ? kGangThreads / shape.warp_size : 0;
  if (slices == 0 || shape.issue_slots != slices || shape.simd_width < slices ||
      shape.simd_width / slices > shape.warp_size) {
    fail(ExitCode::configuration,
         "sm.grouping variable_warps: warps of {} threads on {} lanes with {} schedulers; there must be 32/warp_size "
         "slices of at most warp_size lanes, with one scheduler each",
         shape.warp_size, shape.simd_width, shape.issue_slots);
  }
  return distinct(shape, 1);
}

}  // namespace

GroupingTraits VariableWarps::traits(const Parameters& p, const GroupingShape& shape) {
  return {.contexts = shape.threads / shape.warp_size,
          .granule = std::max(kGangThreads, shape.warp_size),
          .span = shape.warp_size,
          .own_warps = true,
          .packets_per_access = p.mode == Mode::gang_only ? 1 : shape.issue_slots};
}

VariableWarps::VariableWarps(const Parameters& p, const GroupingShape& shape, ContextTable& table)
    : StackWarps(sliced(p, shape), table, traits(p, shape)),
      parameters_(p),
      slice_count_(p.mode == Mode::gang_only ? 1 : shape.issue_slots),
      lanes_(slice_count_) {
  const unsigned width = shape.simd_width / slice_count_;
  for (unsigned s = 0; s < slice_count_; ++s) {
    lanes_[s].lanes.set_word(0, LaneMask::first_n(width).word(0) << (s * width));
    lanes_[s].waves = shape.warp_size / width;
  }
  for (unsigned mask = 0; mask < 1u << slice_count_; ++mask) {
    lanes_of_.emplace_back();
    for_each_slice(static_cast<SliceMask>(mask), [&](unsigned s) { lanes_of_.back() |= lanes_[s].lanes; });
  }
}

VariableWarps::~VariableWarps() = default;

void VariableWarps::build(SmSite& site) {
  site_ = &site;
  if (parameters_.mode == Mode::gang_only) return;
  if (!site.parameters.vetoes.names().empty() && parameters_.mode == Mode::mixed) {
    fail(ExitCode::configuration,
         "sm.vetoes: a gang issues whole, so no policy may withhold some of its warps; use none, or mode=slice_only");
  }
  if (barrel() && (parameters_.mode == Mode::mixed || parameters_.l0_bytes != 0)) {
    fail(ExitCode::configuration,
         "sm.shape: {} fetches for gangs and into stores of the slices before it issues, which 'barrel' does not; use "
         "another shape, or mode=slice_only and l0_bytes=0",
         name());
  }
  if (parameters_.mode == Mode::mixed && parameters_.gang_buffer > 1 && !site.parameters.fetch.ahead) {
    // A gang fetches when all of its warps want to, and one with an instruction left would not.
    fail(ExitCode::configuration,
         "sm.fetch.ahead: {} fetches {} instructions ahead for a gang (sm.{}.gang_buffer), which needs true", name(),
         parameters_.gang_buffer, name());
  }
  const unsigned sets = warps_ / slice_count_;
  unit_ = std::make_unique<WarpGangingUnit>("ganging", site, parameters_, WarpGangingUnit::Shape{sets, slice_count_},
                                            table_, name());
  for (unsigned s = 0; s < slice_count_; ++s) {
    slices_.push_back(std::make_unique<Slice>(fmt::format("slice{}", s).c_str(), site,
                                              Slice::Shape{s, slice_count_, sets, parameters_.l0_bytes}, table_,
                                              name()));
    slices_[s]->signals.bind(unit_->signals);
    unit_->slice(s).bind(slices_[s]->overrides);
  }
  if (parameters_.l0_bytes != 0) l0_outputs_ = std::make_unique<L0Outputs>("l0_outputs");
}

std::unique_ptr<IssueScheme> VariableWarps::make_scheme() {
  if (parameters_.mode == Mode::gang_only) return StackWarps::make_scheme();
  return std::make_unique<GangSlots>(*this);
}

std::unique_ptr<FetchScheme> VariableWarps::make_fetch_scheme() {
  if (parameters_.mode == Mode::gang_only || barrel()) return nullptr;
  return std::make_unique<GangFetch>(*this);
}

InstructionStores VariableWarps::instruction_stores() {
  InstructionStores stores;
  if (l0_outputs_ == nullptr) return stores;
  for (const auto& slice : slices_) {
    stores.look_ups.push_back(&slice->l0()->look_ups);
    stores.to_cache.push_back(&slice->l0()->cache);
  }
  stores.look_ups.push_back(&l0_outputs_->look_ups);
  return stores;
}

LanePlan VariableWarps::lanes(ContextId context, const isa::MicroOp&, const ThreadSet&) const {
  return lanes_[context % slice_count_];
}

void VariableWarps::started(ContextId c, const ThreadSet& threads) {
  StackWarps::started(c, threads);
  table_.park(c, false);
  // Whole original gangs start, in the order of their warps.
  if (unit_ == nullptr || c % slice_count_ + 1 != slice_count_) return;
  const unsigned set = unit_->set_of(c);
  const SliceMask live = unit_->slices_in(table_.valid, set);
  unit_->start(set, live);
}

void VariableWarps::moved(ContextId c, std::uint32_t from) {
  const std::uint32_t pc = table_[c].pc;
  if (pc != from + 1 || !table_.valid.test(c)) slices_[unit_->slice_of(c)]->changes_pc(unit_->set_of(c));
  unit_->moved_on(c);
  if (parameters_.sync_wait == 0 || pc == from || !table_.valid.test(c)) return;
  const auto& points = table_[c].kernel->sync_points;
  const auto point = std::lower_bound(points.begin(), points.end(), pc,
                                      [](const isa::SyncPoint& p, std::uint32_t at) { return p.pc < at; });
  if (point != points.end() && point->pc == pc) unit_->hold(c);
}

void VariableWarps::advanced(ContextId c) {
  // The whole company goes on together once it has issued.
  if (packets_ != nullptr && packets_->in_lock_step()) return;
  const std::uint32_t from = table_[c].pc;
  StackWarps::advanced(c);
  if (ganged()) moved(c, from);
}

void VariableWarps::go_on_together(ContextId first, std::uint8_t company, std::uint32_t pc) {
  const std::uint32_t from = table_[first].pc;
  const bool looks_for_others = parameters_.sync_wait != 0, jumps = pc != from + 1;
  unit_->moved_on(first);
  unsigned stay = 0;
  for_each_of(first, company, [&](ContextId c) { stay |= unsigned{!passes(c, pc)} << (c - first); });
  for_each_slice(static_cast<SliceMask>(stay), [&](unsigned i) { reconverges(ContextId(first + i), pc); });
  const bool alike = stay == 0;
  unsigned jumped = alike && jumps ? company : 0u;
  if (alike) {
    add(table_.changed, first / 64, in_word(first, company));
  } else {
    // They are compared again.
    for_each_slice(company, [&](unsigned i) {
      const ContextId c(first + i);
      table_.changed.set(c);
      if (table_[c].pc != from + 1) jumped |= 1u << i;
    });
  }
  if (looks_for_others) {
    for_each_slice(company, [&](unsigned i) { moved(ContextId(first + i), from); });
    return;
  }
  // The unit need be told once.
  const unsigned set = unit_->set_of(first), leader = unit_->slice_of(first);
  bool told = false;
  for_each_slice(static_cast<SliceMask>(jumped), [&](unsigned i) {
    Slice& own = *slices_[leader + i];
    if (!std::exchange(told, true) || own.shows()) own.changes_pc(set);
  });
}

void VariableWarps::branched(ContextId c, const isa::MicroOp& op, const std::vector<Path>& paths) {
  if (packets_ != nullptr && packets_->branched(c)) return;
  branched_alone(c, op, paths);
  if (packets_ != nullptr) packets_->resolve_others(c);
}

Packet* VariableWarps::shown_as(Packet& packet) { return packets_->shown_as(packet); }

void VariableWarps::branched_alone(ContextId c, const isa::MicroOp& op, const std::vector<Path>& paths) {
  const std::uint32_t from = table_[c].pc;
  if (paths.size() < 2 || parameters_.path_order == PathOrder::taken_first) {
    StackWarps::branched(c, op, paths);
  } else {
    // The stack runs the first path first.
    ordered_ = paths;
    const bool larger = parameters_.path_order == PathOrder::larger_first;
    std::stable_sort(ordered_.begin(), ordered_.end(), [&](const Path& a, const Path& b) {
      if (larger && a.threads.count() != b.threads.count()) return a.threads.count() > b.threads.count();
      return a.pc == from + 1 && b.pc != from + 1;
    });
    StackWarps::branched(c, op, ordered_);
  }
  if (ganged()) moved(c, from);
}

void VariableWarps::exited(ContextId c, const ThreadSet& threads) {
  const std::uint32_t from = table_[c].pc;
  StackWarps::exited(c, threads);
  if (unit_ == nullptr) return;
  if (ganged() || !table_.valid.test(c)) moved(c, from);
}

void VariableWarps::waiting_changed(ContextId c, const ThreadSet& awaited) {
  StackWarps::waiting_changed(c, awaited);
  if (!ganged()) return;
  // Waiting warps are told apart from others at the same PC.
  slices_[unit_->slice_of(c)]->changes_pc(unit_->set_of(c));
  unit_->let_go(unit_->set_of(c));
}

std::string VariableWarps::company_of(ContextId c) const {
  if (!ganged()) return {};
  const unsigned set = unit_->set_of(c), way = unit_->table()[set].way_of(unit_->slice_of(c));
  return way == kGangWays ? std::string() : unit_->name_of(set, way);
}

HEDDLE_REGISTER(GroupingUnit, VariableWarps, "variable_warps",
                "narrow warps on independent slices, in gangs that issue in lock step while their threads agree",
                "docs/sources/variable-warp-size.md 2");

}  // namespace heddle::sm
