// SPDX-License-Identifier: Apache-2.0
// The instructions that locality scheduling withholds. Source: docs/sources/cache-conscious-and-divergence-aware.md,
// 2.3.4 and 9, Q6.
#pragma once

#include "isa/micro_op.h"

namespace heddle::sm {

/// Whether the instruction is a load of global or local memory. Its space must be known before its addresses are, so a
/// generic load counts as global unless lowering has found its space.
inline bool is_gated_load(const isa::MicroOp& op) {
  return op.opcode == isa::Opcode::ld &&
         (op.space == isa::Space::global || op.space == isa::Space::local || op.space == isa::Space::generic);
}

}  // namespace heddle::sm
