// SPDX-License-Identifier: Apache-2.0
// Call graph of a kernel before expansion: reachable bodies, recursion, shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/lowering/symbols.h"

namespace heddle::isa {

/// Layout of a kernel's shared variables in the block's window.
struct SharedLayout {
  std::unordered_map<std::uint32_t, std::uint32_t> module_offsets;  ///< key: index in SymbolTable::shared_variables()
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> body_offsets;  ///< key: function and body variable
  std::vector<SharedVariable> variables;                                          ///< the same with their names
  std::uint32_t bytes = 0;  ///< static size; dynamic memory begins here when dynamic_used
  bool dynamic_used = false;
};

class CallGraph {
 public:
  /// Parses every function the kernel reaches. Throws Error(kPtx) on errors from parse_body.
  CallGraph(const SymbolTable& symbols, std::uint32_t kernel);

  const Body& body(std::uint32_t function) const { return bodies_.at(function); }
  /// 0 for a non-recursive function; mutually recursive functions share a number.
  std::uint32_t recursion(std::uint32_t function) const {
    const auto found = components_.find(function);
    return found == components_.end() ? 0 : found->second;
  }
  const SharedLayout& shared() const { return shared_; }
  /// Possible targets of an indirect call in `function`'s body, by its .calltargets or prototype.
  std::vector<std::uint32_t> candidates(std::uint32_t function, const CallSyntax& call) const;

 private:
  struct Visit {
    std::uint32_t number = 0, lowest = 0;
    bool open = true;
  };
  void visit(std::uint32_t function, unsigned depth);
  void close_component(std::uint32_t function, bool calls_itself);
  std::vector<std::uint32_t> callees(std::uint32_t function) const;
  void lay_out_shared();
  void use_shared(std::uint32_t function, const OperandSyntax& operand);
  std::uint32_t allocate(std::uint64_t size, std::uint32_t alignment);

  const SymbolTable& symbols_;
  std::map<std::uint32_t, Body> bodies_;  // ordered by function, so the layout is deterministic
  std::unordered_map<std::uint32_t, Visit> visits_;
  std::vector<std::uint32_t> stack_;  // visited functions not yet assigned to a component
  std::unordered_map<std::uint32_t, std::uint32_t> components_;
  std::uint32_t component_count_ = 0;
  SharedLayout shared_;
  std::uint32_t dynamic_alignment_ = 16;
  std::vector<std::uint32_t> dynamic_variables_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dynamic_body_variables_;
};

/// The system call with that name; none for any other function.
SystemCall find_system_call(std::string_view name);

}  // namespace heddle::isa
