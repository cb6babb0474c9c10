// SPDX-License-Identifier: Apache-2.0
// Access to single operands of a micro-op outside lane operations: guards, member masks, call arguments. Layout:
// isa/micro_op.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/micro_op.h"
#include "isa/state.h"

namespace heddle::isa {

/// The two base addresses that operand offsets are relative to.
struct OperandBases {
  std::byte* base[2];
  explicit OperandBases(const WarpState& warp) : base{warp.registers, const_cast<std::byte*>(warp.constants)} {}
  explicit OperandBases(std::byte* const* bases) : base{bases[0], bases[1]} {}
};

inline std::byte* storage_of(const Operand& operand, const OperandBases& bases) {
  return bases.base[static_cast<unsigned>(operand.base)] + operand.offset;
}

/// Lanes whose predicate holds; `negate` applied.
inline std::uint32_t predicate_of(const Operand& operand, const OperandBases& bases) {
  std::uint32_t bits;
  std::memcpy(&bits, storage_of(operand, bases), sizeof bits);
  return operand.negate ? ~bits : bits;
}

/// The value of one lane, zero-extended. Absent operands are 0.
inline std::uint64_t value_of(const Operand& operand, const OperandBases& bases, unsigned lane) {
  if (!operand.present()) return 0;
  if (operand.type == DataType::pred) return (predicate_of(operand, bases) >> lane) & 1;
  const std::byte* storage = storage_of(operand, bases);
  if (size_of(operand.type) == 8) {
    std::uint64_t value;
    std::memcpy(&value, storage + 8 * lane, sizeof value);
    return value;
  }
  std::uint32_t value;
  std::memcpy(&value, storage + 4 * lane, sizeof value);
  return size_of(operand.type) == 2 ? value & 0xffff : value;
}

/// Writes one lane; the value is truncated to the operand's size. No effect on absent operands.
inline void set_value(const Operand& operand, const OperandBases& bases, unsigned lane, std::uint64_t value) {
  if (!operand.present()) return;
  std::byte* storage = storage_of(operand, bases);
  if (operand.type == DataType::pred) {
    std::uint32_t bits;
    std::memcpy(&bits, storage, sizeof bits);
    bits = (bits & ~(1u << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
    std::memcpy(storage, &bits, sizeof bits);
  } else if (size_of(operand.type) == 8) {
    std::memcpy(storage + 8 * lane, &value, 8);
  } else {
    const auto low = static_cast<std::uint32_t>(value);
    std::memcpy(storage + 4 * lane, &low, 4);
  }
}

/// Index of the source operand holding the (first) element stored.
inline unsigned stored_source(const MicroOp& op) { return op.opcode == Opcode::cond_acc ? 2 : 1; }

/// Calls visit(lane) for every lane of a mask, lowest first.
template <typename Visit>
void for_each_lane(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(__builtin_ctz(mask)));
}

}  // namespace heddle::isa
