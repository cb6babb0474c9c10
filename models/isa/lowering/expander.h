// SPDX-License-Identifier: Apache-2.0
// Expands a kernel's body and all its callees to one list of micro-ops: operands resolved, calls inlined.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/lowering/call_graph.h"
#include "isa/lowering/call_parameters.h"
#include "isa/lowering/ir.h"
#include "isa/module.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

class Expander {
 public:
  /// Fills names, parameters, memory sizes, texts and files of `kernel`.
  Expander(const SymbolTable& symbols, const CallGraph& graph, const SymbolResolver& resolver, Kernel& kernel)
      : symbols_(symbols), graph_(graph), resolver_(resolver), kernel_(kernel) {}

  /// Throws Error(kPtx) naming line and construct.
  Ir expand(std::uint32_t function);

 private:
  // One expansion of a function's body.
  struct Frame {
    std::uint32_t function = 0;
    const FunctionEntry* entry = nullptr;
    const Body* body = nullptr;
    bool is_kernel = false;
    std::vector<std::uint32_t> registers;  // virtual register by body register
    std::vector<std::uint64_t> places;     // by body variable: offset in its space, or call parameter
    std::uint32_t first_label = 0;
    std::uint32_t return_label = 0;
  };

  // -- expander.cpp: bodies and plain instructions
  Frame make_frame(std::uint32_t function, bool is_kernel);
  void place_variables(Frame& frame);
  void note_local_bytes();
  void expand_body(Frame& frame);
  void expand_instruction(Frame& frame, const InstructionSyntax& syntax);
  MicroOp start(Frame& frame, const InstructionSyntax& syntax);
  void plain(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void move(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void move_vector(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op);
  void memory(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  // Accesses elements first .. first + op.vector_width - 1 of the `total` in the text.
  void access(Frame& frame, const InstructionSyntax& syntax, MicroOp op, unsigned first, unsigned total);
  void copy_async(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void barrier(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void add_carry(MicroOp& op);

  // -- expander_textures.cpp
  void texture(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void query(Frame& frame, const InstructionSyntax& syntax, MicroOp op);
  void surface(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op);
  void formatted_store(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op);
  // Appends the handle, the layer and the coordinates of type `type`.
  void add_coordinates(Frame& frame, const OperandSyntax& place, MicroOp& op, DataType type);
  // Appends a vector operand of the fetch (gradients) or a level. A single coordinate needs no vector; the last of four
  // may be unused.
  void add_vector(Frame& frame, const OperandSyntax& vector, MicroOp& op, unsigned count, DataType type);
  // Emits the op that computes the address; if `valid` is present, it receives whether the address is in range.
  MicroOp surface_address(Frame& frame, const InstructionSyntax& syntax, const MicroOp& op, Operand valid);

  // -- expander_operands.cpp
  Operand source(Frame& frame, const MicroOp& op, const OperandSyntax& operand, DataType type, bool wider);
  Operand destination(Frame& frame, const OperandSyntax& operand, DataType type, bool wider);
  Operand body_register(Frame& frame, const OperandSyntax& operand);
  Operand immediate(Frame& frame, const OperandSyntax& operand, DataType type);
  Operand special_in_register(const MicroOp& op, SpecialRegister special);
  struct Address {
    Space space = Space::none;  // of the symbol
    std::uint64_t value = 0;
    bool in_frame = false;  // value is relative to the stack pointer
  };
  // A register holding an address in the current activation's frame.
  Operand frame_address(const MicroOp& op, std::uint64_t offset, DataType wanted);
  Address address_of(Frame& frame, const OperandSyntax& operand);
  // Sets sources[0] and the offset from [...]; returns false when the op accesses a call parameter.
  bool set_address(Frame& frame, const OperandSyntax& operand, MicroOp& op, CallParameters::Id& parameter,
                   std::uint64_t& offset);

  // -- expander_subroutines.cpp: functions of a recursion
  struct Subroutine {
    std::uint32_t function = 0;
    std::uint32_t entry = 0;  // label
    // Arguments and results, each in a register or a call parameter.
    std::vector<Operand> argument_registers, result_registers;
    std::vector<CallParameters::Id> arguments, results;
  };
  std::size_t subroutine_of(std::uint32_t function);
  void call_subroutine(Frame& frame, const InstructionSyntax& syntax, std::uint32_t function);
  void expand_subroutine(std::size_t index);

  // -- expander_calls.cpp
  void call(Frame& frame, const InstructionSyntax& syntax);
  void call_function(Frame& frame, const InstructionSyntax& syntax, std::uint32_t function);
  void call_indirect(Frame& frame, const InstructionSyntax& syntax);
  void call_system(Frame& frame, const InstructionSyntax& syntax, const FunctionEntry& callee, SystemCall system);
  void bind_argument(Frame& frame, const InstructionSyntax& syntax, const OperandSyntax& actual, Frame& callee,
                     std::size_t formal);
  void bind_return(Frame& frame, const InstructionSyntax& syntax, const OperandSyntax& actual, Frame& callee,
                   std::size_t formal);
  // The call parameter that an actual operand names; false when it is a register or an immediate.
  bool actual_parameter(Frame& frame, const OperandSyntax& actual, CallParameters::Id& out);
  void push_load(const MicroOp& like, CallParameters::Id parameter, Operand to, DataType type);
  void push_store(const MicroOp& like, CallParameters::Id parameter, Operand value, DataType type);
  void push_move(const MicroOp& like, Operand to, Operand from);
  void push_branch(const MicroOp& like, std::uint32_t label, Operand guard, bool negate);

  template <typename Where, typename... Args>
  [[noreturn]] void fail(const Frame& frame, const Where& where, fmt::format_string<Args...> format,
                         Args&&... args) const;

  std::uint32_t text_of(const Frame& frame, const InstructionSyntax& syntax);
  std::uint16_t file_of(const Frame& frame, std::uint16_t number);
  std::uint16_t inlined_of(const Frame& frame, SourcePosition position);

  const SymbolTable& symbols_;
  const CallGraph& graph_;
  const SymbolResolver& resolver_;
  Kernel& kernel_;
  Ir ir_;
  CallParameters parameters_;
  std::vector<Subroutine> subroutines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> subroutine_index_;  // by function and instance
  std::uint32_t instances_ = 0;   // recursion instances: one per call that enters a recursion
  std::uint32_t owner_ = 0;       // the subroutine being expanded + 1; 0: the kernel
  std::uint32_t local_base_ = 0;  // start of the next frame's local variables
  std::uint32_t carry_ = Ir::kUnbound;
  std::unordered_map<const InstructionSyntax*, std::uint32_t> texts_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint16_t> files_;
  std::map<SourcePlace, std::uint16_t> inlined_;
};

template <typename Where, typename... Args>
void Expander::fail(const Frame& frame, const Where& where, fmt::format_string<Args...> format, Args&&... args) const {
  throw Error(ExitCode::ptx, fmt::format("{}:{}:{}: {}", frame.entry->unit->name, where.line, where.column,
                                         fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace heddle::isa
