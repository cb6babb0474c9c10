// SPDX-License-Identifier: Apache-2.0
// Copy propagation for the moves that inlined calls introduce.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Removes a foldable move d <- s where d is written nowhere else and, unless s is an immediate, s is written once,
/// that write dominates the move, and the move dominates every read of d. Then s cannot change in between, and reads of
/// d become reads of s. Branch targets must be op indices (resolve_labels).
void fold_copies(Ir& ir);

/// Replaces labels in branch targets and target lists by op indices.
void resolve_labels(Ir& ir);

/// Removes the ops not set in `keep`; branch targets move to the next remaining op. The last op must be kept.
void remove_ops(Ir& ir, const std::vector<bool>& keep);

}  // namespace heddle::isa
