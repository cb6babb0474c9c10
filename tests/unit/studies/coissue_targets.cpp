// SPDX-License-Identifier: Apache-2.0
// Packets as they issue on the interweaving machines: what their units take, and distances of dependent instructions.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.1, 2.2, 3 (V9, V10) and 4 (table 2).
#include <algorithm>
#include <functional>

#include "interweaving_targets.h"
#include "logged_core.h"
#include "tests/module/sm/interweaving_kernels.h"

namespace heddle::studies {
namespace {

using namespace interweaving_kernels;

/// The machine of this process.
LoggedCore& core(const std::string& preset) {
  static LoggedCore only(machine_of(preset).gpu);
  return only;
}

/// One block of 1024 threads runs instructions of interweaving_kernels.h.
Log busy(const std::string& preset, const std::string& body) {
  constexpr unsigned kThreads = 1024;
  return core(preset).log(".shared .align 4 .b32 box[2048]; mov.u64 %rd2, %rd1; " + begin() + body + end(), kThreads,
                          std::vector<std::uint32_t>(kThreads));
}

using Counted = std::function<double(const isa::MicroOp&, const Issue&)>;

/// The most that issues in so many cycles in a row.
double most_in(const Log& log, Cycle cycles, const Counted& count) {
  double most = 0, sum = 0;
  const auto of_cycle = [&](const Sample& sample) {
    double value = 0;
    for (const Issue& issue : sample.issues) value += count(log.kernel->ops[issue.pc], issue);
    return value;
  };
  auto oldest = log.samples.begin();
  for (const Sample& sample : log.samples) {
    sum += of_cycle(sample);
    for (; oldest->cycle + cycles <= sample.cycle; ++oldest) sum -= of_cycle(*oldest);
    most = std::max(most, sum);
  }
  return most;
}

/// Cycles in which every unit takes a whole number of instructions: those of the narrowest.
Cycle cycle_of_units(const std::string& preset) {
  const sm::SmParameters core = sm_of(preset);
  return core.warp_size / core.sfu.lanes;
}

/// Per cycle, when all units work. Instructions of control flow need no unit. A stretch of cycles may begin with an
/// instruction that was latched for the next, so that the longer one of two tells what a cycle more has.
double peak(const std::string& preset, const std::string& body, const Counted& count) {
  const Cycle cycles = cycle_of_units(preset);
  const auto of_units = [&](const isa::MicroOp& op, const Issue& issue) {
    return op.unit == isa::Unit::control ? 0 : count(op, issue);
  };
  const Log log = busy(preset, body);
  return (most_in(log, 2 * cycles, of_units) - most_in(log, cycles, of_units)) / static_cast<double>(cycles);
}
double threads_of(const isa::MicroOp&, const Issue& issue) { return static_cast<double>(issue.threads); }
double one_each(const isa::MicroOp&, const Issue&) { return 1; }

/// Waves of an instruction: cycles that an instance of the unit takes for each, without rest.
double waves(const std::string& preset, isa::Unit unit, unsigned instances, const std::string& body) {
  constexpr Cycle kCycles = 32;
  const double most = most_in(busy(preset, body), kCycles,
                              [&](const isa::MicroOp& op, const Issue&) { return op.unit == unit ? 1 : 0; });
  return instances * static_cast<double>(kCycles) / most;
}

std::string loads() {
  std::string text;
  for (unsigned i = 0; i < 40; ++i) text += fmt::format("ld.shared.f32 %f{}, [%r29]; ", 2 + i % 10);
  return text;
}
std::string specials() {
  std::string text;
  for (unsigned i = 0; i < 20; ++i) text += fmt::format("ex2.approx.ftz.f32 %f{0}, %f{0}; ", 2 + i % 10);
  return text;
}

void add_waves(Evaluations& targets, const std::string& name, const std::string& preset) {
  const auto add_unit = [&](const std::string& unit, auto evaluate) {
    targets["bwi.waves." + name + "-" + unit] = evaluate;
  };
  add_unit("mad", [=] { return waves(preset, isa::Unit::alu, sm_of(preset).alu.count, adds(100)); });
  add_unit("lsu", [=] { return waves(preset, isa::Unit::memory, 1, loads()); });
  add_unit("sfu", [=] { return waves(preset, isa::Unit::sfu, sm_of(preset).sfu.count, specials()); });
}

/// Cycles from an addition to the next, which needs its sum, of a warp alone.
double dependent_distance(const std::string& preset) {
  constexpr unsigned kAdditions = 12;
  std::string body = "mov.u32 %r2, %r1;\n";
  for (unsigned i = 0; i < kAdditions; ++i) body += "add.s32 %r2, %r2, %r1;\n";
  std::vector<std::uint32_t> memory(64);
  const Log log = core(preset).log(body + "st.global.u32 [%rd1], %r2;", sm_of(preset).warp_size, memory);
  const auto run = log.counters_of(isa::Opcode::add);
  const auto issued = [&](std::size_t behind) { return log.packets_of(run.at(run.size() - behind)).at(0); };
  EXPECT_EQ(issued(2) - issued(3), issued(3) - issued(4));
  return static_cast<double>(issued(2) - issued(3));
}

/// A load of neighbouring words, or of words a line apart.
struct Load {
  double transactions = 0, replays = 0;

