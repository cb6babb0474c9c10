// SPDX-License-Identifier: Apache-2.0
// Removes the integer round trip of predicates passed to operations through inline assembly.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Inline assembly has no predicate operands, so the headers pass a predicate q to Heddle's own operations through
/// `selp r, 1, 0, q` outside and `setp.ne p, r, 0` inside the assembly. A compiler that knew the operation would pass q
/// directly. If the round trip lies in one basic block, q is not written in between, and r and p have no other writes,
/// the operation reads q instead, and ops left without readers are removed. Other operations are left as compiled.
/// Branch targets must be op indices (resolve_labels).
void fold_predicates(Ir& ir);

}  // namespace heddle::isa
