// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/call_graph.h"

#include <algorithm>

#include "isa/ptx/parser.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {
namespace {

constexpr std::size_t kMaxCallDepth = 256;  // of nested inlined calls

bool same_signature(const std::vector<LocalVariable>& a, const std::vector<LocalVariable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LocalVariable& x, const LocalVariable& y) {
    return x.size == y.size && x.in_register == y.in_register;
  });
}

}  // namespace

SystemCall find_system_call(std::string_view name) {
  if (name == "vprintf") return SystemCall::vprintf;
  if (name == "malloc") return SystemCall::malloc;
  if (name == "free") return SystemCall::free;
  if (name == "__assertfail") return SystemCall::assertfail;
  if (name == "heddle_region_begin") return SystemCall::region_begin;
  if (name == "heddle_region_end") return SystemCall::region_end;
  return SystemCall::none;
}

CallGraph::CallGraph(const SymbolTable& symbols, std::uint32_t kernel) : symbols_(symbols) {
  visit(kernel, 0);
  lay_out_shared();
}

// Strongly connected components: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972.
void CallGraph::visit(std::uint32_t function, unsigned depth) {
  const FunctionEntry& entry = symbols_.functions()[function];
  const FunctionSyntax& syntax = *entry.syntax;
  if (depth >= kMaxCallDepth) {
    fail_at(entry.unit->name, syntax.line, syntax.column, "calls nest more than {} deep at '{}'", kMaxCallDepth,
            entry.name);
  }
  const auto number = static_cast<std::uint32_t>(visits_.size());
  visits_[function] = {number, number, true};
  stack_.push_back(function);
  bodies_.emplace(function, parse_body(*entry.unit, syntax));
  std::uint32_t lowest = number;
  bool calls_itself = false;
  for (const std::uint32_t callee : callees(function)) {
    if (!symbols_.functions()[callee].syntax->has_body()) continue;  // a system call, or an error when expanded
    calls_itself |= callee == function;
    if (!visits_.contains(callee)) {
      visit(callee, depth + 1);
      lowest = std::min(lowest, visits_[callee].lowest);
    } else if (visits_[callee].open) {
      lowest = std::min(lowest, visits_[callee].number);
    }
  }
  visits_[function].lowest = lowest;
  if (lowest == number) close_component(function, calls_itself);
}

void CallGraph::close_component(std::uint32_t function, bool calls_itself) {
  const auto first = std::find(stack_.begin(), stack_.end(), function);
  const bool recursive = calls_itself || stack_.end() - first > 1;
  if (recursive) ++component_count_;
  for (auto member = first; member != stack_.end(); ++member) {
    visits_[*member].open = false;
    if (recursive) components_.emplace(*member, component_count_);
  }
  stack_.erase(first, stack_.end());
}

std::vector<std::uint32_t> CallGraph::callees(std::uint32_t function) const {
  std::vector<std::uint32_t> out;
  for (const CallSyntax& call : body(function).calls) {
    if (call.callee.kind == OperandSyntax::Kind::symbol) {
      const Symbol symbol = symbols_.find(symbols_.functions()[function].unit_index, call.callee.name);
      if (symbol.kind == Symbol::Kind::function) out.push_back(symbol.index);
    } else {
      for (const std::uint32_t candidate : candidates(function, call)) out.push_back(candidate);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint32_t> CallGraph::candidates(std::uint32_t function, const CallSyntax& call) const {
  const Body& caller = body(function);
  const std::uint32_t unit = symbols_.functions()[function].unit_index;
  std::vector<std::uint32_t> out;
  if (const auto named = caller.call_targets.find(call.prototype); named != caller.call_targets.end()) {
    for (const std::string_view name : named->second) {
      const Symbol symbol = symbols_.find(unit, name);
      if (symbol.kind == Symbol::Kind::function) out.push_back(symbol.index);
    }
    return out;
  }
  const auto prototype = caller.prototypes.find(call.prototype);
  for (const std::uint32_t candidate : symbols_.address_taken()) {
    const FunctionSyntax& syntax = *symbols_.functions()[candidate].syntax;
    if (!syntax.has_body() || syntax.is_entry) continue;
    if (prototype != caller.prototypes.end() && (!same_signature(prototype->second.returns, syntax.returns) ||
                                                 !same_signature(prototype->second.parameters, syntax.parameters))) {
      continue;
    }
    out.push_back(candidate);
  }
  return out;
}

std::uint32_t CallGraph::allocate(std::uint64_t size, std::uint32_t alignment) {
  const std::uint64_t offset = (std::uint64_t{shared_.bytes} + alignment - 1) / alignment * alignment;
  // Sanity limit; the launch checks against the machine's actual size.
  if (offset + size > 0x4000'0000) fail(ExitCode::ptx, "shared variables take more than 2^30 bytes");
  shared_.bytes = static_cast<std::uint32_t>(offset + size);
  return static_cast<std::uint32_t>(offset);
}

void CallGraph::use_shared(std::uint32_t function, const OperandSyntax& operand) {
  if (operand.kind == OperandSyntax::Kind::variable) {
    const LocalVariable& variable = body(function).variables[operand.index];
    const std::pair key(function, operand.index);
    if (variable.space != Space::shared || shared_.body_offsets.contains(key)) return;
    if (variable.size == 0) {
      dynamic_alignment_ = std::max(dynamic_alignment_, variable.alignment);
      dynamic_body_variables_.push_back(key);
      return;
    }
    const std::uint32_t offset = allocate(variable.size, variable.alignment);
    shared_.body_offsets.emplace(key, offset);
    shared_.variables.push_back({std::string(variable.name), offset, variable.size});
  } else if (operand.kind == OperandSyntax::Kind::symbol) {
    const Symbol symbol = symbols_.find(symbols_.functions()[function].unit_index, operand.name);
    if (symbol.kind != Symbol::Kind::shared || shared_.module_offsets.contains(symbol.index)) return;
    const Variable& variable = symbols_.shared_variables()[symbol.index];
    if (variable.external && variable.size != 0) {
      fail_at(symbols_.functions()[function].unit->name, operand.line, operand.column,
              "variable '{}' is declared but not defined in any module", operand.name);
    }
    if (variable.external) {
      dynamic_alignment_ = std::max(dynamic_alignment_, variable.alignment);
      dynamic_variables_.push_back(symbol.index);
      return;
    }
    const std::uint32_t offset = allocate(variable.size, variable.alignment);
    shared_.module_offsets.emplace(symbol.index, offset);
    shared_.variables.push_back({variable.name, offset, variable.size});
  }
}

void CallGraph::lay_out_shared() {
  for (const auto& [function, syntax] : bodies_) {
    for (const OperandSyntax& operand : syntax.operands) use_shared(function, operand);
    for (const CallSyntax& call : syntax.calls) {
      for (const OperandSyntax& operand : call.arguments) use_shared(function, operand);
    }
  }
  if (dynamic_variables_.empty() && dynamic_body_variables_.empty()) return;
  shared_.dynamic_used = true;
  const std::uint32_t base = allocate(0, dynamic_alignment_);
  for (const std::uint32_t variable : dynamic_variables_) {
    shared_.module_offsets.emplace(variable, base);
    shared_.variables.push_back({symbols_.shared_variables()[variable].name, base, 0});
  }
  for (const auto& key : dynamic_body_variables_) {
    shared_.body_offsets.emplace(key, base);
    shared_.variables.push_back({std::string(body(key.first).variables[key.second].name), base, 0});
  }
}

}  // namespace heddle::isa
