// SPDX-License-Identifier: Apache-2.0
// A kernel as the functional machine's inner loop reads it: one small record an instruction, its kind decided once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/image.h"

namespace heddle::gpu {

enum class StepKind : std::uint8_t {
  lanes,    ///< a lane function does it all
  special,  ///< register work that needs the machine's environment
  memory,   ///< ld, st, atom, red, tex, copies to shared memory, mbarrier objects
  poll,     ///< waits at mbarrier objects, which mostly ask in vain: as memory, then others take their turn
  branch,
  indirect,  ///< brx
  exit,
  barrier,     ///< bar
  collective,  ///< vote, shfl, match, redux, activemask for whoever is here
  rendezvous,  ///< the same in their `.sync` form, and bar.warp.sync: named threads meet first
  system_call,
  trap,
  fence,    ///< no effect on what a program computes: effects take place at once. Observers hear of it
  copies,   ///< commits and waits for copies: likewise
  sleep,    ///< nanosleep: others take their turn
  nothing,  ///< hints
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
  /// Holds a vote, shuffle or match that names no threads: it takes whoever lock step would have there.
  bool needs_lock_step() const { return needs_lock_step_; }

 private:
  std::shared_ptr<const isa::Kernel> kernel_;
  std::vector<Step> steps_;
  bool needs_lock_step_ = false;
};

}  // namespace heddle::gpu
