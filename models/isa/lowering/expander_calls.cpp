// SPDX-License-Identifier: Apache-2.0
#include "isa/classify.h"
#include "isa/lowering/expander.h"
#include "isa/ptx/declarations.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

}  // namespace

void Expander::push_load(const MicroOp& like, CallParameters::Id parameter, Operand to, DataType type) {
  MicroOp op = derived(like, Opcode::ld);
  op.space = Space::param;
  op.type = type;
  op.destinations[op.destination_count++] = to;
  op.source_count = 1;
  classify(op);
  parameters_.access(ir_, parameter, 0);
  ir_.push(op);
}

void Expander::push_store(const MicroOp& like, CallParameters::Id parameter, Operand value, DataType type) {
  MicroOp op = derived(like, Opcode::st);
  op.space = Space::param;
  op.type = type;
  op.source_count = 2;
  op.sources[1] = value;
  classify(op);
  parameters_.access(ir_, parameter, 0);
  ir_.push(op);
}

void Expander::push_move(const MicroOp& like, Operand to, Operand from) {
  MicroOp op = derived(like, Opcode::mov);
  op.type = to.type;
  op.destinations[op.destination_count++] = to;
  op.sources[op.source_count++] = from;
  classify(op);
  ir_.push(op, true);
}

void Expander::push_branch(const MicroOp& like, std::uint32_t label, Operand guard, bool negate) {
  MicroOp op = derived(like, Opcode::bra);
  op.target = label;
  op.guard = guard;
  op.guard.negate = negate;
  classify(op);
  ir_.push(op);
}

bool Expander::actual_parameter(Frame& frame, const OperandSyntax& actual, CallParameters::Id& out) {
  if (actual.kind != Kind::variable) return false;
  const LocalVariable& variable = frame.body->variables[actual.index];
  if (variable.space != Space::param) return false;
  if (frame.is_kernel && variable.formal) {
    fail(frame, actual, "parameter '{}' of a kernel must be loaded before it is passed on", actual.name);
  }
  out = static_cast<CallParameters::Id>(frame.places[actual.index]);
  return true;
}

void Expander::call(Frame& frame, const InstructionSyntax& syntax) {
  const CallSyntax& syntax_of_call = frame.body->calls[syntax.call];
  std::uint32_t after = Ir::kUnbound;
  if (syntax.guarded) {
    after = ir_.add_label();
    const MicroOp like = start(frame, syntax);
    push_branch(like, after, like.guard, !like.guard.negate);
  }
  if (syntax_of_call.callee.kind == Kind::symbol) {
    const Symbol symbol = symbols_.find(frame.entry->unit_index, syntax_of_call.callee.name);
    if (symbol.kind != Symbol::Kind::function) {
      fail(frame, syntax, "function '{}' is not declared", syntax_of_call.callee.name);
    }
    call_function(frame, syntax, symbol.index);
  } else if (syntax_of_call.callee.kind == Kind::reg) {
    call_indirect(frame, syntax);
  } else {
    fail(frame, syntax, "the callee must be a name or a register");
  }
  if (after != Ir::kUnbound) ir_.bind(after);
}

