// SPDX-License-Identifier: Apache-2.0
// A request to stop, set from a signal handler and polled by machines between slices of work.
#pragma once

#include <atomic>

namespace heddle::gpu {

/// The signal that asked the run to stop; 0 when none did. A machine that sees it throws Error(kInterrupted).
inline std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

}  // namespace heddle::gpu
