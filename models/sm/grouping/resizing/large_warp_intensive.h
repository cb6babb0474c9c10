// SPDX-License-Identifier: Apache-2.0
// Which instructions gain from being executed by a large warp: those whose accesses the coalescer may merge.
// Source: docs/sources/dynamic-warp-resizing.md, 2.4 and 9, question 1.
#pragma once

#include "isa/micro_op.h"

namespace heddle::sm {

/// State spaces whose loads and stores count as large-warp-intensive (LAT). The source's text names all three, its
/// listing leaves parameters out.
struct LatMask {
  bool global = true, local = true, param = false;
};

/// Whether the instruction is a load or store of a space in the mask. A generic address counts as global; where
/// lowering knew the variable, the instruction already names its space. Atomics, reductions, textures, surfaces,
/// asynchronous copies, and accesses to constant and shared memory are never large-warp-intensive.
inline bool is_large_warp_intensive(const isa::MicroOp& op, LatMask mask = {}) {
  if (op.opcode != isa::Opcode::ld && op.opcode != isa::Opcode::st) return false;
  switch (op.space) {
    case isa::Space::global:
    case isa::Space::generic:
      return mask.global;
    case isa::Space::local:
      return mask.local;
    case isa::Space::param:
      return mask.param;
    default:
      return false;
  }
}

}  // namespace heddle::sm
