// SPDX-License-Identifier: Apache-2.0
// Effects of one instruction on architectural state, one word of 32 threads at a time. Used by the cycle model at issue
// and by the functional mode; independent of timing and grouping.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/state.h"

namespace heddle::isa {

/// Machine state that a lane may read.
struct Environment {
  std::uint64_t clock = 0;        ///< cycles (timing) or issued instructions (functional)
  std::uint64_t nanoseconds = 0;  ///< simulated time
  std::uint32_t sm_count = 1, warps_per_sm = 48;
};

/// Threads of `mask` whose guard holds.
std::uint32_t guarded(const MicroOp& op, const WarpState& warp, std::uint32_t mask);

/// Register-to-register work, special registers included: no memory, control or collective operation.
void execute_lanes(const MicroOp& op, WarpState& warp, std::uint32_t mask, const Environment& environment);

/// vote, shfl, match, activemask, redux: executes once for all participating threads, given by `mask`.
void execute_collective(const MicroOp& op, WarpState& warp, std::uint32_t mask);

/// Next program counter of a branch for the threads in `mask` (guard not yet applied). A bra has at most two distinct
/// targets; brx is resolved lane by lane.
struct BranchOutcome {
  std::uint32_t taken = 0;  ///< threads that go to op.target; the rest fall through
};
BranchOutcome resolve_branch(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
/// Target of an indirect branch for one lane.
std::uint32_t resolve_indirect(const MicroOp& op, const WarpState& warp, unsigned lane);

/// Addresses of a memory operation, one per lane of `mask` (guard already applied). Shared, local and parameter
/// addresses are offsets in their window, even when resolved from a generic address; global and constant addresses are
/// host pointers. When the lanes of a generic operation lie in different spaces, `space` stays generic and the
/// addresses are unresolved. Values of lanes outside the mask are unspecified.
struct Addresses {
  std::array<std::uint64_t, kWordThreads> value;
  std::uint32_t mask = 0;
  Space space = Space::none;                        ///< resolved; generic only when lanes differ
  std::uint32_t bytes = 0;                          ///< per lane, all vector elements: 1 to 32
  bool contiguous = false;                          ///< all 32 lanes, lane i at lowest + i * bytes
  bool uniform = false;                             ///< all lanes of the mask at one address
  std::uint32_t shared_lanes = 0, local_lanes = 0;  ///< lanes whose generic address lies in that window
  /// Conditional accumulate only, whose `mask` holds just the lanes that write: the lanes that execute it, and the
  /// count each one gets.
  std::uint32_t counting = 0;
  std::array<std::uint8_t, kWordThreads> counts;
  /// [lowest, highest) over the lanes of `space` (mixed spaces: over those in device or host memory).
  std::uint64_t lowest = 0, highest = 0;
};
void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, Addresses& out);

/// Checks alignment and bounds of an access, throwing Error(kMemoryFault) that names kernel, PTX line, source line,
/// thread, address and nearest allocation, then performs it: loads, stores, atomics, reductions.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// True when [address, address + bytes) lies in memory a kernel may access. Called for the packet's whole range
  /// first; if that is not within one allocation, called again for each lane.
  virtual bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const = 0;
  /// Called where accessible() is false: whether all of [address, address + bytes) can still be read, because a
  /// function computes its contents. If so, writes them to `to`.
  virtual bool produce(std::uint64_t /*address*/, std::uint64_t /*bytes*/, void* /*to*/) const { return false; }
  /// Describes the allocation nearest to an address, for messages.
  virtual std::string nearest(std::uint64_t address) const = 0;
  /// Executes `tex`: fetches, queries, surface addresses. The runtime binds the handles.
  virtual void texture(const MicroOp& op, WarpState& warp, std::uint32_t mask) = 0;
  /// printf, malloc, free, assert and region markers called from a kernel.
  virtual void system_call(const MicroOp& op, WarpState& warp, std::uint32_t mask) = 0;
  /// Whether a region was opened or closed since the last cut(). If so, the machine calls cut() at the end of that
  /// cycle (functional: instruction), when its counters are complete.
  virtual bool wants_cut() const { return false; }
  virtual void cut() {}
};
void execute_memory(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// The values that a store writes, for one that takes effect after its registers may have changed.
struct StoredValues {
  alignas(8) std::array<std::byte, 4 * 8 * kWordThreads> bytes;  ///< by element: of all lanes, of registers' width
};
void read_stored(const MicroOp& op, const WarpState& warp, StoredValues& values);
/// execute_memory() of a store, with values that were read before.
void execute_store(const MicroOp& op, const WarpState& warp, const Addresses& addresses, MemoryPort& port,
                   const StoredValues& values);

/// Sets the calling thread's floating-point control (rounding, subnormals, exceptions) to what lane operations expect
/// and restores the caller's on destruction. Hold one around any run of lane operations: the host program may have
/// changed these settings.
class FloatControl {
 public:
  FloatControl();
  ~FloatControl();
  FloatControl(const FloatControl&) = delete;
  FloatControl& operator=(const FloatControl&) = delete;

 private:
  unsigned saved_;
};

/// Chooses baseline, AVX2+FMA or AVX-512 lane operations; `name`: "baseline", "avx2", "avx512" or "auto". Affects
/// kernels loaded afterwards. Throws Error(kUsage) when this processor lacks the instructions.
void select_lane_operations(const char* name);
/// The lane function for an opcode with its types and modifiers, or null when there is none. Called once, at load.
LaneFunction lane_function(const MicroOp& op);

}  // namespace heddle::isa
