// SPDX-License-Identifier: Apache-2.0
// Words for messages of the functional machine: who waits for what.
#pragma once

#include <string>
#include <vector>

#include "isa/describe.h"
#include "isa/loop_watch.h"

namespace heddle::gpu {

class FunctionalBlock;
class FunctionalWarp;
using isa::describe_instruction;
using isa::describe_threads;

/// One line for every group of threads of the block that has not exited: where it is and what it waits for. At most
/// `max_lines`, then a count of what was left out.
std::string describe_waiting(const FunctionalBlock& block, unsigned max_lines);
/// Appends what the threads of a warp do in a kernel that makes no progress: what they repeat and read, or wait for.
void describe_endless(const FunctionalBlock& block, const FunctionalWarp& warp, const isa::LoopWatch& loop,
                      const isa::MemoryPort& port, std::vector<isa::Situation>& all);

}  // namespace heddle::gpu
