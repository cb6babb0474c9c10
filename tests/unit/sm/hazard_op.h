// SPDX-License-Identifier: Apache-2.0
// Instructions for tests of hazard trackers.
#pragma once

#include <initializer_list>

#include "isa/micro_op.h"

namespace heddle::sm {

/// An instruction that reads and writes these registers.
inline isa::MicroOp op(std::initializer_list<unsigned> reads, std::initializer_list<unsigned> writes) {
  isa::MicroOp op;
  for (unsigned r : reads) op.allocated.reads[op.allocated.read_count++] = static_cast<isa::RegisterId>(r);
  for (unsigned w : writes) op.allocated.writes[op.allocated.write_count++] = static_cast<isa::RegisterId>(w);
  return op;
}

}  // namespace heddle::sm
