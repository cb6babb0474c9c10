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

/// An operation that stands where `like` stood in the text, for what the front end adds. Its type and operands are the
/// caller's to fill, and classify() to call.
inline MicroOp derived(const MicroOp& like, Opcode opcode) {
  MicroOp op;
  op.opcode = opcode;
  op.ptx_line = like.ptx_line;
  op.source_line = like.source_line;
  op.source_file = like.source_file;
  op.text = like.text;
  return op;
}

/// Operands in the frame hold the number of a virtual register in `offset`. bra: `target` is a label; brx:
/// `target_list` indexes `target_lists`, which hold labels. resolve_labels() makes indices of ops of them.
///
/// Functions of a recursion are not inlined but stand behind the kernel's body as subroutines. A call of one is an op
/// `call` whose `target` is its entry and whose `target_list` indexes `call_sites`; its end is an op `ret` whose
/// `target_list` indexes `subroutines`. lower_recursion() makes branches of both.
struct Ir {
  static constexpr std::uint32_t kUnbound = ~std::uint32_t{0};

  struct Subroutine {
    std::uint32_t instance = 0;     ///< those that call each other in a circle, entered by one call, share a number
    std::uint32_t local_bytes = 0;  ///< its local variables, addressed from the stack pointer
  };
  struct CallSite {
    std::uint32_t owner = 0;   ///< subroutine + 1 in which it stands; 0: the kernel
    std::uint32_t callee = 0;  ///< subroutine
  };

  std::vector<MicroOp> ops;
  std::vector<bool> foldable;         ///< by op: a move the front end made to pass a value; may be renamed away
  std::vector<DataType> registers;    ///< storage by virtual register
  std::vector<std::uint32_t> owners;  ///< by virtual register: subroutine + 1 whose activations each have one; 0: none
  std::vector<std::uint32_t> labels;  ///< index of the op that follows
  std::vector<std::vector<std::uint32_t>> target_lists;
  ConstantPool constants;
  std::vector<Subroutine> subroutines;
  std::vector<CallSite> call_sites;
  std::uint32_t stack_pointer = kUnbound;    ///< register (b64): local address of the running activation's frame
  std::uint32_t first_temporary = kUnbound;  ///< registers from here on live within a block: spilling adds them
  std::uint32_t return_site = kUnbound;      ///< register (b32): where the subroutine being entered shall return to

  std::uint32_t add_register(DataType storage, std::uint32_t owner) {
    registers.push_back(storage);
    owners.push_back(owner);
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
  Operand stack_base() {
    if (stack_pointer == kUnbound) stack_pointer = add_register(DataType::b64, 0);
    return reg(stack_pointer);
  }
};

}  // namespace heddle::isa
