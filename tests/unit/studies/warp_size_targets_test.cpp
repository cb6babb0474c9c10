// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of variable warp size: our code must give exactly the source's
// number, rounded as it is printed there, or the one listed as different. Source: docs/sources/variable-warp-size.md,
// 2, 3, 6.5.
#include <gtest/gtest.h>

#include "declared.h"
#include "sm/grouping/ganging/gang_fetch.h"
#include "sm/grouping/ganging/gang_table.h"
#include "sm/grouping/ganging/parameters.h"
#include "targets.h"
#include "tests/unit/sm/ganging_vectors.h"

namespace heddle::studies {
namespace {

using namespace sm;

const char* const kStudy = "a property of applications, which the study measures";
const char* const kMachine = "on a running machine: tests/module/sm/ganging_machines_test.cpp";
const char* const kChecked = "checked in every cycle of a checked run: WarpGangingUnit::check";
const char* const kRules =
    "follows from the rules of issue, fetch and split; the study bounds lanes and fetches of its runs";
const char* const kRating = "rating of other machines by the author";
const char* const kNoBanks = "register files of these presets have no banks, as the source gives no conflicts";
const char* const kArithmetic = "arithmetic on the printed rows of the source's table";

const OnlyStated kOnlyStated = {
    {"vws.sec6.3.third-each", kStudy},
    {"vws.fig6.17.lighting-start-gangs", kStudy},
    {"vws.fig6.17.lighting-start-size", kStudy},
    {"vws.fig6.17.gamephysics-start-size", kStudy},
    {"vws.fig6.17.gamephysics-split-size", kStudy},
    {"vws.fig6.17.gamephysics-half-exits", kStudy},
    {"vws.sec6.4.6.stay-ganged-game-1", kStudy},
    {"vws.sec6.4.6.stay-ganged-matrix-multiply", kStudy},
    {"vws.sec6.4.6.stay-ganged-game-2", kStudy},
    {"vws.sec6.4.6.stay-ganged-featuredetect", kStudy},
    {"vws.sec6.4.6.stay-ganged-radix-sort", kStudy},
    {"vws.fig6.18.dwf-nvrt", "a program that does not run on a simulator of others"},
    {"vws.table6.3.pcs-per-cycle-form-compact", kRating},
    {"vws.table6.3.pcs-per-cycle-subdivide", kRating},
    {"vws.table6.3.pcs-per-cycle-multipath", kRating},
    {"vws.table6.2.l1i-single-component", "area of a cache by a tool, quoted"},
    {"vws.table6.2.l1i-dual-component", "area of a cache by a tool, quoted"},
    {"vws.table6.2.control-component", "an estimate from other processors, quoted"},
    {"vws.cost.control-share", "an estimate from other processors, quoted"},
    {"vws.struct.banks-per-slice", kNoBanks},
    {"vws.struct.banks-total", kNoBanks},
    {"vws.struct.memory-access-width", kMachine},
    {"vws.struct.issue-throughput", kRules},
    {"vws.struct.reform-per-cycle", kRules},
    {"vws.base.one-line", kMachine},
    {"vws.issue.not-ready", kMachine},
    {"vws.memsplit.all-ready-impatient", kMachine},
    {"vws.memsplit.all-ready-group", kMachine},
    {"vws.pack.same-cycle", kMachine},
    {"vws.pack.different-cycles", kMachine},
    {"vws.count.ws32", kMachine},
    {"vws.count.ws16", kMachine},
    {"vws.count.ws8", kMachine},
    {"vws.count.ws4", kMachine},
    {"vws.count.ivws", kMachine},
    {"vws.count.evws", kMachine},
    {"vws.count.fully-split", kMachine},
    {"vws.count.split-4-4", kMachine},
    {"vws.slip.ws32-accesses", kMachine},
    {"vws.slip.ws4-accesses", kMachine},
    {"vws.slip.ws4-misses", kMachine},
    {"vws.slip.ws4-merges", kMachine},
    {"vws.invariant.masks-overlap", kChecked},
    {"vws.invariant.union-is-live-warps", kChecked},
    {"vws.invariant.small-gangs", kChecked},
    {"vws.invariant.one-instruction-per-slice", kRules},
    {"vws.invariant.thread-issue-cap", kRules},
    {"vws.invariant.gang-cap", kRules},
    {"vws.invariant.fetch-cap", kRules},
    {"vws.invariant.ivws-growth", kRules},
    {"vws.invariant.valid-same-instruction", kRules},
    {"vws.invariant.pc-mismatch", kChecked},
    {"vws.area.total-sm-4wide", kArithmetic},
    {"vws.area.percent-sm-4wide", kArithmetic},
    {"vws.area.total-gpu-4wide", kArithmetic},
    {"vws.area.percent-gpu-4wide", kArithmetic},
    {"vws.area.total-sm-8wide", kArithmetic},
    {"vws.area.percent-sm-8wide", kArithmetic},
    {"vws.area.total-gpu-8wide", kArithmetic},
    {"vws.area.percent-gpu-8wide", kArithmetic},
};

const char* const kScoreboard =
    "An entry of the scoreboard has nine bits for a register and a valid bit: 80 bits a warp, not 56.25.";
const char* const kPort = "The two printed areas of the instruction cache differ by 0.107.";
const char* const kTables = "The machine's table has the entries of eight slices; its mask has bits for eight.";

const Differences kDiffers = {
    {"vws.table6.2.scoreboard-component", {0.028, kScoreboard}},
    {"vws.table6.2.l1i-added-4wide", {0.107, kPort}},
    {"vws.table6.2.l1i-added-8wide", {0.107, kPort}},
    {"vws.table6.2.scoreboard-added-4wide", {0.221, kScoreboard}},
    {"vws.table6.2.scoreboard-added-8wide", {0.111, kScoreboard}},
    {"vws.table6.2.total-sm-4wide", {1.8, kScoreboard}},
    {"vws.table6.2.total-gpu-4wide", {26.8, kScoreboard}},
    {"vws.table6.2.percent-gpu-8wide", {2.7, "The source rounds 2.63 to 2.5."}},
    {"vws.table6.2.total-sm-8wide", {0.96, kScoreboard}},
    {"vws.table6.2.total-gpu-8wide", {14.4, kScoreboard}},
    {"vws.area.scoreboard-um2", {27648, kScoreboard}},
    {"vws.area.scoreboard-replicas-4wide", {0.2212, kScoreboard}},
    {"vws.area.scoreboard-replicas-8wide", {0.1106, kScoreboard}},
    {"vws.cost.scoreboard-bits", {2560, kScoreboard}},
    {"vws.cost.scoreboard-bits-per-warp", {80, kScoreboard}},
    {"vws.struct8.mask-bits", {8, kTables}},
    {"vws.struct8.entries", {128, kTables}},
};

GangingParameters ganging_of(const std::string& preset) {
  auto grouping = sm_of(preset).grouping;
  return grouping.settings<GangingParameters>("variable_warps");
}

// -- structures

/// The machine with an instruction store in each slice. wide: four slices.
Declared& machine(bool wide) {
  if (!wide) return declared("vws-proposed");
  return declared("vws-wide",
                  {"sm.variable_warps.l0_bytes=256", "sm.variable_warps.fetch_ports=2", "sm.fetch.width=6"});
}
double bits_of(const Structure& structure, const std::string& field) {
  for (const StructureField& each : structure.fields()) {
    if (each.name == field) return static_cast<double>(each.bits);
  }
  throw std::out_of_range(field);
}
double entry_bits(const Structure& structure) {
  double bits = 0;
  for (const StructureField& field : structure.fields()) bits += static_cast<double>(field.bits);
  return bits;
}
const Structure& gang_table(bool wide = false) { return machine(wide).structure("ganging.gang_table"); }
unsigned slices(bool wide = false) {
  unsigned count = 0;
  while (machine(wide).find("slice" + std::to_string(count) + ".warp_mask") != nullptr) ++count;
  return count;
}
double gang_sets(bool wide = false) { return 1.0 * machine(wide).warps() / slices(wide); }
double store_bits(bool wide = false) {
  const Structure& lines = machine(wide).structure("slice0.l0.lines");
  return 1.0 * lines.entries() * bits_of(lines, "bytes");
}
double buffer_bits(bool wide = false) {
  const Structure& buffers = machine(wide).structure("issue.buffers");
  return 1.0 * buffers.entries() * bits_of(buffers, "instructions") / slices(wide);
}
double scoreboard_bits(bool wide = false) {
  return 1.0 * machine(wide).structure("hazards.scoreboard").bits() / slices(wide);
}

// -- areas in square millimetres, at the densities of the source

constexpr double kLatch = 2.1 * 1.5 / 1e6, kFlipFlop = 3.6 * 3 / 1e6;
constexpr double kSm = 16, kSms = 15, kDie = 529;

double store_area(bool wide) { return store_bits(wide) * kLatch; }
double buffer_area(bool wide) { return buffer_bits(wide) * kLatch; }
double scoreboard_area(bool wide) { return scoreboard_bits(wide) * kFlipFlop; }
double table_area(bool wide) { return static_cast<double>(gang_table(wide).bits()) * kLatch; }
double control_area() { return source_of("vws.cost.control-share") / 100 * kSm; }
double port_area() {
  return source_of("vws.table6.2.l1i-dual-component") - source_of("vws.table6.2.l1i-single-component");
}
double sm_area(bool wide) {
  return port_area() + table_area(wide) +
         slices(wide) * (store_area(wide) + buffer_area(wide) + scoreboard_area(wide) + control_area());
}

void add_areas(Evaluations& targets) {
  targets["vws.table6.2.l0-component"] = [] { return rounded(store_area(false), 3); };
  targets["vws.table6.2.ibuf-component"] = [] { return rounded(buffer_area(false), 3); };
  targets["vws.table6.2.gang-table-component"] = [] { return rounded(table_area(false), 3); };
  targets["vws.table6.2.scoreboard-component"] = [] { return rounded(scoreboard_area(false), 3); };
  targets["vws.area.l0-um2"] = [] { return rounded(1e6 * store_area(false), 1); };
  targets["vws.area.ibuf-um2"] = [] { return rounded(1e6 * buffer_area(false), 1); };
  targets["vws.area.scoreboard-um2"] = [] { return rounded(1e6 * scoreboard_area(false), 1); };
  targets["vws.area.l1i-port"] = [] { return rounded(port_area(), 3); };
  targets["vws.area.gang-entry-bits"] = [] {
    return rounded(source_of("vws.table6.2.gang-table-component") / (1.0 * gang_table().entries() * kLatch), 1);
  };
  for (const bool wide : {false, true}) {
    const std::string end = wide ? "-8wide" : "-4wide";
    targets["vws.table6.2.l1i-added" + end] = [] { return rounded(port_area(), 3); };
    targets["vws.table6.2.l0-added" + end] = [=] { return rounded(slices(wide) * store_area(wide), 3); };
    targets["vws.table6.2.ibuf-added" + end] = [=] { return rounded(slices(wide) * buffer_area(wide), 3); };
    targets["vws.table6.2.gang-table-added" + end] = [=] { return rounded(table_area(wide), 3); };
    targets["vws.table6.2.scoreboard-added" + end] = [=] { return rounded(slices(wide) * scoreboard_area(wide), 3); };
    targets["vws.table6.2.control-added" + end] = [=] { return rounded(slices(wide) * control_area(), 2); };
    targets["vws.table6.2.total-sm" + end] = [=] { return rounded(sm_area(wide), wide ? 2 : 1); };
    targets["vws.table6.2.percent-sm" + end] = [=] { return rounded(100 * sm_area(wide) / kSm, 0); };
    targets["vws.table6.2.total-gpu" + end] = [=] { return rounded(kSms * sm_area(wide), 1); };
    targets["vws.table6.2.percent-gpu" + end] = [=] {
      return rounded(100 * kSms * sm_area(wide) / kDie, wide ? 1 : 0);
    };
    targets["vws.area.l0-replicas" + end] = [=] { return rounded(slices(wide) * store_area(wide), 4); };
    targets["vws.area.ibuf-replicas" + end] = [=] { return rounded(slices(wide) * buffer_area(wide), 4); };
    targets["vws.area.scoreboard-replicas" + end] = [=] { return rounded(slices(wide) * scoreboard_area(wide), 4); };
  }
}

void add_structures(Evaluations& targets) {
  targets["vws.struct.warps"] = [] { return machine(false).warps(); };
  targets["vws.struct.warps-per-slice"] = [] { return gang_sets(); };
  targets["vws.struct.original-gangs"] = [] { return gang_sets(); };
  targets["vws.struct.gang-entries"] = [] { return gang_table().entries(); };
  targets["vws.struct.gang-sets"] = [] { return gang_table().entries() / kGangWays; };
  targets["vws.struct.gang-ways"] = [] { return gang_table().entries() / gang_sets(); };
  targets["vws.struct.max-gangs-per-original"] = [] { return std::tuple_size<decltype(PcGroups::gangs)>(); };
  targets["vws.struct.max-gang"] = [] { return slices(); };
  targets["vws.struct.warp0-first-gang"] = [] { return 0 * kGangWays; };
  targets["vws.struct.warp0-last-gang"] = [] { return 1 * kGangWays - 1; };
  targets["vws.struct.reform-compare"] = [] { return slices(); };
  targets["vws.struct.slices"] = [] { return slices(); };
  targets["vws.struct.lanes-per-slice"] = [] { return sm_of("vws-proposed").simd_width / slices(); };
  for (const unsigned thread : {3u, 4u, 31u}) {
    targets["vws.struct.thread" + std::to_string(thread) + "-slice"] = [=] {
      return thread / sm_of("vws-proposed").warp_size % slices();
    };
  }
  // Of the slices and of the gangs.
  targets["vws.struct.fetch-schedulers"] = [] { return slices() + 1; };
  targets["vws.struct.l1i-bandwidth-without-l0"] = [] {
    return 1.0 * ganging_of("vws-i").fetch_ports / sm_of("vws-ws32").fetch.width;
  };
  targets["vws.struct.unlimited-gangs"] = [] { return kGangWays; };
  targets["vws.struct.reform-items"] = [] { return ganging_of("vws-e").merge_items; };
  targets["vws.struct.proposed-l1i-ports"] = [] { return ganging_of("vws-proposed").fetch_ports; };
  targets["vws.struct.study-l1i-fetches"] = [] { return ganging_of("vws-i").fetch_ports; };
  targets["vws.struct.pc-comparators"] = [] { return machine(false).structure("ganging.pc_compare").entries(); };
  targets["vws.base.warps"] = [] { return declared("vws-ws32").warps(); };

  targets["vws.struct8.slices"] = [] { return slices(true); };
  targets["vws.struct8.warps"] = [] { return machine(true).warps(); };
  targets["vws.struct8.warps-per-slice"] = [] { return gang_sets(true); };
  targets["vws.struct8.warps-per-gang"] = [] { return slices(true); };
  targets["vws.struct8.mask-bits"] = [] { return bits_of(gang_table(true), "mask"); };
  targets["vws.struct8.max-gangs"] = [] { return slices(true) / 2; };
  targets["vws.struct8.entries"] = [] { return gang_table(true).entries(); };

  targets["vws.cost.gangmask-bits"] = [] { return bits_of(gang_table(), "mask"); };
  targets["vws.cost.gangid-bits"] = [] { return bits_of(gang_table(), "id"); };
  targets["vws.cost.pc-bits"] = [] { return bits_of(gang_table(), "pc"); };
  targets["vws.cost.readymask-bits"] = [] { return bits_of(gang_table(), "ready"); };
  targets["vws.cost.entry-bits"] = [] { return entry_bits(gang_table()); };
  targets["vws.cost.gang-table-bits"] = [] { return gang_table().bits(); };
  targets["vws.cost.independent-mask-bits"] = [] { return machine(false).structure("slice0.warp_mask").bits(); };
  targets["vws.cost.l0-bytes"] = [] { return store_bits() / 8; };
  targets["vws.cost.l0-bits"] = [] { return store_bits(); };
  targets["vws.cost.ibuf-kbits"] = [] { return buffer_bits(); };
  targets["vws.cost.ibuf-bits-per-warp"] = [] { return buffer_bits() / gang_sets(); };
  targets["vws.cost.scoreboard-bits"] = [] { return scoreboard_bits(); };
  targets["vws.cost.scoreboard-bits-per-warp"] = [] { return scoreboard_bits() / gang_sets(); };
}

// -- logic

unsigned gangs_in(const PcGroups& groups) {
  return static_cast<unsigned>(std::count_if(groups.gangs.begin(), groups.gangs.end(), [](auto g) { return g != 0; }));
}
unsigned singles_in(const PcGroups& groups) { return static_cast<unsigned>(std::popcount(groups.singles)); }

struct Table final : GangIssueTable {
  Table(GangOrder order, unsigned gangs) : logic(GangIssueShape{32, 8, gangs, order}) {}
  void write(unsigned entry, SliceMask members) override { logic.write(entry, members); }
  void start(unsigned set) override { logic.start(set); }
  GangPicks pick(const GangCandidates& candidates) override { return logic.pick(candidates); }
  GangIssueLogic logic;
};
/// Slices on which gangs 0x0F, 0x3C, 0xC0 and 0x30, all ready, issue.
unsigned slices_issuing(GangOrder order, unsigned gangs) {
  Table table(order, gangs);
  write_four_gangs(table);
  unsigned count = 0;
  for (const unsigned entry : picked_from(table, {0, 4, 8, 12}))
    count += static_cast<unsigned>(std::popcount(table.logic.members(entry)));
  return count;
}

/// An original gang of eight warps.
GangTable full_gang() {
  GangTable table(1);
  table.start(0, 0xff);
  return table;
}
unsigned gang_size(const GangTable& table, unsigned slice) {
  return static_cast<unsigned>(std::popcount(table[0].gangs[table[0].way_of(slice)]));
}
unsigned alone(const GangTable& table) { return static_cast<unsigned>(std::popcount(table[0].alone)); }
/// Slices 0 to 3 get their data, then slice 4.
GangTable grouped(bool second) {
  GangTable table = full_gang();
  table.divide(0, 0xff, 0x0f);
  if (second) table.divide(0, 0xf0, 0x10);
  return table;
}
/// Gang 0x03, named by its lowest slice, and warps 2 and 4 alone, compared by these program counters.
SliceMask merged(const char* pcs) {
  GangTable table(1);
  table.start(0, 0x17);
  table.regroup(0, {{0x03}, 0x14});
  return items_to_merge(table[0], coalesce_pcs(pcs_of(pcs)), ganging_of("vws-e").merge_items);
}

void add_logic(Evaluations& targets) {
  const char* const splits[] = {"AAAAAAAA", "AABBACBA", "ABABABAB", "AABBCCDD", "ABCDEFGH", "A.AB.B..", "....AABC"};
  for (unsigned i = 0; i < std::size(splits); ++i) {
    const std::string name = "vws.split.v" + std::to_string(i + 1);
    targets[name + "-gangs"] = [pcs = splits[i]] { return gangs_in(coalesce_pcs(pcs_of(pcs))); };
    targets[name + "-singletons"] = [pcs = splits[i]] { return singles_in(coalesce_pcs(pcs_of(pcs))); };
  }
  targets["vws.struct.min-gang"] = [] {
    unsigned least = kMaxSlices;
    for (unsigned members = 1; members <= kMaxSlices; ++members) {
      if (gangs_in(coalesce_pcs(pcs_of(std::string(members, 'A')))) > 0) least = std::min(least, members);
    }
    return least;
  };
  targets["vws.branch.after-gangs"] = [] { return gangs_in(coalesce_pcs(pcs_of("AABBBBBB"))); };
  targets["vws.branch.at-sync-gang"] = [] { return std::popcount(coalesce_pcs(pcs_of("..ABBBBB")).gangs[0]); };
  targets["vws.branch.at-sync-singletons"] = [] { return singles_in(coalesce_pcs(pcs_of("..ABBBBB"))); };

  const auto issuing = [&](const std::string& name, GangOrder order, unsigned gangs) {
    targets["vws.issue." + name + "-slices"] = [=] { return slices_issuing(order, gangs); };
  };
  issuing("bgto", GangOrder::big_then_oldest, 2);
  issuing("lgto", GangOrder::little_then_oldest, 2);
  issuing("gto", GangOrder::greedy_then_oldest, 2);
  issuing("gto-unlimited", GangOrder::greedy_then_oldest, kGangWays);
  issuing("bgto-1", GangOrder::big_then_oldest, 1);
  issuing("gto-1", GangOrder::greedy_then_oldest, 1);
  issuing("lgto-1", GangOrder::little_then_oldest, 1);
  const unsigned lanes = 4;
  targets["vws.issue.bgto-lanes"] = [=] { return lanes * slices_issuing(GangOrder::big_then_oldest, 2); };
  targets["vws.issue.lgto-lanes"] = [=] { return lanes * slices_issuing(GangOrder::little_then_oldest, 2); };

  targets["vws.memsplit.impatient-singletons"] = [] {
    GangTable table = full_gang();
    table.dissolve(0, 0xff);
    return alone(table);
  };
  targets["vws.memsplit.group-first-new"] = [] { return gang_size(grouped(false), 0); };
  targets["vws.memsplit.group-first-rest"] = [] { return gang_size(grouped(false), 7); };
  targets["vws.memsplit.group-second-singleton"] = [] { return alone(grouped(true)); };
  targets["vws.memsplit.group-rest"] = [] { return gang_size(grouped(true), 7); };
  targets["vws.reform.merged-size"] = [] { return std::popcount(merged("A.A.B...")); };
  targets["vws.reform.late-no-merge"] = [] { return std::popcount(merged("A.B.C...")); };

  const auto granted = [](SliceMask wanting, unsigned ports, unsigned first) {
    FetchPortArbiter arbiter(8);
    arbiter.grant(static_cast<SliceMask>(1u << (first - 1)), 1);  // then it is its turn
    return std::popcount(arbiter.grant(wanting, ports));
  };
  // A gang has one of the two ports, in the first cycle.
  targets["vws.fetch.two-ports-grants"] = [=] { return 1 + granted(0x52, 1, 4); };
  targets["vws.fetch.two-ports-next"] = [=] { return granted(0x42, 2, 5); };
  targets["vws.fetch.l0-hit-served"] = [=] { return 1 + 1 + granted(0x12, 1, 4); };
}

Evaluations all_targets() {
  Evaluations targets;
  add_areas(targets);
  add_structures(targets);
  add_logic(targets);
  return targets;
}

TEST(WarpSizeTargets, HaveAnEvaluationEachAndNoOther) {
  const Evaluations all = all_targets();
  expect_one_each("vws.", all, kOnlyStated);
  for (const auto& different : kDiffers) EXPECT_EQ(all.count(different.first), 1u) << different.first;
}

TEST(WarpSizeTargets, AreWhatOurCodeGives) { expect_as_stated(all_targets(), kDiffers); }

}  // namespace
}  // namespace heddle::studies
