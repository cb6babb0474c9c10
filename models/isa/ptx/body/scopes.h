// SPDX-License-Identifier: Apache-2.0
// Names in a function body: nested scopes of registers (including ranges), variables and labels.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// The entity a name in a body refers to.
struct ScopeEntry {
  enum class Kind : std::uint8_t { reg, vector_register, variable, module_variable, label };
  Kind kind;
  std::uint32_t index =
      0;  ///< index in Body::registers, variables or labels, or UnitSyntax::variables; of a vector, its first element
  std::uint32_t elements = 1;  ///< of a vector register
};

/// Closed scopes are kept, since a branch may precede the label it names.
class Scopes {
 public:
  using Id = std::uint32_t;

  explicit Scopes(Body& body) : body_(body) { open(); }

  void open() {
    scopes_.push_back({current_, {}, {}});
    current_ = static_cast<Id>(scopes_.size() - 1);
  }
  /// False when only the outermost scope is open.
  bool close() {
    if (current_ == 0) return false;
    current_ = scopes_[current_].parent;
    return true;
  }
  Id current() const { return current_; }

  /// False when the name is taken in the current scope.
  bool declare(std::string_view name, ScopeEntry entry) { return scopes_[current_].names.emplace(name, entry).second; }
  /// Registers prefix0 .. prefix(count-1), created on first use.
  void declare_range(std::string_view prefix, std::uint64_t count, DataType storage, std::uint32_t elements) {
    scopes_[current_].ranges.push_back({prefix, count, storage, elements});
  }
  std::uint32_t add_register(std::string_view name, DataType storage, std::uint32_t elements) {
    const auto index = static_cast<std::uint32_t>(body_.registers.size());
    for (std::uint32_t i = 0; i < elements; ++i) body_.registers.push_back({name, storage});
    return index;
  }

  /// Looks `name` up from `scope` outwards; null when undeclared.
  const ScopeEntry* find(std::string_view name, Id scope);
  const ScopeEntry* find(std::string_view name) { return find(name, current_); }

 private:
  struct Range {
    std::string_view prefix;
    std::uint64_t count;
    DataType storage;
    std::uint32_t elements;
  };
  struct Scope {
    Id parent;
    std::unordered_map<std::string_view, ScopeEntry> names;
    std::vector<Range> ranges;
  };

  Body& body_;
  std::vector<Scope> scopes_;
  Id current_ = 0;
};

}  // namespace heddle::isa
