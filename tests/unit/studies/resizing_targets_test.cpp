// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of dynamic warp resizing: our code must give exactly the
// source's number. Source: docs/sources/dynamic-warp-resizing.md, 2, 3, 4 and 6.
#include <gtest/gtest.h>

#include "declared.h"
#include "isa/module.h"
#include "sm/grouping/resizing/parameters.h"
#include "sm/grouping/resizing/partner_barriers.h"
#include "sm/grouping/resizing/pc_table.h"
#include "targets.h"
#include "tests/unit/isa/front_end_fixture.h"

namespace heddle::studies {
namespace {

using namespace sm;

const char* const kStudy = "a property of benchmarks, which the study measures or lists";
const char* const kTable = "a count of rows or threads in the source's table, whose programs are not ours";
const char* const kMachine = "on a running machine: tests/module/sm/resizing_machines_test.cpp";
const char* const kVectors = "number by number: tests/unit/sm/resizing_test.cpp";
const char* const kListing = "instruction by instruction: tests/unit/sm/partner_barriers_test.cpp";
const char* const kNoRule = "a machine without the rule is not built";

const OnlyStated kOnlyStated = [] {
  OnlyStated out = {
      {"dwr.sec4a.non-lat-narrow", kStudy},
      {"dwr.sec6c.NNC-all-ignored", kStudy},
      {"dwr.sec4e.MP-over-capacity", kStudy},
      {"dwr.tab1.zero-rows", kTable},
      {"dwr.tab1.nonzero-rows", kTable},
      {"dwr.tab1.benchmarks", kTable},
      {"dwr.tab1.launches.FWAL", kTable},
      {"dwr.tab1.launches.NW", kTable},
      {"dwr.struct.ilt-byte-pc", kVectors},
      {"dwr.s3.1.barrier-positions", kListing},
      {"dwr.s3.1.barrier-positions-param", kListing},
      {"dwr.s3.2.without-rule", kNoRule},
      {"dwr.s3.3.without-rule", kNoRule},
      {"dwr.s3.4.no-deadlock", kMachine},
      {"dwr.s3.5.1.issue-cycles", kMachine},
      {"dwr.s3.5.7.effect-0", kMachine},
      {"dwr.s3.5.7.effect-1", kMachine},
      {"dwr.s3.5.7.issue-first", kMachine},
      {"dwr.s3.5.7.issue-last", kMachine},
  };
  for (const char* name :
       {"BFS", "BKP", "CP", "DYN", "GAS", "HSPT", "FWAL", "MP", "MTM", "MU", "NNC", "NQU", "SC", "NW"})
    out[std::string("dwr.tab1.lat-total.") + name] = kStudy;
  for (const char* name : {"MU", "MP", "NNC", "NQU", "SC", "MTM", "HSPT"})
    out[std::string("dwr.tab1.threads.") + name] = kTable;
  for (const char* name :
       {"with-rule", "separate-warps", "ilt-after", "ilt-after-reverse", "second-pass-late", "second-pass-early"})
    out[std::string("dwr.s3.2.") + name] = kVectors;
  for (const char* name : {"released", "ilt-after"}) out[std::string("dwr.s3.3.") + name] = kVectors;
  for (const char* name : {"1.warp-size", "1.mask", "1.threads", "1.lock-sequence", "2.window", "3.exited-partner",
                           "3.partner-exits", "4.absent.NNC", "4.arrivals.NNC", "4.groups.NQU", "5.lock", "5.waiting",
                           "5.ilt-before", "5.ilt-after", "5.lock-after", "5.sizes"})
    out[std::string("dwr.s3.5.") + name] = kVectors;
  for (const char* what : {"requests", "rate"}) {
    for (const char* warp : {"fixed-8", "fixed-16", "fixed-32", "fixed-64"}) {
      out[std::string("dwr.s3.5.8.") + what + ".4B." + warp] = kMachine;
      for (const char* bytes : {"1B", "8B"})
        out[std::string("dwr.s3.5.9.") + what + "." + bytes + "." + warp] = kMachine;
    }
  }
  return out;
}();

double entry_bits(const Structure& structure) {
  double bits = 0;
  for (const StructureField& field : structure.fields()) bits += static_cast<double>(field.bits);
  return bits;
}
const Structure& table_of(const std::string& preset, const std::vector<std::string>& settings = {}) {
  return declared(preset, settings).structure("partner_synch.entries");
}
double bytes(const Structure& structure) { return static_cast<double>(structure.bits()) / 8; }

/// A machine of so many lanes with eight partners.
std::vector<std::string> lanes(const std::string& width) {
  return {"sm.simd_width=" + width, "sm.alu.lanes=" + width, "sm.sfu.lanes=" + width, "sm.warp_size=" + width};
}
std::vector<std::string> list(const std::string& sets, const std::string& ways) {
  return {"sm.dynamic_warp_resizing.ilt_sets=" + sets, "sm.dynamic_warp_resizing.ilt_ways=" + ways};
}
const Structure& ignore_list(const std::vector<std::string>& settings = {}) {
  return declared("dwr-64", settings).structure("ignore_list.entries");
}
ResizingParameters resizing_of(const std::string& preset) {
  auto grouping = sm_of(preset).grouping;
  return grouping.settings<ResizingParameters>("dynamic_warp_resizing");
}

// A scheduler's entry: PC and status, and a bit for each thread of a warp as wide as the lanes.
constexpr double kPcBits = 32, kThreadBits = 8, kOldStatusBits = 2, kWarps = 128;
double old_entry() { return kPcBits + kThreadBits + kOldStatusBits; }
double new_entry() {
  return kPcBits + kThreadBits + entry_bits(declared("dwr-64").structure("sub_warp_synchroniser.status"));
}

/// Of the registers, shared memory and L1 data cache of an SM, percent.
double overhead(double added_bits) {
  const SmParameters sm = sm_of("dwr-64");
  const double kilobytes = 4.0 * sm.residency.registers / 1024 + sm.residency.shared_bytes / 1024.0 + 48;
  return rounded(100 * added_bits / 8 / 1024 / kilobytes, 3);
}

void add_costs(Evaluations& targets) {
  for (const char* size : {"64", "32", "16"}) {
    const std::string name = std::string("DWR-") + size, preset = std::string("dwr-") + size;
    targets["dwr.cost.pst." + name] = [=] { return bytes(table_of(preset)); };
    targets["dwr.cost.pst-entry." + name] = [=] { return entry_bits(table_of(preset)); };
    targets["dwr.struct.groups." + name] = [=] { return table_of(preset).entries(); };
  }
  for (const char* width : {"16", "32"})
    targets[std::string("dwr.cost.pst.simd") + width] = [=] { return bytes(table_of("dwr-64", lanes(width))); };
  targets["dwr.cost.ilt.32"] = [] { return bytes(ignore_list()); };
  targets["dwr.cost.ilt.16"] = [] { return bytes(ignore_list(list("4", "4"))); };
  targets["dwr.cost.ilt.8"] = [] { return bytes(ignore_list(list("2", "4"))); };
  targets["dwr.cost.ilt-entry"] = [] { return entry_bits(ignore_list()); };
  targets["dwr.cost.scheduler.base"] = [] { return kWarps * old_entry() / 8; };
  targets["dwr.cost.scheduler.DWR"] = [] { return kWarps * new_entry() / 8; };
  targets["dwr.cost.scheduler.delta"] = [] { return kWarps * (new_entry() - old_entry()) / 8; };
  targets["dwr.cost.scheduler-entry.base"] = [] { return old_entry(); };
  targets["dwr.cost.scheduler-entry.DWR"] = [] { return new_entry(); };
  targets["dwr.cost.comparator"] = [] { return declared("dwr-64").find("partner_synch.pc_compare") != nullptr; };
  const auto tables = [] { return static_cast<double>(table_of("dwr-64").bits() + ignore_list().bits()); };
  targets["dwr.cost.overhead.tables"] = [=] { return overhead(tables()); };
  targets["dwr.cost.overhead.with-status"] = [=] { return overhead(tables() + kWarps * (new_entry() - old_entry())); };
  targets["dwr.cost.register-file"] = [] { return 4.0 * sm_of("dwr-64").residency.registers; };
  targets["dwr.cost.register-row.DWR"] = [] { return 32.0 * sm_of("dwr-64").warp_size; };
  targets["dwr.cost.register-rows.DWR"] = [] {
    return 1.0 * sm_of("dwr-64").residency.registers / sm_of("dwr-64").warp_size;
  };
}

void add_structure(Evaluations& targets) {
  for (const char* size : {"8", "16", "32", "64"}) {
    const std::string name = std::string("fixed-") + size, preset = std::string("dwr-ws") + size;
    targets["dwr.cost.register-row." + name] = [=] { return 32.0 * sm_of(preset).warp_size; };
    targets["dwr.struct.warps-per-sm." + name] = [=] { return declared(preset).warps(); };
    targets["dwr.struct.issue-cycles." + name] = [=] {
      const SmParameters sm = sm_of(preset);
      return sm.single_pipeline ? 1.0 * sm.warp_size / sm.simd_width : 0;
    };
  }
  targets["dwr.struct.ilt-sets"] = [] { return resizing_of("dwr-64").ilt.sets; };
  targets["dwr.struct.barrier-latency"] = [] { return resizing_of("dwr-64").barrier_latency; };
  const auto lines = [](const std::vector<std::string>& settings) {
    const auto tags = machine_of("dwr-64", settings).gpu.sm_classes.front().caches.l1d.cache.tags;
    return 1.0 * tags.sets * tags.ways;
  };
  targets["dwr.struct.l1-lines.48KB"] = [=] { return lines({}); };
  targets["dwr.struct.l1-lines.12KB"] = [=] { return lines({"caches.l1d.sets=32", "caches.l1d.ways=6"}); };
  targets["dwr.struct.l1-lines.192KB"] = [=] { return lines({"caches.l1d.sets=128", "caches.l1d.ways=24"}); };
  targets["dwr.struct.core-clock"] = [] { return machine_of("dwr-64").gpu.clocks.core / 1e6; };
  targets["dwr.struct.mem-clock"] = [] { return machine_of("dwr-64").gpu.clocks.memory / 1e3; };
  targets["dwr.struct.peak"] = [] {
    const gpu::MachineParameters machine = machine_of("dwr-64");
    const auto& sms = machine.gpu.sm_classes.front();
    return rounded(2.0 * sms.count * sms.sm.simd_width * machine.gpu.clocks.core / 1e6, 1);
  };
  targets["dwr.struct.bandwidth"] = [] {
    const gpu::MachineParameters machine = machine_of("dwr-64");
    constexpr double kBytesOfACycle = 8 * 2;
    return rounded(machine.memory.map.controllers * kBytesOfACycle * machine.gpu.clocks.memory / 1e6, 1);
  };
}

// -- listings and lists

const char* const kListing1 =
    "cvt.u64.s32 %d1, %r3;\nld.param.u64 %d2, [parm1];\nadd.u64 %d3, %d2, %d1;\nld.global.s8 %r5, [%d3+0];\n"
    "mov.u32 %r6, 0;\nsetp.eq.s32 %p2, %r5, %r6;\n@%p2 bra END;\nmov.s16 %h2, 0;\nst.global.s8 [%d3+0], %h2;\n"
    "END: ret;\n";

/// Instructions of listing 1, without the `ret` to which its branch leads.
double instructions(LatMask lats) {
  isa::LowerOptions options;
  options.passes = {std::make_shared<PartnerBarriers>(lats)};
  const auto kernel = isa::lower_text(isa::kernel_text(kListing1, ".param .u64 parm1"), "k", options);
  return static_cast<double>(kernel->ops.size()) - 1;
}
/// Insertions into one set until the first one is lost.
double insertions_until_loss(unsigned sets, unsigned ways) {
  PcTable table(PcTableShape{.sets = sets, .ways = ways});
  for (unsigned count = 1;; ++count) {
    if (table.insert((count - 1) * sets) == PcTable::Inserted::evicting) return count;
  }
}

void add_listings(Evaluations& targets) {
  targets["dwr.s3.1.instructions-original"] = [] { return instructions({false, false, false}); };
  targets["dwr.s3.1.instructions-dwr"] = [] { return instructions({}); };
  targets["dwr.s3.1.instructions-param"] = [] { return instructions({true, true, true}); };
  targets["dwr.s3.1.const-excluded"] = [] {
    const auto kernel = isa::lower_body("ld.const.u32 %r1, [%d1]; ret;");
    return is_large_warp_intensive(kernel->ops[0], {true, true, true});
  };
  targets["dwr.s3.5.6.evict-8way"] = [] { return insertions_until_loss(4, 8); };
  targets["dwr.s3.5.6.evict-4way"] = [] { return insertions_until_loss(4, 4); };
  targets["dwr.s3.5.6.index-2set"] = [] { return 32.0 - PcTableShape{.sets = 2, .ways = 4}.tag_bits(); };
}

Evaluations evaluations() {
  Evaluations targets;
  add_costs(targets);
  add_structure(targets);
  add_listings(targets);
  return targets;
}

TEST(ResizingTargets, HaveAnEvaluationEachAndNoOther) {
  const Evaluations all = evaluations();
  expect_one_each("dwr.", all, kOnlyStated);
}

TEST(ResizingTargets, AreWhatOurCodeGives) { expect_as_stated(evaluations(), {}); }

}  // namespace
}  // namespace heddle::studies
