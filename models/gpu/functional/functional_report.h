// SPDX-License-Identifier: Apache-2.0
// Text for messages of the functional machine about waiting threads.
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

/// One line per group of live threads of the block: its location and what it waits for. At most `max_lines`, then the
/// number omitted.
std::string describe_waiting(const FunctionalBlock& block, unsigned max_lines);
/// Describes the threads of a warp in a kernel without progress: the loop they repeat and the memory they read, or what
/// they wait for.
void describe_endless(const FunctionalBlock& block, const FunctionalWarp& warp, const isa::LoopWatch& loop,
                      const isa::MemoryPort& port, std::vector<isa::Situation>& all);

}  // namespace heddle::gpu
