// SPDX-License-Identifier: Apache-2.0
// Recursive functions cannot be inlined. They are placed after the kernel's body, once per call that enters the
// recursion, and their activations have frames in local memory (lower_recursion). Each copy of a recursion thus has a
// single entry and exit, and branches around its call reconverge where the text says. Arguments and results pass
// through parameters and registers shared by all callers of the copy; nothing intervenes between their writing and
// reading.
#include "isa/classify.h"
#include "isa/lowering/expander.h"
#include "isa/ptx/declarations.h"

namespace heddle::isa {
namespace {

MicroOp control(const MicroOp& like, Opcode opcode) {
  MicroOp op = derived(like, opcode);
  classify(op);
  return op;
}

}  // namespace

std::size_t Expander::subroutine_of(std::uint32_t function) {
  const std::uint32_t circle = graph_.recursion(function);
  const bool within = owner_ != 0 && graph_.recursion(subroutines_[owner_ - 1].function) == circle;
  const std::uint32_t instance = within ? ir_.subroutines[owner_ - 1].instance : ++instances_;
  const auto [found, added] = subroutine_index_.emplace(std::pair(function, instance), subroutines_.size());
  if (!added) return found->second;
  const FunctionSyntax& syntax = *symbols_.functions()[function].syntax;
  Subroutine subroutine;
  subroutine.function = function;
  subroutine.entry = ir_.add_label();
  const auto add = [&](const LocalVariable& variable, std::vector<Operand>& registers,
                       std::vector<CallParameters::Id>& parameters) {
    registers.push_back(variable.in_register ? ir_.reg(ir_.add_register(storage_of(variable.type), 0)) : Operand());
    parameters.push_back(variable.in_register ? 0 : parameters_.add(variable, 0));
  };
  for (const LocalVariable& v : syntax.parameters) add(v, subroutine.argument_registers, subroutine.arguments);
  for (const LocalVariable& v : syntax.returns) add(v, subroutine.result_registers, subroutine.results);
  ir_.stack_base();
  if (ir_.return_site == Ir::kUnbound) ir_.return_site = ir_.add_register(DataType::b32, 0);
  ir_.subroutines.push_back({instance, 0});
  subroutines_.push_back(std::move(subroutine));
  return subroutines_.size() - 1;
}

void Expander::call_subroutine(Frame& frame, const InstructionSyntax& syntax, std::uint32_t function) {
  const CallSyntax& call = frame.body->calls[syntax.call];
  const FunctionSyntax& callee = *symbols_.functions()[function].syntax;
  const std::size_t index = subroutine_of(function);
  MicroOp like = start(frame, syntax);
  like.guard = {};
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    const LocalVariable& formal = callee.parameters[i];
    const OperandSyntax& actual = call.arguments[i];
    CallParameters::Id passed = 0;
    const bool is_parameter = actual_parameter(frame, actual, passed);
    const Operand to = subroutines_[index].argument_registers[i];
    if (formal.in_register && is_parameter) {
      push_load(like, passed, to, to.type);
    } else if (formal.in_register) {
      push_move(like, to, source(frame, like, actual, formal.type, false));
    } else if (!is_parameter) {
      push_store(like, subroutines_[index].arguments[i], source(frame, like, actual, formal.type, true), formal.type);
    } else if (!parameters_.unite(passed, subroutines_[index].arguments[i])) {
      fail(frame, actual, "'{}' cannot be passed on: its address is taken", actual.name);
    }
  }
  MicroOp op = control(like, Opcode::call);
  op.target = subroutines_[index].entry;
  op.target_list = static_cast<std::uint32_t>(ir_.call_sites.size());
  ir_.call_sites.push_back({owner_, static_cast<std::uint32_t>(index)});
  ir_.push(op);
  for (std::size_t i = 0; i < callee.returns.size(); ++i) {
    const LocalVariable& formal = callee.returns[i];
    const OperandSyntax& actual = call.returns[i];
    CallParameters::Id taken = 0;
    const bool is_parameter = actual_parameter(frame, actual, taken);
    const Operand from = subroutines_[index].result_registers[i];
    if (is_parameter && formal.in_register) {
      push_store(like, taken, from, from.type);
    } else if (is_parameter) {
      if (!parameters_.unite(taken, subroutines_[index].results[i])) {
        fail(frame, actual, "'{}' cannot take a result: its address is taken", actual.name);
      }
    } else if (actual.kind == OperandSyntax::Kind::sink) {
      continue;
    } else if (formal.in_register) {
      push_move(like, destination(frame, actual, formal.type, false), from);
    } else {
      push_load(like, subroutines_[index].results[i], destination(frame, actual, formal.type, true), formal.type);
    }
  }
}

void Expander::expand_subroutine(std::size_t index) {
  const Subroutine subroutine = subroutines_[index];  // the list grows while bodies are expanded
  owner_ = static_cast<std::uint32_t>(index) + 1;
  local_base_ = 0;
  Frame frame = make_frame(subroutine.function, false);
  const FunctionSyntax& syntax = *frame.entry->syntax;
  const std::size_t returns = syntax.returns.size();
  ir_.bind(subroutine.entry);
  MicroOp like;
  like.ptx_line = syntax.line;
  like.text = static_cast<std::uint32_t>(kernel_.texts.size());
  kernel_.texts.push_back("entry of " + frame.entry->name);
  const Operand return_site = ir_.reg(ir_.add_register(DataType::b32, owner_));
  push_move(like, return_site, ir_.reg(ir_.return_site));
  ir_.foldable.back() = false;
  for (std::size_t i = 0; i < syntax.parameters.size(); ++i) {
    if (syntax.parameters[i].in_register) {
      push_move(like, ir_.reg(frame.registers[frame.body->formal_registers[returns + i]]),
                subroutine.argument_registers[i]);
    } else {
      parameters_.copy(ir_, static_cast<CallParameters::Id>(frame.places[returns + i]), subroutine.arguments[i]);
      MicroOp placeholder = control(like, Opcode::ld);
      placeholder.vector_width = 0;
      ir_.push(placeholder);
    }
  }
  for (std::size_t i = 0; i < returns; ++i) {
    if (!syntax.returns[i].in_register) frame.places[i] = subroutine.results[i];
  }
  expand_body(frame);
  if (!ir_.ops.empty()) like.ptx_line = ir_.ops.back().ptx_line;
  like.text = static_cast<std::uint32_t>(kernel_.texts.size());
  kernel_.texts.push_back("return of " + frame.entry->name);
  for (std::size_t i = 0; i < returns; ++i) {
    if (!syntax.returns[i].in_register) continue;
    push_move(like, subroutine.result_registers[i], ir_.reg(frame.registers[frame.body->formal_registers[i]]));
  }
  MicroOp op = control(like, Opcode::ret);
  op.target_list = static_cast<std::uint32_t>(index);
  op.sources[op.source_count++] = return_site;
  ir_.push(op);
}

}  // namespace heddle::isa
