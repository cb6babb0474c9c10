// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: an interrupted run still writes its results so far.
#pragma once

namespace heddle::runtime {

/// After this call, the first SIGINT or SIGTERM sets gpu::interrupt_signal, which stops a running kernel, and calls
/// `end` on a separate thread; when that returns, the signal terminates the process as usual. A second signal
/// terminates it at once. Signals the program handles or ignores are left alone. Forked children that have not called
/// exec behave as without the watch. Only the first call in a process has an effect.
void watch_signals(void (*end)(int signal));

}  // namespace heddle::runtime
