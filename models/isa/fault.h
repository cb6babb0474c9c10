// SPDX-License-Identifier: Apache-2.0
// What a kernel did that ends it. The host side turns the kind into its own error code.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "isa/state.h"

namespace heddle::isa {

enum class FaultKind { trap, assertion };

/// A fault other than those of memory (Error(kMemoryFault)) and progress (Error(kNoProgress)).
class KernelFault : public Error {
 public:
  KernelFault(FaultKind kind, const std::string& message) : Error(ExitCode::kKernelFault, message), kind_(kind) {}
  FaultKind kind() const noexcept { return kind_; }

 private:
  FaultKind kind_;
};

/// Threads `mask` of the warp executed the trap at `pc`.
[[noreturn]] void fail_trap(const WarpState& warp, std::uint32_t mask, std::uint32_t pc);

/// They named a barrier above 15.
[[noreturn]] void fail_barrier_number(const WarpState& warp, std::uint32_t mask, std::uint32_t pc,
                                      std::uint32_t barrier);

/// Threads of one warp, and the barrier instruction at which they wait.
struct BarrierWait {
  std::uint32_t mask, pc;
};
/// Threads of one warp are at two instructions when a barrier opens: hardware that runs a warp in lock step never
/// completes it.
[[noreturn]] void fail_divergent_barrier(const WarpState& warp, std::uint32_t barrier, const BarrierWait& first,
                                         const BarrierWait& second);

}  // namespace heddle::isa
