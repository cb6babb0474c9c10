// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/access_kind.h"

namespace heddle::sm {

namespace {

// Kinds of access: loads, stores, atomics and reductions of each space; textures and constants apart.
constexpr unsigned kAccessesOfSpace = 4;
constexpr std::uint8_t kTextureAccess = 14, kConstantAccess = 15;

}  // namespace

std::uint8_t access_kind(const isa::MicroOp& op) {
  if (op.unit != isa::Unit::memory) return 0;
  if (op.opcode == isa::Opcode::tex || op.space == isa::Space::texture) return kTextureAccess;
  if (op.space == isa::Space::param || op.space == isa::Space::constant) return kConstantAccess;
  const unsigned space = op.space == isa::Space::shared ? 0 : op.space == isa::Space::local ? 1 : 2;
  unsigned what = 0;
  switch (op.opcode) {
    case isa::Opcode::st:
    case isa::Opcode::cond_acc:
      what = 1;
      break;
    case isa::Opcode::atom:
      what = 2;
      break;
    case isa::Opcode::red:
      what = 3;
      break;
    default:
      break;
  }
  return static_cast<std::uint8_t>(1 + space * kAccessesOfSpace + what);
}

}  // namespace heddle::sm
