// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/interweaved_warps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/branches.h"
#include "sm/hazards/checked_hazards.h"
#include "sm/sm_events.h"

namespace heddle::sm {

namespace {

constexpr unsigned kMaxWarpThreads = 64;

ThreadSet as_set(std::uint64_t threads) {
  ThreadSet set;
  set.set_word(0, threads);
  return set;
}

const isa::SyncPoint* sync_point_at(const isa::Kernel& kernel, std::uint32_t pc) {
  const auto& points = kernel.sync_points;
  const auto point = std::lower_bound(points.begin(), points.end(), pc,
                                      [](const isa::SyncPoint& p, std::uint32_t at) { return p.pc < at; });
  return point == points.end() || point->pc != pc ? nullptr : &*point;
}

const GroupingShape& narrow_enough(const GroupingShape& shape, unsigned hot) {
  if (shape.warp_size > kMaxWarpThreads) {
    fail(ExitCode::configuration, "sm.warp_size: interweaved warps have at most {} threads, not {}", kMaxWarpThreads,
         shape.warp_size);
  }
  if (const unsigned contexts = shape.threads / shape.warp_size * hot; contexts > kMaxWays) {
    fail(ExitCode::configuration,
         "sm.residency.threads: interweaved warps have at most {} hot contexts in an SM, not {}", kMaxWays, contexts);
  }
  return checked(shape, hot);
}

}  // namespace

GroupingTraits InterweavedWarps::traits_for(unsigned hot, const GroupingShape& shape) {
  GroupingTraits traits{
      .contexts = hot * (shape.threads / shape.warp_size), .granule = shape.warp_size, .span = shape.warp_size};
  // Threads move between the contexts of a warp while their instructions are in flight.
  if (hot > 1) traits.needs = {Feature::hazards_by_thread};
  return traits;
}

InterweavedWarps::InterweavedWarps(const Options& options, const GroupingShape& shape, ContextTable& table)
    : GroupingUnit(table, traits_for(options.hot, shape)),
      shape_(narrow_enough(shape, options.hot)),
      options_(options),
      warps_(shape.threads / shape.warp_size),
      slots_(warps_, shape.warp_size),
      place_(warps_, {0, 1}),
      age_(warps_),
      key_(warps_),
      awaited_(warps_),
      checked_heap_(CheckedHazards::wanted()),
      reference_(checked_heap_ ? warps_ : 0) {
  for (unsigned w = 0; w < warps_; ++w) key_[w] = lane_key(options.row.shuffle, w, shape.warp_size, warps_);
}

InterweavedWarps::~InterweavedWarps() = default;

void InterweavedWarps::build(SmSite& site) {
  const TableParameters& p = options_.tables;
  const bool exact = p.heap == TableParameters::Heap::exact;
  cold_table_ = std::make_unique<ColdContextTable>(
      "cold_contexts", site,
      ColdShape{.warps = warps_, .entries = p.cold_entries, .walk_cycles = p.walk_cycles, .exact = exact}, *this,
      name());
  hot_table_ = std::make_unique<HotContextTable>(
      "hot_contexts", site,
      HotShape{.warps = warps_, .hot = options_.hot, .head_swap = p.head_swap || exact, .exact = exact},
      shape_.warp_size, *this, name());
  hot_table_->cold.bind(cold_table_->call);
  hot_ = hot_table_->call.operator->();
  cold_ = cold_table_->call.operator->();
  site_ = &site;
  coalesced_ = std::make_unique<Level<std::vector<std::uint64_t>>>(site.gate.domain());
  group_.emplace(site.statistics, "interweaving");
  memory_splits_.emplace(*group_, "memory_splits", "memory accesses whose later lines issued as a split of their own",
                         unit::kEvents);
  full_waits_.emplace(*group_, "full_waits", "cycles in which an instruction waited for a free row for its split",
                      unit::kCycles);
  suspended_cycles_.emplace(*group_, "suspensions",
                            "times a split at a reconvergence point began to wait for the other one", unit::kEvents);
}

void InterweavedWarps::subscribe(SmEvents& events) {
  if (!options_.splits.splits_at_memory) return;
  events.issued.add([this](const Packet& packet) {
    if (rest_[packet.context] != 0) split_issue_[packet.context] = packet.issue_id;
  });
  events.coalesced.add([this](const Packet& packet, std::size_t) {
    std::vector<std::uint64_t>& list = coalesced_->latest();
    if (coalesced_at_ != site_->gate.now()) list.clear();
    coalesced_at_ = site_->gate.now();
    list.push_back(packet.issue_id);
  });
}

void InterweavedWarps::declare_state(ModuleState& state) {
  state.signals.add("new_splits", 8, "splits that have not been sorted yet", [this] { return new_splits_.size(); });
  if (options_.hot > 1) {
    state.show_set("suspended", warps_ * options_.hot, "splits that wait at their reconvergence point", table_.parked);
  }
  constexpr unsigned kColdBits = 128 * 104;
  const unsigned hot_bits = options_.hot == 2 ? 201 : 104;
  state.publish(
      {name(), "hot and cold context table",
       fmt::format("docs/sources/branch-and-warp-interweaving.md 6, table 3: {} bits per warp, 128 x 104 bits",
                   hot_bits),
       hot_bits * warps_ + kColdBits});
}

void InterweavedWarps::launch(const Placement& placement) {
  slots_.launch(placement, [&](WarpId warp, std::uint32_t first, unsigned threads) {
    const ThreadSet all = ThreadSet::first_n(threads);
    hot_->start(warp, all.word(0));
    if (checked_heap_) reference_[warp].start(0, all);
    age_[warp] = next_age_++;
    awaited_[warp] = 0;
    place_[warp] = {0, 1};
    for (unsigned i = 0; i < options_.hot; ++i) {
      const ContextId context(warp * options_.hot + i);
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = warp;
      table_.park(context, false);
      table_.set(context, 0, i == 0 ? all : ThreadSet{});
      placement.contexts->push_back(context);
    }
    publish(warp, {1, 2});
  });
}

LanePlan InterweavedWarps::lanes(ContextId context, const isa::MicroOp&, const ThreadSet&) const {
  // The lanes of all threads of the path: a scheduler does not know which guards hold.
  const std::uint64_t row = lanes_of(context);
  LaneMask lanes;
  lanes.set_word(0, row);
  // A warp wider than the row passes over the same lanes in waves.
  if (shape_.simd_width < kMaxWarpThreads) {
    std::uint64_t folded = 0;
    for (unsigned t = 0; t < shape_.warp_size; t += shape_.simd_width) folded |= row >> t;
    lanes.set_word(0, folded & ((std::uint64_t{1} << shape_.simd_width) - 1));
  }
  return {lanes, shape_.warp_size / shape_.simd_width};
}

std::uint64_t InterweavedWarps::lanes_of(ContextId context) const {
  return shuffled(threads_of(context), key_[warp_of(context)]);
}

ContextSet InterweavedWarps::contexts_of(WarpId warp) const {
  ContextSet set;
  for (unsigned i = 0; i < options_.hot; ++i) set.set(warp * options_.hot + i);
  return set;
}

unsigned InterweavedWarps::slot_of(ContextId context) const {
  return place_[warp_of(context)][0] == context % options_.hot ? 0 : 1;
}

void InterweavedWarps::put(ContextId context, std::uint32_t pc, std::uint64_t threads) {
  const WarpId warp = warp_of(context);
  hot_->put(warp, slot_of(context), pc, threads);
  dirty_.set(warp);
  // Not to be chosen again before it has been sorted.
  table_.changed.set(context);
}

void InterweavedWarps::add_split(WarpId warp, std::uint32_t pc, std::uint64_t threads) {
  new_splits_.push_back({warp, pc, threads});
  dirty_.set(warp);
}

void InterweavedWarps::moved(WarpId warp, std::uint64_t threads) {
  for (std::size_t i = 0; i < apart_.size();) {
    if (apart_[i].warp != warp || (apart_[i].before & threads) == 0) {
      ++i;
      continue;
    }
    add_split(warp, apart_[i].pc, apart_[i].threads);
    apart_.erase(apart_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void InterweavedWarps::advanced(ContextId context) {
  if (rest_[context] != 0) {
    // Which threads go on is known when the access has been coalesced.
    splitting_.set(context);
    table_.park(context, true);
    return;
  }
  const WarpId warp = warp_of(context);
  const std::uint64_t threads = threads_of(context);
  put(context, table_[context].pc + 1, threads);
  if (checked_heap_) reference_[warp].move(as_set(threads), table_[context].pc + 1);
  if (!apart_.empty()) moved(warp, threads);
}

void InterweavedWarps::branched(ContextId context, const isa::MicroOp&, const std::vector<Path>& paths) {
  const WarpId warp = warp_of(context);
  const std::uint64_t threads = threads_of(context);
  const auto lowest =
      std::min_element(paths.begin(), paths.end(), [](const Path& a, const Path& b) { return a.pc < b.pc; });
  put(context, lowest->pc, lowest->threads.word(0));
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (path != lowest) add_split(warp, path->pc, path->threads.word(0));
  }
  if (checked_heap_) {
    reference_[warp].remove(as_set(threads));
    for (const Path& path : paths) reference_[warp].insert(path.pc, path.threads);
  }
  if (!apart_.empty()) moved(warp, threads);
}

void InterweavedWarps::exited(ContextId context, const ThreadSet& threads) {
  const WarpId warp = warp_of(context);
  const std::uint64_t all = threads_of(context), staying = all & ~threads.word(0);
  put(context, table_[context].pc + 1, staying);
  if (checked_heap_) {
    reference_[warp].remove(threads);
    if (staying != 0) reference_[warp].move(as_set(staying), table_[context].pc + 1);
  }
  if (!apart_.empty()) moved(warp, all);
}

void InterweavedWarps::waiting_changed(ContextId context, const ThreadSet& awaited) {
  const WarpId warp = warp_of(context);
  awaited_[warp] = awaited.word(0);
  dirty_.set(warp);
}

bool InterweavedWarps::part_waiting(ContextId context, const ThreadSet& waiting) {
  const WarpId warp = warp_of(context);
  const std::uint64_t others = threads_of(context) & ~waiting.word(0);
  apart_.push_back({warp, table_[context].pc, waiting.word(0), others});
  put(context, table_[context].pc, others);
  table_.set(context, table_[context].pc, as_set(others));
  return true;
}

void InterweavedWarps::waiting_paths(ContextId context, std::vector<Path>& paths) const {
  const WarpId warp = warp_of(context);
  cold_->contents().for_each(warp, [&](const SplitContext& split) {
    paths.push_back({split.pc, as_set(split.threads)});
  });
  for (const Apart& split : apart_) {
    if (split.warp == warp) paths.push_back({split.pc, as_set(split.threads)});
  }
  for (const NewSplit& split : new_splits_) {
    if (split.warp == warp) paths.push_back({split.pc, as_set(split.threads)});
  }
}

bool InterweavedWarps::begin_cycle() {
  cold_->cycle();
  if (lacking_.any() && !cold_->full()) lacking_.clear();
  if (splitting_.any()) finish_memory_splits();
  if (!new_splits_.empty()) {
    // One new split a cycle.
    const NewSplit split = new_splits_.front();
    new_splits_.pop_front();
    dirty_.reset(split.warp);
    settle(split.warp, {true, false, split.pc, split.threads});
  }
  settle();
  return dirty_.any() || !new_splits_.empty() || cold_->busy() || splitting_.any() || lacking_.any();
}

void InterweavedWarps::finish_memory_splits() {
  const std::vector<std::uint64_t>& coalesced = coalesced_->read();
  const ContextSet waiting = splitting_;
  waiting.for_each([&](std::size_t c) {
    const ContextId context(c);
    if (std::find(coalesced.begin(), coalesced.end(), split_issue_[context]) == coalesced.end()) return;
    splitting_.reset(context);
    const std::uint64_t rest = std::exchange(rest_[context], 0);
    const std::uint64_t served = threads_of(context) & ~rest;
    const WarpId warp = warp_of(context);
    const std::uint32_t pc = table_[context].pc;
    ++*memory_splits_;
    // Those that stay keep the context and with it the buffered instruction.
    table_.park(context, false);
    put(context, pc, rest);
    add_split(warp, pc + 1, served);
    if (checked_heap_) reference_[warp].move(as_set(served), pc + 1);
    if (!apart_.empty()) moved(warp, served);
  });
}

void InterweavedWarps::settle() {
  if (dirty_.none()) return;
  const ContextSet dirty = dirty_;
  dirty_.clear();
  dirty.for_each([this](std::size_t warp) { settle(WarpId(warp), {}); });
}

void InterweavedWarps::settle(WarpId warp, const SplitContext& fresh) {
  std::array<bool, 2> held{};
  for (unsigned i = 0; i < options_.hot; ++i) held[i] = pinned(context_of(warp, i));
  const HotContexts::Settled settled = hot_->settle(warp, fresh, held);
  if (settled.again) dirty_.set(warp);
  publish(warp, settled.sources);
  if (checked_heap_) check(warp);
}

void InterweavedWarps::publish(WarpId warp, const std::array<std::uint8_t, 2>& sources) {
  const HotContexts::Row& row = hot_->row(warp);
  const unsigned hot = options_.hot;
  if (hot == 1) {
    const ContextId context(warp.number());
    table_.set(context, row[0].valid ? row[0].pc : 0, as_set(row[0].threads));
    table_.age[context] = age_[warp];
    return;
  }
  // A split keeps its context, so that its buffered instruction and its hazards stay with it. If two have merged, the
  // context that waited here has the instruction.
  std::array<std::uint8_t, 2> place{2, 2};
  std::array<bool, 2> taken{};
  for (unsigned i = 0; i < 2; ++i) {
    if (!row[i].valid) continue;
    for (unsigned before = 0; before < 2; ++before) {
      if ((sources[i] >> before & 1) == 0) continue;
      const std::uint8_t number = place_[warp][before];
      if (taken[number]) continue;
      if (place[i] == 2 || table_[ContextId(2 * warp + number)].pc == row[i].pc) {
        if (place[i] != 2) taken[place[i]] = false;
        place[i] = number;
        taken[number] = true;
      }
    }
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (place[i] != 2) continue;
    place[i] = taken[0] ? 1 : 0;
    taken[place[i]] = true;
  }
  place_[warp] = place;
  const bool suspend = options_.constraints && suspended(warp);
  for (unsigned i = 0; i < 2; ++i) {
    const ContextId context = context_of(warp, i);
    if (table_[context].pc != row[i].pc) marked_.reset(context);
    table_.set(context, row[i].valid ? row[i].pc : 0, as_set(row[i].threads));
    const bool waits = suspend && i == 1;
    if (waits && !table_.parked.test(context)) ++*suspended_cycles_;
    table_.park(context, waits || splitting_.test(context));
    secondaries_.assign(context, row[i].valid && i == 1);
    table_.age[context] = 2 * age_[warp] + i;
  }
}

bool InterweavedWarps::suspended(WarpId warp) const {
  const HotContexts::Row& row = hot_->row(warp);
  if (!row[1].valid || (awaited_[warp] & row[1].threads) != 0) return false;
  const isa::SyncPoint* const point = sync_point_at(*table_[context_of(warp, 0)].kernel, row[1].pc);
  return point != nullptr && waits_at(*point, row[0].pc);
}

bool InterweavedWarps::waits(WarpId warp, std::uint64_t threads) const { return table_.waits(warp, as_set(threads)); }

bool InterweavedWarps::may_split(const isa::MicroOp& op) const {
  const bool whole = !options_.splits.splits_at_memory;
  if (op.uniformity == isa::Uniformity::always || (whole && op.uniformity == isa::Uniformity::whole_accesses))
    return false;
  if (op.opcode == isa::Opcode::bra) return op.guard.present();
  if (op.opcode == isa::Opcode::brx) return true;
  return !whole && (op.opcode == isa::Opcode::ld || op.opcode == isa::Opcode::st);
}

bool InterweavedWarps::lacks_row(ContextId context, const isa::MicroOp& op, Cycle now) {
  const bool lacks = cold_->full() && may_split(op) && hot_->row(warp_of(context))[options_.hot - 1].valid;
  if (!lacks) {
    lacking_.reset(context);
    return false;
  }
  if (!lacking_.test(context)) {
    lacking_.set(context);
    lacks_since_[context] = now;
  }
  if (now - lacks_since_[context] >= options_.tables.full_wait) return false;
  ++*full_waits_;
  return true;
}

bool InterweavedWarps::takes_marker(ContextId context) {
  if (marked_.test(context) || sync_point_at(*table_[context].kernel, table_[context].pc) == nullptr) return false;
  marked_.set(context);
  return true;
}

void InterweavedWarps::check(WarpId warp) const {
  SplitHeap held;
  const auto insert = [&](std::uint32_t pc, std::uint64_t threads) {
    for (const SplitHeap::Split& split : held.splits()) {
      if (split.threads.intersects(as_set(threads)))
        fail(ExitCode::internal, "context table: threads of warp {} are in two splits", warp);
    }
    held.insert(pc, as_set(threads));
  };
  for (const SplitContext& context : hot_->row(warp)) {
    if (context.valid) insert(context.pc, context.threads);
  }
  std::vector<Path> paths;
  waiting_paths(context_of(warp, 0), paths);
  for (const Path& path : paths) insert(path.pc, path.threads.word(0));
  const auto& right = reference_[warp].splits();
  const auto same = [](const SplitHeap::Split& a, const SplitHeap::Split& b) {
    return a.pc == b.pc && a.threads == b.threads;
  };
  if (!std::equal(held.splits().begin(), held.splits().end(), right.begin(), right.end(), same))
    fail(ExitCode::internal, "context table: the splits of warp {} are not where its threads are", warp);
}

}  // namespace heddle::sm
