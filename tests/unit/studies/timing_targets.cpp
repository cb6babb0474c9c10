// SPDX-License-Identifier: Apache-2.0
// Timing targets: packets as they issue, on the smallest machine around a preset's core. Source:
// docs/sources/large-warps-and-database-search.md, 2.1, 2.5.4, 3.3 and 3.7. Cycle 0 is the fetch. The model accesses
// the instruction cache and packs the first sub-warp in the same cycle, that of the pick; the source's pipeline packs
// sub-warps in the stage after the fetch.
#include <algorithm>

#include "large_warp_targets.h"
#include "logged_core.h"

namespace heddle::studies {
namespace {

constexpr Cycle kStageBehindFetch = 1;

/// The machine of this process.
LoggedCore& core(const std::string& preset) {
  static LoggedCore only(machine_of(preset).gpu);
  return only;
}

std::string repeated(unsigned count, const std::string& text) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += text;
  return all;
}

constexpr unsigned kRun = 12;  // instructions of a run; the middle is measured

/// One full large warp alone on the core, in the middle of a run of arithmetic or of branches that all threads take.
struct Alone {
  Log log;
  std::vector<Cycle> one, next;  ///< sub-warps of one instruction and of that behind it

  explicit Alone(bool branches) {
    std::string body = repeated(kRun, "add.s32 %r2, %r1, %r1;\n");
    if (branches) {
      body.clear();
      for (unsigned i = 0; i < kRun; ++i) {
        const std::string label = "L" + std::to_string(i);
        body += "@%p1 bra " + label + "; add.s32 %r1, %r1, 1; " + label + ":\n";
      }
    }
    log = core("large-warp-core").log(body, 256);
    const auto run = log.counters_of(branches ? isa::Opcode::bra : isa::Opcode::add);
    one = log.packets_of(run.at(run.size() - kRun / 2));
    next = log.packets_of(run.at(run.size() - kRun / 2 + 1));
    EXPECT_EQ(one.size(), 8u) << "sub-warps";
    EXPECT_EQ(next.size(), 8u) << "sub-warps";
  }
  Cycle fetch() const { return one.front(); }
  double bubbles() const { return static_cast<double>(next.front() - one.back() - 1); }
};

/// The first cycle in which the large warp could be fetched again, after its first sub-warp has completed.
double fetch_possible_after_arithmetic() {
  const Alone alone(false);
  for (const Sample& sample : alone.log.samples) {
    if (sample.cycle >= alone.fetch() && !sample.in_pipeline) return static_cast<double>(sample.cycle - alone.fetch());
  }
  return 0;
}
double refetch_after_branch() {
  const Alone alone(true);
  return static_cast<double>(alone.next.front() - alone.fetch());
}
/// The last cycle in which threads of the branch are in flight; those after it follow in the next. The bits are the
/// packer's, whose cycles are counted in the stage after the fetch.
double branch_complete() {
  const Alone alone(true);
  std::uint64_t issued = 0, with_branch = 0;
  for (const Sample& sample : alone.log.samples) {
    for (const Issue& issue : sample.issues) issued += issue.threads;
    if (sample.cycle == alone.one.back()) with_branch = issued;
    if (with_branch != 0 && issued - sample.in_flight >= with_branch)
      return static_cast<double>(sample.cycle - 1 - alone.fetch() + kStageBehindFetch);
  }
  return 0;
}

double blocks_of_the_packer() {
  const Structure* find_first = core("large-warp-core").structure("sm0.packer.find_first");
  EXPECT_TRUE(find_first->logic());
  EXPECT_EQ(find_first->bits_per_entry(), 8u);
  return static_cast<double>(find_first->entries());
}

/// Cycles from one instruction of a warp to the next, alone on the core.
double barrel_refetch() {
  const Log log = core("barrel-core").log(repeated(kRun, "add.s32 %r2, %r1, %r1;\n"), 32);
  const auto run = log.counters_of(isa::Opcode::add);
  return static_cast<double>(log.packets_of(run.at(run.size() - 1)).at(0) -
                             log.packets_of(run.at(run.size() - 2)).at(0));
}

/// Issue slots that `if (x < y) x++` of four threads takes.
double slots_of_predicated(const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  std::vector<std::uint32_t> memory = x, expected = x;
  memory.insert(memory.end(), y.begin(), y.end());
  const std::string loads = "ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd1+16];\n";
  const std::string store = "st.global.u32 [%rd1], %r2;\n";
  const auto slots = [&](const std::string& body) { return core("barrel-core").log(body, 4, memory).packets(); };
  const std::size_t without = slots(loads + store);
  EXPECT_EQ(std::vector(memory.begin(), memory.begin() + 4), x);
  const std::size_t with = slots(loads + "setp.lt.s32 %p2, %r2, %r3; @%p2 add.s32 %r2, %r2, 1;\n" + store);
  for (unsigned i = 0; i < 4; ++i) expected[i] += x[i] < y[i] ? 1 : 0;
  EXPECT_EQ(std::vector(memory.begin(), memory.begin() + 4), expected);
  return static_cast<double>(with - without);
}

/// The smallest group of warps with which a packet issues in every cycle.
double smallest_fetch_group() {
  LoggedCore& logged = core("two-level-core");
  for (unsigned warps = 1; warps <= 8; ++warps) {
    const Log log = logged.log(repeated(2 * kRun, "add.s32 %r2, %r1, %r1;\n"), 32 * warps);
    const auto run = log.counters_of(isa::Opcode::add);
    const Cycle from = log.packets_of(run.at(run.size() - kRun)).front(),
                to = log.packets_of(run.at(run.size() - 2)).front();
    const auto issues = std::count_if(log.samples.begin(), log.samples.end(),
                                      [&](auto& s) { return !s.issues.empty() && s.cycle >= from && s.cycle < to; });
    if (static_cast<Cycle>(issues) == to - from) return warps;
  }
  return 0;
}

}  // namespace

void add_large_warp_core_targets(Evaluations& targets) {
  targets["lw.timing.alu-first-refetch"] = fetch_possible_after_arithmetic;
  targets["lw.timing.alu-bubbles"] = [] { return Alone(false).bubbles(); };
  targets["lw.timing.branch-complete"] = branch_complete;
  targets["lw.timing.branch-refetch"] = refetch_after_branch;
  targets["lw.timing.branch-next-subwarp"] = [] { return refetch_after_branch() + kStageBehindFetch; };
  targets["lw.timing.branch-bubbles"] = [] { return Alone(true).bubbles(); };
  targets["lw.ex3.7.tail-bubbles"] = [] { return Alone(true).bubbles(); };
  targets["lw.cost.storage-total"] = [] { return core("large-warp-core").bytes_added_by("large_warps"); };
  targets["lw.cost.packer-find-first"] = blocks_of_the_packer;
}

void add_barrel_core_targets(Evaluations& targets) {
  targets["lw.timing.barrel-refetch"] = barrel_refetch;
  targets["lw.sec2.1.3.1.predicated-slots"] = [] { return slots_of_predicated({1, 5, 3, 9}, {2, 5, 7, 0}); };
  targets["lw.sec2.1.3.1.all-false-slots"] = [] { return slots_of_predicated({2, 5, 7, 9}, {2, 5, 7, 0}); };
}

void add_two_level_core_targets(Evaluations& targets) { targets["lw.sec4.3.min-fg-size"] = smallest_fetch_group; }

}  // namespace heddle::studies
