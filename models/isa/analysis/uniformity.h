// SPDX-License-Identifier: Apache-2.0
// Which branches and memory operations do the same for all threads that execute them together.
#pragma once

#include "isa/analysis/liveness.h"
#include "isa/image.h"

namespace heddle::isa {

/// Sets MicroOp::uniformity. Uniform values come from immediates, parameters, constant memory, and the special
/// registers that are the same for a block. Holds in whatever order a machine runs the threads of a block: threads that
/// took different ways at a branch may meet again in different iterations of a loop, unless a barrier that every thread
/// passes keeps them in step. Uniformity::always also holds where the threads of one access go on separately, as its
/// transactions are served. Operands must hold virtual registers; blocks need their dominators.
void mark_uniform_ops(Kernel& kernel, const Liveness& liveness);

}  // namespace heddle::isa
