// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that a thread does not wait for (cp.async), and the mbarrier objects by which
// threads learn that they, or other work, are done. Bytes move when the copy executes; a machine that gives them time
// keeps the waiting instructions back.
#pragma once

#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// Whether the instruction arrives at an mbarrier once copies of its thread are complete.
inline bool arrives_behind_copies(const MicroOp& op) {
  return op.opcode == Opcode::mbarrier &&
         (op.mbarrier_mode == MbarrierMode::copies_arrive || op.mbarrier_mode == MbarrierMode::copies_arrive_noinc);
}

inline bool waits_at_mbarrier(const MicroOp& op) {
  return op.opcode == Opcode::mbarrier &&
         (op.mbarrier_mode == MbarrierMode::test_wait || op.mbarrier_mode == MbarrierMode::try_wait);
}

/// Bytes that a lane of an async_copy reads; the rest of what it writes is zero.
std::uint32_t bytes_read(const MicroOp& op, const WarpState& warp, unsigned lane);

/// Where a lane of an async_copy writes: an offset in shared memory.
std::uint64_t copy_target(const MicroOp& op, const WarpState& warp, unsigned lane);

/// What a copy does: the bytes of the lanes `addresses.counting`, those that read nothing included.
void execute_async_copy(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// Which of two phases an object is in that holds `word`; they alternate.
inline bool mbarrier_phase(std::uint64_t word) { return word >> 63 != 0; }
/// Whether test_wait or try_wait of a lane finds the phase it asks for complete.
bool mbarrier_passes(const MicroOp& op, const WarpState& warp, unsigned lane, std::uint64_t word);

/// All mbarrier operations, lane by lane in ascending order. Throws KernelFault for an object that is not initialised
/// and for a count out of range.
void execute_mbarrier(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// cp.async.mbarrier.arrive of threads whose copies are under way: checks, and counts one more arrival unless .noinc.
void announce_arrivals(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);
/// The arrival itself, of one lane whose copies are complete. `offset`: of the object in shared memory.
void arrive_late(const MicroOp& op, WarpState& warp, unsigned lane, std::uint64_t offset);

}  // namespace heddle::isa
