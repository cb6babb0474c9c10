// SPDX-License-Identifier: Apache-2.0
#include "gpu/occupancy.h"

#include <algorithm>

#include "core/error.h"

namespace heddle::gpu {
namespace {

std::uint64_t allocated(std::uint64_t value, std::uint64_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy occupancy(const DeviceLimits& limits, const BlockNeeds& needs) {
  const std::uint32_t warps = (std::max(needs.threads, 1u) + 31) / 32;
  Occupancy result{limits.max_blocks_per_sm, "blocks"};
  const auto bound = [&result](std::uint64_t available, std::uint64_t each, const char* what) {
    if (each == 0 || available / each >= result.blocks_per_sm) return;
    result = {static_cast<std::uint32_t>(available / each), what};
  };
  if (needs.threads > limits.max_threads_per_block) return {0, "threads of a block"};
  if (needs.shared_bytes > limits.shared_bytes_per_block) return {0, "shared memory of a block"};
  if (needs.registers_per_thread > limits.max_registers_per_thread) return {0, "registers of a thread"};
  // With narrow warps, blocks may share an ISA warp's threads.
  const std::uint64_t threads = allocated(std::max(needs.threads, 1u), limits.thread_allocation_unit);
  if (limits.thread_allocation_unit % 32 == 0) bound(limits.max_warps_per_sm, threads / 32, "warps");
  bound(limits.max_threads_per_sm, threads, "threads");
  bound(limits.registers_per_sm,
        warps * allocated(std::uint64_t{needs.registers_per_thread} * 32, limits.register_allocation_unit),
        "registers");
  bound(limits.shared_bytes_per_sm, allocated(needs.shared_bytes, limits.shared_allocation_unit), "shared memory");
  return result;
}

std::uint32_t register_limit(const DeviceLimits& limits, const isa::Kernel& kernel) {
  std::uint32_t limit = std::max(limits.max_registers_per_thread, 1u);
  if (kernel.max_registers != 0) limit = std::min(limit, kernel.max_registers);
  if (kernel.max_threads[0] == 0) return limit;
  BlockNeeds needs{1, 0, kernel.static_shared_bytes};
  for (const std::uint32_t extent : kernel.max_threads) needs.threads *= std::max(extent, 1u);
  const std::uint32_t blocks = std::min(occupancy(limits, needs).blocks_per_sm, std::max(kernel.min_blocks, 1u));
  needs.registers_per_thread = limit;
  return fitting_registers(limits, needs, blocks);
}

std::uint32_t fitting_registers(const DeviceLimits& limits, BlockNeeds needs, std::uint32_t blocks) {
  while (needs.registers_per_thread > 1 && occupancy(limits, needs).blocks_per_sm < blocks)
    --needs.registers_per_thread;
  return needs.registers_per_thread;
}

std::uint32_t narrower_registers(const DeviceLimits& limits, const isa::Kernel& kernel, std::uint32_t threads,
                                 std::uint32_t dynamic_shared) {
  BlockNeeds needs{threads, kernel.registers, kernel.static_shared_bytes + dynamic_shared};
  if (!limits.spill_registers || occupancy(limits, needs).blocks_per_sm != 0) return 0;
  needs.registers_per_thread = fitting_registers(limits, needs, 1);
  return occupancy(limits, needs).blocks_per_sm == 0 ? 0 : needs.registers_per_thread;
}

void check_launch(const DeviceLimits& limits, const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const std::uint64_t threads = request.block.volume();
  const std::uint64_t shared = std::uint64_t{kernel.static_shared_bytes} + request.dynamic_shared_bytes;
  if (request.grid.volume() == 0 || threads == 0) {
    fail(ExitCode::launch, "kernel '{}': the grid or the block is empty", kernel.name);
  }
  if (threads > limits.max_threads_per_block) {
    fail(ExitCode::launch, "kernel '{}': {} threads per block, the machine supports at most {}", kernel.name, threads,
         limits.max_threads_per_block);
  }
  if (shared > limits.shared_bytes_per_block) {
    fail(ExitCode::launch,
         "kernel '{}': {} bytes of shared memory per block ({} static, {} dynamic), the machine has {}", kernel.name,
         shared, kernel.static_shared_bytes, request.dynamic_shared_bytes, limits.shared_bytes_per_block);
  }
  const BlockNeeds needs{static_cast<std::uint32_t>(threads), kernel.registers, static_cast<std::uint32_t>(shared)};
  if (const Occupancy fit = occupancy(limits, needs); fit.blocks_per_sm == 0) {
    fail(ExitCode::launch,
         "kernel '{}': one block ({} threads, {} registers per thread, {} bytes of shared memory) does not fit on an "
         "SM: {} exceeded. Launch smaller blocks{}.",
         kernel.name, threads, kernel.registers, shared, fit.limit,
         limits.spill_registers ? "" : ", or allow register spilling (spill_registers=true)");
  }
}

}  // namespace heddle::gpu
