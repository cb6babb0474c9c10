// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/legality.h"

#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

bool legal_conversion(const MicroOp& op, std::uint64_t features) {
  if (op.opcode != Opcode::cvt || op.relu || op.finite || op.rounding == Rounding::rna) return true;
  const bool to_float = is_float(op.type), from_float = is_float(op.source_type);
  return (features & kIntegerRounding) == 0 ? (features & kRounding) == 0 || to_float
                                            : from_float && (!to_float || op.type == op.source_type);
}

bool legal_third_type(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
      return op.third_type == DataType::none;
    case Opcode::vshl:
    case Opcode::vshr:
      return op.third_type == DataType::u32;
    case Opcode::cvt_pack:
      return op.third_type == (size_of(op.type) == 1 ? DataType::b32 : DataType::none);
    default:
      return !is_video(op.opcode) || op.third_type == DataType::u32 || op.third_type == DataType::s32;
  }
}

// 16-bit arithmetic only rounds to nearest, and conversions to the smallest formats have few modes.
bool legal_rounding(const MicroOp& op) {
  const bool half = op.type == DataType::f16 || op.type == DataType::f16x2 || op.type == DataType::bf16 ||
                    op.type == DataType::bf16x2;
  const bool arithmetic =
      op.opcode == Opcode::add || op.opcode == Opcode::sub || op.opcode == Opcode::mul || op.opcode == Opcode::fma_;
  const auto small = [](DataType type) { return type == DataType::e4m3x2 || type == DataType::e5m2x2; };
  const bool converts = op.opcode == Opcode::cvt;
  const bool nearest = op.rounding == Rounding::none || op.rounding == Rounding::rn;
  if ((half && arithmetic) || (converts && (small(op.type) || small(op.source_type)))) return nearest;
  if (converts && op.type == DataType::tf32) {
    return nearest || op.rounding == Rounding::rz || op.rounding == Rounding::rna;
  }
  return true;
}

// NaN-aware comparisons require floating point; the explicitly unsigned ones require integers.
bool legal_comparison(const MicroOp& op) {
  if (op.compare <= Compare::ge) return true;  // none, or one for every type
  if (is_video(op.opcode)) return false;
  const DataType type = op.opcode == Opcode::setp ? op.type : op.source_type;
  const bool names_unsigned = op.compare >= Compare::lo && op.compare <= Compare::hs;
  return is_float(type) != names_unsigned;
}

// An omitted space is generic.
void check_space(const MicroOp& op, const InstructionWords& words) {
  if (op.opcode != Opcode::cond_acc && !allows_space(op)) words.fail("'{}' does not allow that state space");
  if (op.opcode == Opcode::cvta && op.space == Space::param && op.type == DataType::u32) {
    words.fail("'{}' is not supported: generic addresses of parameters are 64 bits wide; use ld.param");
  }
  const bool device = op.space == Space::none || op.space == Space::generic || op.space == Space::global;
  if (op.row_hint && !device) words.fail("'{}': a row hint is only allowed on loads from global memory");
  if (op.opcode == Opcode::cond_acc && !device && op.space != Space::shared) {
    words.fail("'{}' can only write shared or global memory");
  }
}

}  // namespace

const Form& legal_form(const MicroOp& op, std::uint64_t features, const InstructionWords& words) {
  const Form* form = find_form(op, features);
  if (form == nullptr || !legal_conversion(op, features) || !legal_third_type(op) || !legal_rounding(op) ||
      !legal_comparison(op)) {
    words.fail("'{}' is not a legal combination of types and modifiers");
  }
  check_space(op, words);
  return *form;
}

void check_operand_count(std::span<const OperandSyntax> operands, const Form& form, const InstructionWords& words) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].paired) continue;
    if (i != 1 || form.destinations_max < 2) words.fail("'{}' has no second destination");
    ++pairs;
  }
  const std::size_t single = operands.size() - pairs;
  const std::size_t destinations = form.destinations_min;
  if (single < destinations + form.sources_min || single > destinations + form.sources_max) {
    words.fail("'{}' has {} operands", operands.size());
  }
}

}  // namespace heddle::isa
