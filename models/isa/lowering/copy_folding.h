// SPDX-License-Identifier: Apache-2.0
// Renames away the moves by which inlined calls pass values.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Removes a foldable move d <- s where d is written nowhere else and, unless s is an immediate, s is written once,
/// that write dominates the move, and the move dominates every read of d: then s cannot change between the two, and
/// reads of d become reads of s. Branch targets must be indices of ops (resolve_labels).
void fold_copies(Ir& ir);

/// Makes branch targets and target lists indices of ops instead of labels.
void resolve_labels(Ir& ir);

/// Removes the ops that `keep` does not hold; targets move to the next op that stays. The last op must stay.
void remove_ops(Ir& ir, const std::vector<bool>& keep);

}  // namespace heddle::isa
