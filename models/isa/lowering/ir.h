// SPDX-License-Identifier: Apache-2.0
// Intermediate representation of a kernel: one list of micro-ops with virtual registers and labels as branch targets.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/register_visits.h"
#include "isa/lowering/constants.h"
#include "isa/micro_op.h"

namespace heddle::isa {

/// Creates an added operation with the source location of `like`. The caller fills in type and operands and calls
/// classify().
inline MicroOp derived(const MicroOp& like, Opcode opcode) {
  MicroOp op;
  op.opcode = opcode;
  op.ptx_line = like.ptx_line;
  op.source_line = like.source_line;
  op.source_file = like.source_file;
  op.inlined = like.inlined;
  op.text = like.text;
  return op;
}

/// `offset` of a frame operand holds a virtual register number. bra: `target` is a label; brx: `target_list` indexes
/// `target_lists`, which hold labels. resolve_labels() turns labels into op indices.
///
/// Recursive functions are not inlined but placed after the kernel's body as subroutines. A `call` op has the entry in
/// `target` and an index into `call_sites` in `target_list`; a `ret` op has an index into `subroutines` in
/// `target_list`. lower_recursion() turns both into branches.
struct Ir {
  static constexpr std::uint32_t kUnbound = ~std::uint32_t{0};

  struct Subroutine {
    std::uint32_t instance = 0;     ///< shared by mutually recursive functions entered by the same call
    std::uint32_t local_bytes = 0;  ///< its local variables, addressed from the stack pointer
  };
  struct CallSite {
    std::uint32_t owner = 0;   ///< enclosing subroutine + 1; 0: the kernel
    std::uint32_t callee = 0;  ///< subroutine
  };

  std::vector<MicroOp> ops;
  std::vector<bool> foldable;       ///< by op: a move inserted to pass a value; may be folded away
  std::vector<DataType> registers;  ///< storage by virtual register
  std::vector<std::uint32_t>
      owners;  ///< by virtual register: subroutine + 1 if each of its activations has a copy; 0: none
  std::vector<std::uint32_t> labels;  ///< index of the op that follows
  std::vector<std::vector<std::uint32_t>> target_lists;
  ConstantPool constants;
  std::vector<Subroutine> subroutines;
  std::vector<CallSite> call_sites;
  std::uint32_t stack_pointer = kUnbound;    ///< register (b64): local address of the current activation's frame
  std::uint32_t first_temporary = kUnbound;  ///< registers from here on are block-local; added by spilling
  std::uint32_t return_site = kUnbound;      ///< register (b32): return site of the subroutine being entered

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
