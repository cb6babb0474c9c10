// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/context_tables.h"

#include <algorithm>
#include <utility>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

/// Largest heap with a bucket of its own in the statistics.
constexpr unsigned kHeaps = 12;

/// Adds what has been counted since the last time.
void add(Counter& counter, std::uint64_t now, std::uint64_t& before) { counter += now - std::exchange(before, now); }

}  // namespace

ColdContextTable::ColdContextTable(sc_core::sc_module_name module_name, SmSite& sm, const ColdShape& shape,
                                   const WaitingSplits& waiting, const std::string& charged_to)
    : sc_module(module_name),
      call("call"),
      contexts_(shape, waiting),
      group_(sm.statistics, "cold_contexts"),
      pushes_(group_, "pushes", "splits that left the hot contexts of their warp", unit::kEvents),
      takes_(group_, "takes", "splits that became hot", unit::kEvents),
      merges_(group_, "merges", "cold splits merged with others at the same instruction", unit::kEvents),
      sort_cycles_(group_, "sort_cycles", "cycles in which the sorter worked on a list", unit::kCycles),
      aborts_(group_, "sort_aborts", "times the sorter began again because its list had changed", unit::kEvents),
      degraded_(group_, "degraded_takes", "splits taken from the head of a list before it was sorted", unit::kEvents),
      overflows_(group_, "overflows", "splits kept in memory because no row was free", unit::kEvents),
      most_used_(group_, "most_used", "most splits held at the same time", unit::kEntries),
      state_(sm.services, sm.path("cold_contexts"), sm.domain()),
      pushed_(state_.signals.pulse("push", index_bits(shape.warps), "warp with a split that becomes cold")),
      taken_(state_.signals.pulse("pop", index_bits(shape.warps), "warp with a split that becomes hot")),
      out_of_order_(state_.signals.pulse("degraded", 1, "the split that becomes hot has not been sorted in")) {
  call.bind(*this);
  state_.charge_to(charged_to);
  declare_rows(shape);
}

void ColdContextTable::declare_rows(const ColdShape& shape) {
  constexpr unsigned kThreads = 64;
  const std::size_t rows = shape.exact ? std::size_t{shape.warps} * kThreads : shape.entries;
  Structure& table = state_.structure("rows", "splits behind the hot contexts, in a list per warp", rows,
                                      {{"pc", 32, 1, 1},
                                       {"threads", kThreads, 1, 1, false, true},
                                       {"valid", 1, 1, 1},
                                       {"next", index_bits(rows), 1, 1}});
  const auto& held = contexts_.rows();
  table.occupied([&held](std::size_t row) { return row < held.size() && held[row].used; });
  table.read([&held](std::size_t row, std::size_t field) -> std::uint64_t {
    if (row >= held.size() || !held[row].used) return 0;
    const ColdContexts::Row& of = held[row];
    return field == 0 ? of.context.pc : field == 1 ? of.context.threads : field == 2 ? 1 : of.next;
  });
  state_
      .traced_structure("sorter", "list that the sorter walks", 1,
                        {{"warp", index_bits(shape.warps), 1, 1}, {"busy", 1, 1, 1}})
      .read([this](std::size_t, std::size_t field) -> std::uint64_t {
        return field == 0 ? contexts_.walked() : contexts_.busy();
      });
  state_.signals.add("used", 16, "rows in use", [this] { return contexts_.used(); });
}

void ColdContextTable::push(WarpId warp, const SplitContext& context) {
  contexts_.push(warp, context);
  if (state_.signals.on()) state_.signals.fire(pushed_, warp);
  count();
}

SplitContext ColdContextTable::take(WarpId warp, const SplitContext* context) {
  const std::uint64_t before = contexts_.counts().degraded;
  const SplitContext taken = contexts_.take(warp, context);
  if (state_.signals.on()) {
    state_.signals.fire(taken_, warp);
    if (contexts_.counts().degraded != before) state_.signals.fire(out_of_order_, 1);
  }
  count();
  return taken;
}

