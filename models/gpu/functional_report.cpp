// SPDX-License-Identifier: Apache-2.0
#include "gpu/functional_report.h"

#include <fmt/format.h>

#include <bit>

#include "gpu/functional_block.h"
#include "gpu/operands.h"

namespace heddle::gpu {
namespace {

std::string ranges(std::uint32_t mask, std::uint32_t base) {
  std::string text;
  for (unsigned i = 0; i < isa::kWordThreads; ++i) {
    if ((mask >> i & 1) == 0) continue;
    unsigned last = i;
    while (last + 1 < isa::kWordThreads && (mask >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", base + i);
    if (last > i) text += fmt::format("-{}", base + last);
    i = last;
  }
  return text;
}

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
        value_of(op.sources[FunctionalProgram::member_mask_source(op)], OperandBases(warp.state()), lane));
    return fmt::format("wait for the threads {} named in the mask",
                       ranges(named & warp.state().live & ~split.mask, warp.state().index * isa::kWordThreads));
  }
  return "run";
}

}  // namespace

std::string describe_threads(const isa::WarpState& warp, std::uint32_t mask) {
  const Dim3& block = warp.block->index;
  return fmt::format("threads {} of block ({},{},{})", ranges(mask, warp.index * isa::kWordThreads), block.x, block.y,
                     block.z);
}

std::string describe_instruction(const isa::WarpState& warp, std::uint32_t pc) {
  return describe_instruction(*warp.block->launch->kernel, pc);
}

std::string describe_instruction(const isa::Kernel& kernel, std::uint32_t pc) {
  if (pc >= kernel.ops.size()) return fmt::format("the end of kernel '{}'", kernel.name);
  const isa::MicroOp& op = kernel.ops[pc];
  std::string text = fmt::format("{}:{}", kernel.ptx_name, op.ptx_line);
  if (op.text < kernel.texts.size()) text += fmt::format(" `{}`", kernel.texts[op.text]);
  if (op.source_file != 0 && op.source_file < kernel.files.size()) {
    text += fmt::format(" ({}:{})", kernel.files[op.source_file], op.source_line);
  }
  return text;
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
