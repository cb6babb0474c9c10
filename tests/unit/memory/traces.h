// SPDX-License-Identifier: Apache-2.0
// Small L1 traces for tests.
#pragma once

#include <string>

#include "memory/locality/l1_trace.h"

namespace heddle::memory::test {

/// A machine with one cache; 128-byte lines.
inline TracedMachine machine(unsigned sets, unsigned ways) {
  TracedMachine machine;
  machine.name = "toy";
  machine.cache.sets = sets;
  machine.cache.ways = ways;
  return machine;
}

/// A kernel with a load in a loop, place 0, and one behind it, place 1.
inline TracedKernel kernel() {
  TracedKernel kernel;
  kernel.name = "toy";
  kernel.files = {"", "toy.cu"};
  kernel.loops = {{3, -1, 1, {1, 10}}};
  kernel.places = {{4, 40, 0, {1, 11}, "ld.global.f32 %f1, [%rd1]"}, {9, 90, -1, {1, 20}, "ld.global.f32 %f2, [%rd2]"}};
  return kernel;
}

/// Adds accesses to an SM, as a program would make them.
class Trace {
 public:
  /// warps: of one block.
  explicit Trace(unsigned warps) {
    sm.warps.resize(warps);
    for (unsigned w = 0; w < warps; ++w) sm.warps[w].warp = static_cast<std::uint16_t>(w);
  }
  /// A load of the lines that the letters name, in a trip of the loop.
  Trace& load(unsigned warp, const std::string& lines, unsigned trip = 1, std::uint32_t lanes = 1) {
    for (const char line : lines) add(warp, line, TracedKind::load, trip).lanes = lanes;
    ++instruction;
    return *this;
  }
  Trace& load_behind_loop(unsigned warp, char line) {
    add(warp, line, TracedKind::load, 0).place = 1;
    ++instruction;
    return *this;
  }
  Trace& store(unsigned warp, char line) {
    add(warp, line, TracedKind::store, 1);
    ++instruction;
    return *this;
  }
  Trace& barrier(unsigned warp) {
    add(warp, 'A', TracedKind::barrier, 1);
    ++instruction;
    return *this;
  }
  /// What the recorded cache answered, one letter per access: o, x, g, m, -.
  TracedLaunch launch(const std::string& outcomes = "") {
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      sm.accesses[i].outcome = static_cast<TracedOutcome>(std::string("-oxgm").find(outcomes[i]));
    TracedLaunch launch;
    launch.launch = 1;
    launch.warp_instructions = 100;
    launch.thread_instructions = 1000;
    launch.cycles = 500;
    launch.times = {10, 100, 4};
    launch.sms = {sm};
    return launch;
  }

  TracedSm sm;

 private:
  TracedAccess& add(unsigned warp, char line, TracedKind kind, unsigned trip) {
    TracedAccess access;
    access.address = 128 * static_cast<std::uint64_t>(line - 'A');
    access.warp = warp;
    access.kind = kind;
    access.trip = trip;
    access.lanes = 1;
    access.sectors = 0xf;
    access.active = 32;
    access.instruction = instruction;
    return sm.accesses.emplace_back(access);
  }
  std::uint32_t instruction = 0;
};

}  // namespace heddle::memory::test