void Expander::call_function(Frame& frame, const InstructionSyntax& syntax, std::uint32_t function) {
  const CallSyntax& syntax_of_call = frame.body->calls[syntax.call];
  const FunctionEntry& callee_entry = symbols_.functions()[function];
  const FunctionSyntax& callee_syntax = *callee_entry.syntax;
  if (!callee_syntax.has_body()) {
    if (const SystemCall system = find_system_call(callee_syntax.name); system != SystemCall::none) {
      return call_system(frame, syntax, callee_entry, system);
    }
    if (callee_syntax.name.starts_with("__nv_")) {
      fail(frame, syntax,
           "math function '{}' is called but not defined in the PTX: compile with heddle cc, whose headers define it",
           callee_syntax.name);
    }
    fail(frame, syntax, "function '{}' is called but not defined in any module", callee_syntax.name);
  }
  if (callee_syntax.is_entry) fail(frame, syntax, "kernel '{}' cannot be called from a kernel", callee_syntax.name);
  if (syntax_of_call.arguments.size() != callee_syntax.parameters.size() ||
      syntax_of_call.returns.size() != callee_syntax.returns.size()) {
    fail(frame, syntax, "call of '{}' passes {} values and takes {} results, the function has {} and {}",
         callee_syntax.name, syntax_of_call.arguments.size(), syntax_of_call.returns.size(),
         callee_syntax.parameters.size(), callee_syntax.returns.size());
  }
  if (graph_.recursion(function) != 0) return call_subroutine(frame, syntax, function);
  const std::uint32_t saved_base = local_base_;
  Frame callee = make_frame(function, false);
  const std::size_t returns = callee_syntax.returns.size();
  for (std::size_t i = 0; i < callee_syntax.parameters.size(); ++i) {
    bind_argument(frame, syntax, syntax_of_call.arguments[i], callee, returns + i);
  }
  // Bind results passed from parameter to parameter before the body stores them.
  for (std::size_t i = 0; i < returns; ++i) {
    CallParameters::Id to = 0;
    if (!callee.body->variables[i].in_register && actual_parameter(frame, syntax_of_call.returns[i], to)) {
      bind_return(frame, syntax, syntax_of_call.returns[i], callee, i);
    }
  }
  expand_body(callee);
  for (std::size_t i = 0; i < returns; ++i) {
    CallParameters::Id to = 0;
    if (callee.body->variables[i].in_register || !actual_parameter(frame, syntax_of_call.returns[i], to)) {
      bind_return(frame, syntax, syntax_of_call.returns[i], callee, i);
    }
  }
  local_base_ = saved_base;
}

void Expander::bind_argument(Frame& frame, const InstructionSyntax& syntax, const OperandSyntax& actual, Frame& callee,
                             std::size_t formal) {
  const LocalVariable& variable = callee.body->variables[formal];
  MicroOp like = start(frame, syntax);
  like.guard = {};
  CallParameters::Id passed = 0;
  const bool is_parameter = actual_parameter(frame, actual, passed);
  if (variable.in_register) {
    const Operand to = ir_.reg(callee.registers[callee.body->formal_registers[formal]]);
    if (is_parameter) {
      push_load(like, passed, to, to.type);
    } else {
      push_move(like, to, source(frame, like, actual, variable.type, false));
    }
    return;
  }
  const auto own = static_cast<CallParameters::Id>(callee.places[formal]);
  if (!is_parameter) {
    push_store(like, own, source(frame, like, actual, variable.type, true), variable.type);
  } else if (!parameters_.unite(passed, own)) {
    fail(frame, actual, "'{}' cannot be passed on: its address is taken", actual.name);
  }
}

void Expander::bind_return(Frame& frame, const InstructionSyntax& syntax, const OperandSyntax& actual, Frame& callee,
                           std::size_t formal) {
  const LocalVariable& variable = callee.body->variables[formal];
  MicroOp like = start(frame, syntax);
  like.guard = {};
  CallParameters::Id taken = 0;
  const bool is_parameter = actual_parameter(frame, actual, taken);
  if (variable.in_register) {
    const Operand from = ir_.reg(callee.registers[callee.body->formal_registers[formal]]);
    if (is_parameter) {
      push_store(like, taken, from, from.type);
    } else if (actual.kind != Kind::sink) {
      push_move(like, destination(frame, actual, variable.type, false), from);
    }
    return;
  }
  const auto own = static_cast<CallParameters::Id>(callee.places[formal]);
  if (is_parameter) {
    if (!parameters_.unite(taken, own))
      fail(frame, actual, "'{}' cannot take a result: its address is taken", actual.name);
  } else if (actual.kind != Kind::sink) {
    push_load(like, own, destination(frame, actual, variable.type, true), variable.type);
  }
}