void ColdContextTable::cycle() {
  if (!contexts_.busy()) return;
  contexts_.cycle();
  count();
}

void ColdContextTable::count() {
  const ColdContexts::Counts& now = contexts_.counts();
  add(pushes_, now.pushes, counted_.pushes);
  add(takes_, now.takes, counted_.takes);
  add(merges_, now.merges, counted_.merges);
  add(sort_cycles_, now.sort_cycles, counted_.sort_cycles);
  add(aborts_, now.aborts, counted_.aborts);
  add(degraded_, now.degraded, counted_.degraded);
  add(overflows_, now.overflows, counted_.overflows);
  most_used_.record(now.most_used);
}

HotContextTable::HotContextTable(sc_core::sc_module_name module_name, SmSite& sm, const HotShape& shape,
                                 unsigned warp_size, const WaitingSplits& waiting, const std::string& charged_to)
    : sc_module(module_name),
      call("call"),
      cold("cold"),
      behind_(cold),
      sorter_(make(sm.parameters.blocks.context_sorter, SorterShape{shape.hot}, block_site(sm, "context_sorter"))),
      contexts_(shape, *sorter_, behind_, waiting),
      group_(sm.statistics, "hot_contexts"),
      changes_(group_, "changes", "changes of a warp's splits", unit::kEvents),
      splits_seen_(group_, "splits_seen", "splits of the warp, summed over its changes", unit::kContexts),
      sorts_(group_, "sorts", "passes of a warp's contexts through the sorter", unit::kEvents),
      merges_(group_, "merges", "splits merged at the same instruction", unit::kEvents),
      swaps_(group_, "swaps", "hot splits replaced by a cold one with a lower program counter", unit::kEvents),
      rotations_(group_, "rotations", "waiting hot splits replaced by a cold one that can run", unit::kEvents),
      heap_size_(group_, "splits", "splits of a warp, after each of its changes", unit::kContexts,
                 Buckets::linear(1, 1, kHeaps)),
      state_(sm.services, sm.path("hot_contexts"), sm.domain()) {
  call.bind(*this);
  state_.charge_to(charged_to);
  declare_rows(shape, warp_size);
}

void HotContextTable::declare_rows(const HotShape& shape, unsigned warp_size) {
  std::vector<StructureField> fields;
  for (unsigned i = 0; i < shape.hot; ++i) {
    const std::string number = std::to_string(i + 1);
    fields.push_back({"cpc" + number, 32, 1, 1});
    fields.push_back({"m" + number, warp_size, 1, 1, false, true});
    fields.push_back({"v" + number, 1, 1, 1});
  }
  // Of a table of 128 rows, which the source sizes for 16 warps.
  constexpr unsigned kPointer = 7;
  fields.push_back({"cold", kPointer, 1, 1});
  state_.traced_structure("rows", "hot contexts of each warp, lowest program counter first", shape.warps, fields)
      .read([this, shape](std::size_t row, std::size_t field) -> std::uint64_t {
        const WarpId warp(row);
        if (field == 3 * std::size_t{shape.hot}) return cold->contents().head_row(warp);
        const SplitContext& context = contexts_.row(warp)[field / 3];
        return field % 3 == 0 ? context.pc : field % 3 == 1 ? context.threads : context.valid;
      });
}

HotContexts::Settled HotContextTable::settle(WarpId warp, const SplitContext& fresh,
                                             const std::array<bool, 2>& pinned) {
  const HotContexts::Settled settled = contexts_.settle(warp, fresh, pinned);
  const HotContexts::Counts& now = contexts_.counts();
  add(sorts_, now.sorts, counted_.sorts);
  add(merges_, now.merges, counted_.merges);
  add(swaps_, now.swaps, counted_.swaps);
  add(rotations_, now.rotations, counted_.rotations);
  unsigned size = cold->contents().length(warp);
  for (const SplitContext& context : contexts_.row(warp)) size += context.valid ? 1 : 0;
  heap_size_.record(size);
  ++changes_;
  splits_seen_ += size;
  return settled;
}

}  // namespace heddle::sm
