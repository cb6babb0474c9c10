// SPDX-License-Identifier: Apache-2.0
// Polled by a machine between slices of work: whether to stop, and where to report progress.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::gpu {

/// The signal that asked the run to stop, or 0. A machine that sees it throws Error(kInterrupted).
inline std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

/// Receives the progress of the current launch, thousands of times per second; rate limiting is up to the listener.
/// Null: no listener.
inline void (*progress_listener)(std::uint64_t cycles, std::uint64_t thread_instructions) = nullptr;

}  // namespace heddle::gpu
