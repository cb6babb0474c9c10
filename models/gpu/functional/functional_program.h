// SPDX-License-Identifier: Apache-2.0
// A kernel in the form the functional machine's inner loop uses: one small record per instruction, with its kind
// decided once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/image.h"

namespace heddle::gpu {

enum class StepKind : std::uint8_t {
  lanes,    ///< executed by a lane function
  special,  ///< register operation that needs the machine's environment
  memory,   ///< ld, st, atom, red, tex, copies to shared memory, mbarrier objects
  poll,     ///< mbarrier waits, which mostly fail: as memory, then yields to others
  branch,
  indirect,  ///< brx
  exit,
  barrier,     ///< bar
  collective,  ///< vote, shfl, match, redux, activemask over the active threads
  rendezvous,  ///< their `.sync` forms and bar.warp.sync: wait for the named threads first
  system_call,
  trap,
  fence,      ///< no functional effect, as memory effects are immediate; reported to observers
  copies,     ///< commits and waits of copies: likewise
  sleep,      ///< nanosleep: yields to others
  nothing,    ///< hints
  uncounted,  ///< no effect, and not an instruction of the program (isa::is_counted)
};

struct Step {
  isa::LaneFunction function = nullptr;
  const isa::MicroOp* op = nullptr;
  StepKind kind = StepKind::nothing;
  bool guarded = false;
};

class FunctionalProgram {
 public:
  explicit FunctionalProgram(std::shared_ptr<const isa::Kernel> kernel);

  const isa::Kernel& kernel() const { return *kernel_; }
  const Step* steps() const { return steps_.data(); }
  /// Whether it contains a vote, shuffle or match without a member mask, which applies to the threads in lock step.
  bool needs_lock_step() const { return needs_lock_step_; }

 private:
  std::shared_ptr<const isa::Kernel> kernel_;
  std::vector<Step> steps_;
  bool needs_lock_step_ = false;
};

}  // namespace heddle::gpu
