// SPDX-License-Identifier: Apache-2.0
// Effects of one instruction on architectural state, a word of 32 threads at a time. Used by the cycle model at issue
// and by the functional mode; neither time nor grouping shows here.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/state.h"

namespace heddle::isa {

/// What a lane may ask of the machine it runs on.
struct Environment {
  std::uint64_t clock = 0;        ///< cycles (timing) or issued instructions (functional)
  std::uint64_t nanoseconds = 0;  ///< simulated time
  std::uint32_t sm_count = 1, warps_per_sm = 48;
};

/// Threads of `mask` whose guard holds.
std::uint32_t guarded(const MicroOp& op, const WarpState& warp, std::uint32_t mask);

/// Register-to-register work, special registers included: no memory, control or collective operation.
void execute_lanes(const MicroOp& op, WarpState& warp, std::uint32_t mask, const Environment& environment);

/// vote, shfl, match, activemask, redux: executes once for the threads that met. `mask`: threads that take part.
void execute_collective(const MicroOp& op, WarpState& warp, std::uint32_t mask);

/// Next program counter of a branch for the threads in `mask` (guard not yet applied). At most two distinct targets for
/// bra; brx is asked lane by lane.
struct BranchOutcome {
  std::uint32_t taken = 0;  ///< threads that go to op.target; the rest fall through
};
BranchOutcome resolve_branch(const MicroOp& op, const WarpState& warp, std::uint32_t mask);
/// Target of an indirect branch for one lane.
std::uint32_t resolve_indirect(const MicroOp& op, const WarpState& warp, unsigned lane);

/// Addresses of a memory operation, one a lane of `mask` (already guarded). Shared, local and parameter space give
/// offsets in their window, also when a generic address resolved to them; global and constant addresses are host
/// pointers. When lanes of a generic operation lie in different spaces, `space` stays generic and the values are as the
/// program made them. Values of lanes outside the mask mean nothing.
struct Addresses {
  std::array<std::uint64_t, kWordThreads> value;
  std::uint32_t mask = 0;
  Space space = Space::none;                        ///< resolved: never generic, unless lanes differ
  std::uint32_t bytes = 0;                          ///< a lane's access, all vector elements: 1 to 32
  bool contiguous = false;                          ///< all 32 lanes, lane i at lowest + i * bytes
  bool uniform = false;                             ///< all lanes of the mask at one address
  std::uint32_t shared_lanes = 0, local_lanes = 0;  ///< lanes whose generic address fell in that window
  /// Of a conditional accumulate, whose `mask` is the lanes that write: those that execute it, and what each counts.
  std::uint32_t counting = 0;
  std::array<std::uint8_t, kWordThreads> counts;
  /// Over the lanes of `space` (mixed: those in device or host memory): [lowest, highest)
  std::uint64_t lowest = 0, highest = 0;
};
void compute_addresses(const MicroOp& op, const WarpState& warp, std::uint32_t mask, Addresses& out);

/// Checks alignment and bounds of what will be touched; throws Error(kMemoryFault) that names kernel, PTX line, source
/// line, thread, address and nearest allocation. Then moves the bytes: loads, stores, atomics, reductions.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// True when [address, address + bytes) lies in memory a kernel may touch. Called with the packet's extremes first,
  /// then, when they are not in one allocation, with every lane.
  virtual bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const = 0;
  /// Where accessible() says no: whether all of [address, address + bytes) can be read though no memory holds it, as a
  /// function produces it; then `to` gets what lies there.
  virtual bool produce(std::uint64_t /*address*/, std::uint64_t /*bytes*/, void* /*to*/) const { return false; }
  /// A sentence on what lies nearest to an address, for messages.
  virtual std::string nearest(std::uint64_t address) const = 0;
  /// Executes `tex`: fetches, queries, addresses of surfaces. See runtime for the binding of handles.
  virtual void texture(const MicroOp& op, WarpState& warp, std::uint32_t mask) = 0;
  /// printf, malloc, free, assert, marks of regions from a kernel.
  virtual void system_call(const MicroOp& op, WarpState& warp, std::uint32_t mask) = 0;
  /// Whether marks opened or closed a region since the last cut(). The machine then calls cut() at the end of the cycle
  /// (functional: instruction) in which they took effect, with what was counted so far complete.
  virtual bool wants_cut() const { return false; }
  virtual void cut() {}
};
void execute_memory(const MicroOp& op, WarpState& warp, const Addresses& addresses, MemoryPort& port);

/// Sets the calling thread's floating-point control (rounding, subnormals, exceptions) to what lane operations expect
/// and restores the caller's on destruction. Held around any run of lane operations: the host program may have changed
/// it.
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
/// kernels loaded afterwards. Throws Error(kUsage) when this processor lacks it.
void select_lane_operations(const char* name);
/// The lane function of an operation (its opcode, types and modifiers), or null when it has none. Called once, at load.
LaneFunction lane_function(const MicroOp& op);

}  // namespace heddle::isa
