// SPDX-License-Identifier: Apache-2.0
// Faults that end a kernel. The host side maps the kind of fault to its own error code.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "isa/state.h"

namespace heddle::isa {

/// An Error with a fixed exit code and a kind that refines it.
template <ExitCode kCode, typename Kind>
class Fault : public Error {
 public:
  Fault(Kind kind, const std::string& message) : Error(kCode, message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

enum class AccessFault : std::uint8_t { out_of_bounds, misaligned, read_only };
/// An illegal access. Other failures with kMemoryFault (free() of a pointer malloc() did not return, an unbound
/// texture) are a plain Error.
using MemoryFault = Fault<ExitCode::memory_fault, AccessFault>;

enum class FaultKind : std::uint8_t { trap, assertion, operand };
/// A fault other than a memory fault (kMemoryFault) or lack of progress (kNoProgress, a plain Error).
using KernelFault = Fault<ExitCode::kernel_fault, FaultKind>;

/// Threads `mask` of the warp executed the trap at `pc`.
[[noreturn]] void fail_trap(const WarpState& warp, std::uint32_t mask, std::uint32_t pc);

/// A lane's node size of a tree_traverse at `pc` is not a power of two.
[[noreturn]] void fail_node_size(const WarpState& warp, unsigned lane, std::uint32_t pc, std::uint32_t node_size);

/// Threads `mask` named a barrier above 15.
[[noreturn]] void fail_barrier_number(const WarpState& warp, std::uint32_t mask, std::uint32_t pc,
                                      std::uint32_t barrier);

/// Threads of one warp waiting at the same barrier instruction.
struct BarrierWait {
  std::uint32_t mask, pc;
};
/// Threads of one warp wait at two different instructions when a barrier completes. Lock-step hardware would never
/// complete it.
[[noreturn]] void fail_divergent_barrier(const WarpState& warp, std::uint32_t barrier, const BarrierWait& first,
                                         const BarrierWait& second);

}  // namespace heddle::isa
