// SPDX-License-Identifier: Apache-2.0
// Loops in which threads try to take a lock, and hold it within the loop:
//
//     while (!done) if (atomicCAS(lock, 0, 1) == 0) { ...; atomicExch(lock, 0); done = true; }
//
// All threads of a warp meet at the end of each iteration, so the thread with the lock gives it back before others try
// again. This is how such loops are written for hardware with a reconvergence stack. LLVM knows that `done` is true
// after the then-part and lets that leave the loop at once (SimplifyCFG). What is left, `while (atomicCAS(...) != 0);
// ...; atomicExch(...)`, never ends there: a thread with the lock waits behind the loop for those that still spin.
// nvcc keeps the loop. An empty assembler statement that is convergent does the same in LLVM, at the end of the
// iteration: it must neither be duplicated nor depend on more conditions.
#pragma once

#include <string>

namespace heddle::cc {

/// Whether code may have such loops. output: PTX or LLVM IR made from it.
bool may_spin(const std::string& output);

/// ir: LLVM IR text before optimisation. Returns it with a meeting point at the end of each iteration of these loops;
/// the same text if there are none.
std::string with_meeting_points(const std::string& ir);

}  // namespace heddle::cc
