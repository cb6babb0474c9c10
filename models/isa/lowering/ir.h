// SPDX-License-Identifier: Apache-2.0
// A kernel on its way from syntax to image: one list of micro-ops whose registers are virtual and whose branches name
// labels.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/register_visits.h"
#include "isa/lowering/constants.h"
#include "isa/micro_op.h"

namespace heddle::isa {

/// Operands in the frame hold the number of a virtual register in `offset`. bra: `target` is a label; brx:
/// `target_list` indexes `target_lists`, which hold labels.
struct Ir {
  static constexpr std::uint32_t kUnbound = ~std::uint32_t{0};

  std::vector<MicroOp> ops;
  std::vector<bool> foldable;         ///< by op: a move the front end made to pass a value; may be renamed away
  std::vector<DataType> registers;    ///< storage by virtual register
  std::vector<std::uint32_t> labels;  ///< index of the op that follows
  std::vector<std::vector<std::uint32_t>> target_lists;
  ConstantPool constants;

  std::uint32_t add_register(DataType storage) {
    registers.push_back(storage);
    return static_cast<std::uint32_t>(registers.size() - 1);
  }
  std::uint32_t add_label() {
    labels.push_back(kUnbound);
    return static_cast<std::uint32_t>(labels.size() - 1);
  }
  void bind(std::uint32_t label) { labels[label] = static_cast<std::uint32_t>(ops.size()); }
  void push(const MicroOp& op, bool may_fold = false) {
    ops.push_back(op);
    foldable.push_back(may_fold);
  }
  Operand reg(std::uint32_t number) const { return {number, Operand::Base::frame, false, registers[number]}; }
};

}  // namespace heddle::isa
