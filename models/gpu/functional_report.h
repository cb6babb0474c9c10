// SPDX-License-Identifier: Apache-2.0
// Words for messages of the functional machine: threads, instructions, and who waits for what.
#pragma once

#include <cstdint>
#include <string>

#include "isa/state.h"

namespace heddle::gpu {

class FunctionalBlock;

/// "threads 32-47 of block (0,1,0)"; threads are numbered within the block, x fastest.
std::string describe_threads(const isa::WarpState& warp, std::uint32_t mask);
/// "kernel.ptx:41 `bar.sync 0;` (app.cu:12)".
std::string describe_instruction(const isa::Kernel& kernel, std::uint32_t pc);
std::string describe_instruction(const isa::WarpState& warp, std::uint32_t pc);
/// One line for every group of threads of the block that has not exited: where it is and what it waits for. At most
/// `max_lines`, then a count of what was left out.
std::string describe_waiting(const FunctionalBlock& block, unsigned max_lines);

}  // namespace heddle::gpu
