// SPDX-License-Identifier: Apache-2.0
// A Verilated gang table (rtl/gang_table.sv) behind the model's interface. Each call is a clock edge.
#pragma once

#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/ganging/gang_issue_table.h"

namespace heddle::rtl {

inline constexpr unsigned kGangKindBits = 4;
using GangKindPlanes = std::array<sm::GangSet, kGangKindBits>;

/// The kinds of ready entries in planes: set b holds the entries whose kind has bit b.
inline GangKindPlanes kind_planes(const sm::GangCandidates& candidates) {
  GangKindPlanes planes{};
  candidates.ready.for_each([&](std::size_t entry) {
    for (unsigned kind = candidates.kinds[entry] & ((1u << kGangKindBits) - 1); kind != 0; kind &= kind - 1)
      planes[static_cast<unsigned>(std::countr_zero(kind))].set(entry);
  });
  return planes;
}

/// Table: the Verilated class; the numbers are its parameters SETS, SLICES and GANGS.
template <typename Table, unsigned kSets, unsigned kSlices, unsigned kGangs>
class GangTableRtl final : public sm::GangIssueTable {
 public:
  explicit GangTableRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "ready", kEntries, "gangs that could issue, at the last request", table_->ready);
    show(signals_, "free", kSlices, "slices that gangs may use", table_->free);
    show(signals_, "kinds", kGangKindBits * kEntries, "their memory accesses, a bit of all entries after the other",
         table_->kinds);
    show(signals_, "valid", kGangs, "gangs picked, one bit each", valid_);
    show(signals_, "entries", kGangs * kEntryBits, "the entries picked", entries_);
    show(signals_, "members", kSlices * kEntries, "entries of each slice, a slice of all entries after the other",
         table_->members);
    table_->reset = 1;
    table_->eval();
    edge();
    table_->reset = 0;
  }

  void write(unsigned entry, sm::SliceMask members) override {
    put(table_->write_entry, 0, entry);
    put(table_->write_members, 0, members);
    table_->write = 1;
    table_->eval();
    edge();
    table_->write = 0;
  }
  void start(unsigned set) override {
    put(table_->start_set, 0, set);
    table_->start = 1;
    table_->eval();
    edge();
    table_->start = 0;
  }
  sm::GangPicks pick(const sm::GangCandidates& candidates) override {
    put(table_->free, 0, candidates.free & ((1u << kSlices) - 1));
    put_plane(table_->ready, 0, candidates.ready);
    const GangKindPlanes kinds = kind_planes(candidates);
    for (unsigned b = 0; b < kGangKindBits; ++b) put_plane(table_->kinds, b, kinds[b]);
    table_->issue = 1;
    table_->eval();
    // The edge changes who issued last, and so the outputs.
    valid_ = get(table_->valid, 0);
    entries_ = get(table_->entries, 0);
    edge();
    table_->issue = 0;
    sm::GangPicks picks;
    for (picks.count = 0; picks.count < kGangs && (valid_ >> picks.count & 1) != 0; ++picks.count)
      picks.entries[picks.count] = static_cast<std::uint8_t>(bits(entries_, picks.count * kEntryBits, kEntryBits));
    return picks;
  }

 private:
  static constexpr unsigned kEntries = kSets * sm::kGangWays;
  static constexpr unsigned kEntryBits = static_cast<unsigned>(std::bit_width(kEntries - 1));
  static_assert(kEntries % 32 == 0 && kGangs * kEntryBits <= 32);

  /// Inputs have settled. Between calls, the clock is low.
  void edge() {
    table_->clock = 1;
    table_->eval();
    table_->clock = 0;
  }
  /// Sets bits kEntries * plane .. kEntries * (plane + 1) - 1 of a port.
  template <typename Port>
  static void put_plane(Port& port, unsigned plane, const sm::GangSet& entries) {
    for (unsigned w = 0; w < kEntries / 32; ++w)
      put(port, plane * (kEntries / 32) + w, static_cast<std::uint32_t>(entries.word(w / 2) >> (32 * (w % 2))));
  }

  VerilatedBlock<Table> table_;
  ProbeGroup signals_;
  std::uint32_t valid_ = 0, entries_ = 0;  ///< outputs of the last pick
};

}  // namespace heddle::rtl
