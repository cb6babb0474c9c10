// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: a run that is interrupted leaves what it has so far.
#pragma once

namespace heddle::runtime {

/// From now on the first SIGINT or SIGTERM sets gpu::interrupt_signal, which stops a kernel under way, and calls `end`
/// on a thread of its own; when that returns, the signal ends the process as it would have. A second one ends it at
/// once. A signal that the program handles or ignores is left alone. Children of the process that have not called exec
/// end as without the watch. Once a process; later calls do nothing.
void watch_signals(void (*end)(int signal));

}  // namespace heddle::runtime
