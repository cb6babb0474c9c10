// SPDX-License-Identifier: Apache-2.0
#include "sm/residency/sm_resources.h"

#include <algorithm>
#include <limits>

namespace heddle::sm {

namespace {

unsigned round_up(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void ResidencyParameters::describe(ParameterVisitor& v) {
  v("threads", threads, "maximum resident threads", unit::kThreads, multiple_of(4, 4, 4096));
  v("blocks", blocks, "maximum resident blocks", unit::kBlocks, range(1, 64));
  v("registers", registers, "32-bit registers of the register file", unit::kRegisters, range(64, 1 << 20));
  v("register_unit", register_unit, "granularity in which registers are allocated to a warp of 32 threads",
    unit::kRegisters, power_of_two(1, 1024));
  v("shared_bytes", shared_bytes, "size of shared memory", unit::kBytes, range(0, 1 << 20));
  v("shared_unit", shared_unit, "granularity in which shared memory is allocated to a block", unit::kBytes,
    power_of_two(1, 4096));
  v("policy", policy, "which warps of a block start when, and when their resources are free again");
}

BlockNeed BlockNeed::of(const isa::Kernel& kernel, unsigned block_threads, unsigned shared_bytes, unsigned granule,
                        const ResidencyParameters& limits) {
  BlockNeed need;
  need.threads = round_up(block_threads, granule);
  const unsigned words = (block_threads + isa::kWordThreads - 1) / isa::kWordThreads;
  need.registers = words * round_up(kernel.registers * isa::kWordThreads, limits.register_unit);
  need.shared_bytes = round_up(shared_bytes, limits.shared_unit);
  need.granules = std::max(1u, need.threads / granule);
  return need;
}

void SmResources::take(const BlockNeed& need) {
  take_block(need);
  threads_ += need.threads;
  registers_ += need.registers;
}

void SmResources::release(const BlockNeed& need) {
  release_block(need);
  threads_ -= need.threads;
  registers_ -= need.registers;
}

unsigned SmResources::granules_that_fit(const BlockNeed& need) const {
  const auto fit = [](unsigned limit, unsigned used, unsigned each) {
    return each == 0 ? std::numeric_limits<unsigned>::max() : (limit - used) / each;
  };
  return std::min({need.granules, fit(limits_.threads, threads_, need.granule_threads()),
                   fit(limits_.registers, registers_, need.granule_registers())});
}

void SmResources::take_block(const BlockNeed& need) {
  ++blocks_;
  shared_ += need.shared_bytes;
}

void SmResources::release_block(const BlockNeed& need) {
  --blocks_;
  shared_ -= need.shared_bytes;
}

void SmResources::take_granules(const BlockNeed& need, unsigned granules) {
  threads_ += granules * need.granule_threads();
  registers_ += granules * need.granule_registers();
}

void SmResources::release_granules(const BlockNeed& need, unsigned granules) {
  threads_ -= granules * need.granule_threads();
  registers_ -= granules * need.granule_registers();
}

unsigned SmResources::capacity(const BlockNeed& need, std::string* limit) const {
  unsigned best = limits_.blocks;
  const char* by = "blocks";
  const auto consider = [&](unsigned available, unsigned needed, const char* what) {
    const unsigned fit = needed == 0 ? std::numeric_limits<unsigned>::max() : available / needed;
    if (fit < best) {
      best = fit;
      by = what;
    }
  };
  consider(limits_.threads, need.threads, "threads");
  consider(limits_.registers, need.registers, "registers");
  consider(limits_.shared_bytes, need.shared_bytes, "shared memory");
  if (limit != nullptr) *limit = by;
  return best;
}

}  // namespace heddle::sm
