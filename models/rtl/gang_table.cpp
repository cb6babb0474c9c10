// SPDX-License-Identifier: Apache-2.0
// The gang table with its issue scheduler as RTL, and in lockstep with the model.
#include "GangTable32x4x2.h"
#include "GangTable32x8x1.h"
#include "GangTable32x8x2.h"
#include "GangTable32x8x4.h"
#include "GangTable48x8x2.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/gang_table_rtl.h"

namespace heddle::rtl {

namespace {

unsigned entries_of(const sm::GangIssueShape& shape) { return shape.sets * sm::kGangWays; }
unsigned bits_of(unsigned count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

/// The shapes with RTL have a multiple of 64 entries.
std::vector<std::uint64_t> words_of(const sm::GangSet& entries, const sm::GangIssueShape& shape) {
  std::vector<std::uint64_t> words;
  for (unsigned w = 0; 64 * w < entries_of(shape); ++w) words.push_back(entries.word(w));
  return words;
}

}  // namespace

sm::GangPicks GangTablePorts::ask(sm::GangIssueTable& table, const GangTableCall& call) {
  switch (call.kind) {
    case GangTableCall::Kind::write:
      table.write(call.at, call.members);
      return {};
    case GangTableCall::Kind::start:
      table.start(call.at);
      return {};
    case GangTableCall::Kind::pick:
      break;
  }
  return table.pick(call.choices);
}

std::vector<PortValue> GangTablePorts::inputs(const sm::GangIssueShape& shape, const GangTableCall& call) {
  const bool writes = call.kind == GangTableCall::Kind::write, starts = call.kind == GangTableCall::Kind::start;
  std::vector<std::uint64_t> kinds;
  for (const sm::GangSet& plane : kind_planes(call.choices)) {
    const std::vector<std::uint64_t> words = words_of(plane, shape);
    kinds.insert(kinds.end(), words.begin(), words.end());
  }
  return {{"write", 1, {writes}},
          {"write_entry", bits_of(entries_of(shape)), {writes ? call.at : 0}},
          {"write_members", shape.slices, {call.members}},
          {"start", 1, {starts}},
          {"start_set", bits_of(shape.sets), {starts ? call.at : 0}},
          {"issue", 1, {call.kind == GangTableCall::Kind::pick}},
          {"ready", entries_of(shape), words_of(call.choices.ready, shape)},
          {"free", shape.slices, {call.choices.free}},
          {"kinds", kGangKindBits * entries_of(shape), kinds}};
}

std::vector<PortValue> GangTablePorts::outputs(const sm::GangIssueShape& shape, const sm::GangPicks& picks) {
  const unsigned width = bits_of(entries_of(shape));
  std::uint64_t entries = 0;
  for (unsigned g = 0; g < picks.count; ++g) entries |= std::uint64_t{picks.entries[g]} << (g * width);
  return {{"valid", shape.gangs, {(std::uint64_t{1} << picks.count) - 1}}, {"entries", shape.gangs * width, {entries}}};
}

namespace {

/// As variable_warps.gang_order has it.
const char* name_of(sm::GangOrder order) {
  switch (order) {
    case sm::GangOrder::big_then_oldest:
      return "bgto";
    case sm::GangOrder::greedy_then_oldest:
      return "gto";
    case sm::GangOrder::round_robin:
      return "lrr";
    case sm::GangOrder::lowest_pc:
      return "lpc";
    case sm::GangOrder::little_then_oldest:
      break;
  }
  return "lgto";
}

std::unique_ptr<sm::GangIssueTable> verilated(const sm::GangIssueShape& shape, const sm::BlockSite& site) {
  if (shape.order != sm::GangOrder::big_then_oldest)
    fail(ExitCode::configuration,
         "sm.blocks.gang_issue: variable_warps.gang_order is '{}', but there is RTL for 'bgto' only; choose 'model'",
         name_of(shape.order));
  const auto is = [&](unsigned sets, unsigned slices, unsigned gangs) {
    return shape.sets == sets && shape.slices == slices && shape.gangs == gangs;
  };
  if (is(32, 4, 2)) return std::make_unique<GangTableRtl<GangTable32x4x2, 32, 4, 2>>(site);
  if (is(32, 8, 1)) return std::make_unique<GangTableRtl<GangTable32x8x1, 32, 8, 1>>(site);
  if (is(32, 8, 2)) return std::make_unique<GangTableRtl<GangTable32x8x2, 32, 8, 2>>(site);
  if (is(32, 8, 4)) return std::make_unique<GangTableRtl<GangTable32x8x4, 32, 8, 4>>(site);
  if (is(48, 8, 2)) return std::make_unique<GangTableRtl<GangTable48x8x2, 48, 8, 2>>(site);
  fail(
      ExitCode::configuration,
      "sm.blocks.gang_issue: with 8 slices there is RTL for 1, 2 or 4 gangs a cycle of 32 sets and for 2 of 48, with 4 "
      "slices for 2 of 32; this machine has {} slices and issues {} gangs a cycle of {} sets",
      shape.slices, shape.gangs, shape.sets);
}

class RtlGangIssueTable final : public sm::GangIssueTable {
 public:
  RtlGangIssueTable(const sm::GangIssueShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  void write(unsigned entry, sm::SliceMask members) override { unit_->write(entry, members); }
  void start(unsigned set) override { unit_->start(set); }
  sm::GangPicks pick(const sm::GangCandidates& candidates) override { return unit_->pick(candidates); }

 private:
  std::unique_ptr<sm::GangIssueTable> unit_;
};

class LockstepGangIssueTable final : public GangTableLockstep {
 public:
  LockstepGangIssueTable(const sm::GangIssueShape& shape, const sm::BlockSite& site)
      : GangTableLockstep(shape, site, make(Mechanism<sm::GangIssueTable>("model"), shape, site),
                          make(Mechanism<sm::GangIssueTable>("rtl"), shape, site)) {}
};

}  // namespace

using sm::GangIssueTable;
HEDDLE_REGISTER(GangIssueTable, RtlGangIssueTable, "rtl", "rtl/gang_table.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(GangIssueTable, LockstepGangIssueTable, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
