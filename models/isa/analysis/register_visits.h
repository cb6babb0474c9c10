// SPDX-License-Identifier: Apache-2.0
// The registers of a micro-op, one by one.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Calls visit(operand) for the registers an op reads, its guard among them.
template <typename Op, typename Visit>
void for_each_read(Op& op, Visit&& visit) {
  for (unsigned i = 0; i < op.source_count; ++i) {
    if (op.sources[i].base == Operand::Base::frame) visit(op.sources[i]);
  }
  if (op.guard.base == Operand::Base::frame) visit(op.guard);
}
/// Calls visit(operand) for the registers an op writes.
template <typename Op, typename Visit>
void for_each_write(Op& op, Visit&& visit) {
  for (unsigned i = 0; i < op.destination_count; ++i) {
    if (op.destinations[i].base == Operand::Base::frame) visit(op.destinations[i]);
  }
}

}  // namespace heddle::isa
