// SPDX-License-Identifier: Apache-2.0
// Hands predicates straight to the operations that inline assembly can only give them as numbers.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Inline assembly has no predicate operands: a header's `selp r, 1, 0, q` before it and `setp.ne p, r, 0` inside bring
/// a predicate to an operation of our own, which a compiler that knew the operation would hand q. Where such an
/// operation reads p, that round trip lies in one basic block, q is not written on the way and r and p are written
/// nowhere else, the operation reads q; what nobody reads then goes. Other operations keep theirs, as the compiler
/// wrote them. Branch targets must be indices of ops (resolve_labels).
void fold_predicates(Ir& ir);

}  // namespace heddle::isa
