// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional/functional_report.h"

#include <fmt/format.h>

#include <bit>

#include "gpu/functional/functional_block.h"
#include "isa/collective.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

std::string waits_for(const FunctionalBlock& block, const FunctionalWarp& warp, const Split& split) {
  const isa::Kernel& kernel = *block.state().launch->kernel;
  if (split.state == Split::State::barrier) {
    const BlockBarrier& barrier = block.barrier(split.barrier);
    if (barrier.expected == 0) {
      return fmt::format("wait at barrier {} for every thread of the block; {} are there", split.barrier,
                         barrier.waiting);
    }
    return fmt::format("wait at barrier {} for {} threads; {} are there", split.barrier, barrier.expected,
                       barrier.waiting + barrier.arrived);
  }
  if (split.state == Split::State::rendezvous) {
    const isa::MicroOp& op = kernel.ops[split.pc];
    const auto lane = static_cast<unsigned>(std::countr_zero(split.mask));
    const auto named = static_cast<std::uint32_t>(
        value_of(op.sources[isa::member_mask_source(op)], isa::OperandBases(warp.state()), lane));
    return fmt::format(
        "wait for the threads {} named in the mask",
        isa::describe_lanes(named & warp.state().live & ~split.mask, warp.state().index * isa::kWordThreads));
  }
  return "run";
}

}  // namespace

void describe_endless(const FunctionalBlock& block, const FunctionalWarp& warp, const isa::LoopWatch& loop,
                      const isa::MemoryPort& port, std::vector<isa::Situation>& all) {
  std::uint32_t running = 0;
  for (unsigned i = 0; i < warp.split_count(); ++i) {
    const Split& split = warp.split(i);
    if (split.state == Split::State::ready) {
      running |= split.mask;
      continue;
    }
    all.push_back({describe_threads(warp.state(), split.mask),
                   fmt::format("{}: {}", waits_for(block, warp, split), describe_instruction(warp.state(), split.pc))});
  }
  if (running == 0) return;
  all.push_back({describe_threads(warp.state(), running), loop.describe(*block.state().launch->kernel, port)});
}

std::string describe_waiting(const FunctionalBlock& block, unsigned max_lines) {
  std::string text;
  unsigned lines = 0, left_out = 0;
  for (const FunctionalWarp& warp : block.warps()) {
    for (unsigned i = 0; i < warp.split_count(); ++i) {
      const Split& split = warp.split(i);
      if (lines == max_lines) {
        ++left_out;
        continue;
      }
      ++lines;
      text += fmt::format("\n  {} {}: {}", describe_threads(warp.state(), split.mask), waits_for(block, warp, split),
                          describe_instruction(warp.state(), split.pc));
    }
  }
  if (left_out != 0) text += fmt::format("\n  and {} more groups", left_out);
  return text;
}

}  // namespace heddle::gpu
