// SPDX-License-Identifier: Apache-2.0
// What the scheduler of loads asks of the classes of loads, whether they come from a profile or are learned.
#pragma once

#include <memory>
#include <systemc>

#include "isa/analysis/loop_extents.h"
#include "sm/packet.h"
#include "sm/scheduling/locality/load_classes.h"

namespace heddle::sm {

/// A context issues the first instruction of a loop.
struct LoopTrip {
  ContextId context = kNoContext;
  WarpId warp;
  CodeAddress code = 0;                           ///< of the kernel's first instruction
  std::shared_ptr<const isa::LoopExtents> loops;  ///< of the kernel
  const isa::LoopExtent* loop = nullptr;
  unsigned threads = 0;  ///< active
  bool enters = false;   ///< its last instruction was outside the loop
};

class LoadClassCall : public virtual sc_core::sc_interface {
 public:
  /// A context of the kernel issues its first instruction.
  virtual void runs(const isa::Kernel& kernel, CodeAddress code) = 0;
  virtual void trip_begins(const LoopTrip& trip) = 0;
  /// The context has no threads any more.
  virtual void ended(ContextId context) = 0;
  /// Lines that a warp with so many active threads accesses in a trip of the loop; 0: nothing is known, or the loop has
  /// no locality.
  virtual unsigned lines(CodeAddress loop, unsigned threads) = 0;
  /// Brings statistics up to date.
  virtual void settle() {}
};

}  // namespace heddle::sm