  Load(const std::string& preset, unsigned threads, unsigned stride) {
    // %rd3: the first line of the memory.
    const std::string address = "sub.s64 %rd3, %rd1, %rd2; add.s64 %rd3, %rd3, 127; and.b64 %rd3, %rd3, -128;\n" +
                                fmt::format("mad.wide.u32 %rd4, %r1, {}, %rd3;\n", stride);
    const std::vector<std::uint32_t> memory(64 * 1024);
    LoggedCore& machine = core(preset);
    const auto run = [&](const std::string& body) {
      const double sent = machine.counted("memory.transactions"), again = machine.counted("memory.replays");
      machine.log(body, threads, memory);
      return std::pair(machine.counted("memory.transactions") - sent, machine.counted("memory.replays") - again);
    };
    // The address of the memory is loaded as well.
    const auto alone = run(address), with = run(address + "ld.global.u32 %r2, [%rd4];");
    transactions = with.first - alone.first;
    replays = with.second - alone.second;
  }
};

}  // namespace

void add_interweaving_baseline_targets(Evaluations& targets) {
  const std::string preset = "interweaving-baseline";
  targets["bwi.peak.baseline"] = [=] { return peak(preset, adds(200), threads_of); };
  add_waves(targets, "baseline", preset);
  targets["bwi.tab2.dependent-issue-baseline"] = [=] { return dependent_distance(preset); };
  targets["bwi.v10.coalesced-32"] = [=] { return Load(preset, 32, 4).transactions; };
}

void add_interweaving_frontiers_targets(Evaluations& targets) {
  targets["bwi.peak.tf64"] = [] { return peak("interweaving-frontiers", adds(200), threads_of); };
}

void add_branch_interweaving_targets(Evaluations& targets) {
  const std::string preset = "interweaving-sm";
  targets["bwi.peak.sbi"] = [=] { return peak(preset, mixture(), threads_of); };
  add_waves(targets, "wide", preset);
  targets["bwi.tab2.dependent-issue-sbi"] = [=] { return dependent_distance(preset); };
  targets["bwi.v10.coalesced-64"] = [=] { return Load(preset, 64, 4).transactions; };
  targets["bwi.v10.stride-128"] = [=] { return Load(preset, 64, 128).transactions; };
  targets["bwi.v10.replays-64"] = [=] { return Load(preset, 64, 4).replays; };
}

void add_warp_interweaving_targets(Evaluations& targets) {
  const std::string preset = "interweaving-warps";
  targets["bwi.peak.swi"] = [=] { return peak(preset, mixture(), threads_of); };
  targets["bwi.v9.instructions-per-cycle"] = [=] { return peak(preset, mixture(), one_each); };
  targets["bwi.tab2.dependent-issue-swi"] = [=] { return dependent_distance(preset); };
}

}  // namespace heddle::studies
