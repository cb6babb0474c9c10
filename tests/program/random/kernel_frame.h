// SPDX-License-Identifier: Apache-2.0
// Shared by all random kernels: memory layout, registers, prologue and epilogue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chance.h"

namespace heddle::random {

/// Layout of a kernel's memory. Parameters, in order: inputs, results, scratch, sums (addresses).
inline constexpr unsigned kInputWords = 1024;      ///< read only
inline constexpr unsigned kResultBytes = 128;      ///< a thread's
inline constexpr unsigned kScratchBytes = 8;       ///< a thread's, read by others of its block
inline constexpr unsigned kSums = 16;              ///< words that atomics of every block change
inline constexpr unsigned kSharedThreadBytes = 8;  ///< dynamic shared memory a thread
inline constexpr unsigned kSharedSums = 8;         ///< words of it before those of threads

/// Registers that statements draw from: %r0 .. %r7 and so on.
inline constexpr unsigned kWords = 8, kLongs = 3, kFloats = 3, kDoubles = 2, kPredicates = 3;

/// The operation of each sum; one per sum, so that all updates commute. Repeated for shared and global sums.
std::string_view sum_operation(unsigned index);
/// Initial values of the sums: identity elements of their operations.
std::uint32_t first_sum(unsigned index);

/// The prologue: thread numbers, addresses, values in every register.
std::string prologue(Chance& chance);
/// The epilogue: writes the thread's registers to its results, adds the block's sums to the grid's, returns.
std::string epilogue();

}  // namespace heddle::random
