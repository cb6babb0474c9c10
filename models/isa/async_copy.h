// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory (cp.async), and the mbarrier objects that signal their completion or
// that of other work. The bytes move when the copy executes; a timed machine models the latency by holding back the
// instructions that wait.
#pragma once

#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// Whether the instruction arrives at an mbarrier once its thread's earlier copies are complete.
inline bool arrives_behind_copies(const MicroOp& op) {
  return op.opcode == Opcode::mbarrier &&
         (op.mbarrier_mode == MbarrierMode::copies_arrive || op.mbarrier_mode == MbarrierMode::copies_arrive_noinc);
}

inline bool waits_at_mbarrier(const MicroOp& op) {
  return op.opcode == Opcode::mbarrier &&
         (op.mbarrier_mode == MbarrierMode::test_wait || op.mbarrier_mode == MbarrierMode::try_wait);
}

/// Bytes a lane of an async_copy reads; the remainder of the destination is zero-filled.
std::uint32_t bytes_read(const MicroOp& op, const WarpState& warp, unsigned lane);

/// Destination of a lane of an async_copy, as an offset in shared memory.
std::uint64_t copy_target(const MicroOp& op, const WarpState& warp, unsigned lane);

/// Copies the bytes of the lanes in `addresses.counting`, including lanes that read nothing.
void execute_async_copy(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// Phase parity of an mbarrier object whose value is `word`.
inline bool mbarrier_phase(std::uint64_t word) { return word >> 63 != 0; }
/// Whether a lane's test_wait or try_wait finds its phase complete.
bool mbarrier_passes(const MicroOp& op, const WarpState& warp, unsigned lane, std::uint64_t word);

/// Executes any mbarrier operation, lane by lane in ascending order. Throws KernelFault for an uninitialised object or
/// a count out of range.
void execute_mbarrier(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// cp.async.mbarrier.arrive of threads whose copies are still in flight: checks the object and, unless .noinc, raises
/// the pending count by one.
void announce_arrivals(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);
/// The deferred arrival of one lane, once its copies are complete. `offset` locates the object in shared memory.
void arrive_late(const MicroOp& op, WarpState& warp, unsigned lane, std::uint64_t offset);

}  // namespace heddle::isa
