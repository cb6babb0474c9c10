// SPDX-License-Identifier: Apache-2.0
// What a machine looks at between slices of work: whether to stop, and whom to tell how far it is.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::gpu {

/// The signal that asked the run to stop; 0 when none did. A machine that sees it throws Error(kInterrupted).
inline std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

/// Told how far the launch under way is, thousands of times a second: it looks at its clock itself. Null: nobody asks.
inline void (*progress_listener)(std::uint64_t cycles, std::uint64_t thread_instructions) = nullptr;

}  // namespace heddle::gpu
