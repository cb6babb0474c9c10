// SPDX-License-Identifier: Apache-2.0
// Visits the registers of a micro-op.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Calls visit(operand) for each register an op reads, including its guard.
template <typename Op, typename Visit>
void for_each_read(Op& op, Visit&& visit) {
  for (unsigned i = 0; i < op.source_count; ++i) {
    if (op.sources[i].base == Operand::Base::frame) visit(op.sources[i]);
  }
  if (op.guard.base == Operand::Base::frame) visit(op.guard);
}
/// Calls visit(operand) for each register an op writes.
template <typename Op, typename Visit>
void for_each_write(Op& op, Visit&& visit) {
  for (unsigned i = 0; i < op.destination_count; ++i) {
    if (op.destinations[i].base == Operand::Base::frame) visit(op.destinations[i]);
  }
}

}  // namespace heddle::isa
