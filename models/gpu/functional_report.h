// SPDX-License-Identifier: Apache-2.0
// Words for messages of the functional machine: who waits for what.
#pragma once

#include <string>

#include "isa/describe.h"

namespace heddle::gpu {

class FunctionalBlock;
using isa::describe_instruction;
using isa::describe_threads;

/// One line for every group of threads of the block that has not exited: where it is and what it waits for. At most
/// `max_lines`, then a count of what was left out.
std::string describe_waiting(const FunctionalBlock& block, unsigned max_lines);

}  // namespace heddle::gpu
