// SPDX-License-Identifier: Apache-2.0
#include "isa/fault.h"

#include "isa/describe.h"

namespace heddle::isa {

void fail_trap(const WarpState& warp, std::uint32_t mask, std::uint32_t pc) {
  throw KernelFault(FaultKind::trap, fmt::format("kernel '{}': trap by {} at {}", warp.block->launch->kernel->name,
                                                 describe_threads(warp, mask), describe_instruction(warp, pc)));
}

void fail_node_size(const WarpState& warp, unsigned lane, std::uint32_t pc, std::uint32_t node_size) {
  throw KernelFault(FaultKind::operand,
                    fmt::format("kernel '{}': node size {} is not a power of two; {} at {}: a tree traverse shifts by "
                                "the logarithm of the node size, so pad nodes to a power of two",
                                warp.block->launch->kernel->name, node_size, describe_threads(warp, 1u << lane),
                                describe_instruction(warp, pc)));
}

void fail_barrier_number(const WarpState& warp, std::uint32_t mask, std::uint32_t pc, std::uint32_t barrier) {
  fail(ExitCode::no_progress, "kernel '{}': barrier {} does not exist, barriers are numbered 0 to 15; {} at {}",
       warp.block->launch->kernel->name, barrier, describe_threads(warp, mask), describe_instruction(warp, pc));
}

void fail_divergent_barrier(const WarpState& warp, std::uint32_t barrier, const BarrierWait& first,
                            const BarrierWait& second) {
  fail(ExitCode::no_progress,
       "kernel '{}': divergent barrier: threads of one warp wait at different instructions for barrier {}, which "
       "hardware that runs a warp in lock step never completes. {} wait at {}; {} wait at {}. Move the barrier out of "
       "the divergent branch.",
       warp.block->launch->kernel->name, barrier, describe_threads(warp, first.mask),
       describe_instruction(warp, first.pc), describe_threads(warp, second.mask),
       describe_instruction(warp, second.pc));
}

}  // namespace heddle::isa