// Compares the pointer with each candidate function in turn; each comparison is followed by the inlined body.
void Expander::call_indirect(Frame& frame, const InstructionSyntax& syntax) {
  const CallSyntax& syntax_of_call = frame.body->calls[syntax.call];
  const std::vector<std::uint32_t> candidates = graph_.candidates(frame.function, syntax_of_call);
  if (candidates.empty()) fail(frame, syntax, "no function in the program matches this indirect call");
  MicroOp like = start(frame, syntax);
  like.guard = {};
  // In a module with 32-bit addresses, a function pointer holds the low half of the address.
  const DataType width =
      frame.body->registers[syntax_of_call.callee.index].storage == DataType::b32 ? DataType::b32 : DataType::b64;
  const Operand callee = source(frame, like, syntax_of_call.callee, width, false);
  const std::uint32_t done = ir_.add_label();
  for (const std::uint32_t candidate : candidates) {
    const std::uint32_t next = ir_.add_label();
    const Operand differs = ir_.reg(ir_.add_register(DataType::pred, owner_));
    MicroOp compare = derived(like, Opcode::setp);
    compare.type = width == DataType::b32 ? DataType::u32 : DataType::u64;
    compare.compare = Compare::ne;
    compare.destinations[0] = differs;
    compare.destination_count = 2;  // the second one is unused
    compare.sources[0] = callee;
    compare.sources[1] = ir_.constants.add(width, SymbolTable::address_of(candidate));
    compare.source_count = 2;
    classify(compare);
    ir_.push(compare);
    push_branch(like, next, differs, false);
    call_function(frame, syntax, candidate);
    push_branch(like, done, {}, false);
    ir_.bind(next);
  }
  MicroOp trap = derived(like, Opcode::trap);
  classify(trap);
  ir_.push(trap);
  ir_.bind(done);
}

void Expander::call_system(Frame& frame, const InstructionSyntax& syntax, const FunctionEntry& callee,
                           SystemCall system) {
  const CallSyntax& syntax_of_call = frame.body->calls[syntax.call];
  MicroOp like = start(frame, syntax);
  like.guard = {};
  MicroOp op = derived(like, Opcode::syscall);
  op.system_call = system;
  const auto& formals = callee.syntax->parameters;
  if (syntax_of_call.arguments.size() != formals.size() || formals.size() > MicroOp::kMaxSources ||
      syntax_of_call.returns.size() > 1) {
    fail(frame, syntax, "call of '{}' does not match its declaration", callee.name);
  }
  for (std::size_t i = 0; i < formals.size(); ++i) {
    CallParameters::Id parameter = 0;
    Operand value;
    if (actual_parameter(frame, syntax_of_call.arguments[i], parameter)) {
      value = ir_.reg(ir_.add_register(storage_of(formals[i].type), owner_));
      push_load(like, parameter, value, value.type);
    } else {
      value = source(frame, like, syntax_of_call.arguments[i], formals[i].type, false);
    }
    op.sources[op.source_count++] = value;
  }
  op.destination_count = 1;
  classify(op);
  if (syntax_of_call.returns.empty()) {
    ir_.push(op);
  } else {
    CallParameters::Id parameter = 0;
    if (actual_parameter(frame, syntax_of_call.returns[0], parameter)) {
      const DataType type = callee.syntax->returns.empty() ? DataType::b32 : callee.syntax->returns[0].type;
      op.destinations[0] = ir_.reg(ir_.add_register(storage_of(type), owner_));
      ir_.push(op);
      push_store(like, parameter, op.destinations[0], op.destinations[0].type);
    } else {
      op.destinations[0] = destination(frame, syntax_of_call.returns[0], DataType::b32, true);
      ir_.push(op);
    }
  }
  if (system == SystemCall::assertfail) {
    // It does not return, and compilers emit nothing after it.
    MicroOp exit = derived(like, Opcode::exit_);
    classify(exit);
    ir_.push(exit);
  }
}

}  // namespace heddle::isa
