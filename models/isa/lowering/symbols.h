// SPDX-License-Identifier: Apache-2.0
// Symbol resolution across the units of one module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/ptx/syntax.h"

namespace heddle::isa {

struct Symbol {
  enum class Kind : std::uint8_t { none, function, variable, shared };
  Kind kind = Kind::none;
  std::uint32_t index = 0;  ///< in functions(), variables() or shared_variables()
};

/// A function of one unit.
struct FunctionEntry {
  std::shared_ptr<const UnitSyntax> unit;
  std::uint32_t unit_index = 0;
  const FunctionSyntax* syntax = nullptr;
  std::string name;  ///< unique in the module
};

class SymbolTable {
 public:
  /// Binds the names of all units. Throws Error(kPtx) for two strong definitions of one name.
  explicit SymbolTable(std::vector<std::shared_ptr<const UnitSyntax>> units);

  /// Resolves `name` in that unit: its own definition, else a visible one of another unit, else its own declaration.
  Symbol find(std::uint32_t unit, std::string_view name) const;
  /// Resolves `name` from outside the module.
  Symbol find(std::string_view name) const;

  const std::vector<std::shared_ptr<const UnitSyntax>>& units() const { return units_; }
  const std::vector<FunctionEntry>& functions() const { return functions_; }
  /// Global and constant variables and texture references, with unique names; relocations refer to resolved names.
  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Variable>& shared_variables() const { return shared_; }
  /// Functions whose address is taken in a body or initialiser, ascending.
  const std::vector<std::uint32_t>& address_taken() const { return address_taken_; }

  /// The value of a function's address.
  static std::uint64_t address_of(std::uint32_t function) {
    return kFunctionWindow + 16 * (std::uint64_t{function} + 1);
  }

 private:
  // Next to the shared and local windows (state.h), where no address can be mapped.
  static constexpr std::uint64_t kFunctionWindow = 0xfffd'0000'0000'0000;

  void add_functions(std::uint32_t unit);
  void add_variables(std::uint32_t unit);
  void publish(std::string_view name, Symbol symbol, Linkage linkage, const UnitSyntax& unit, std::uint32_t line,
               std::uint32_t column);
  void resolve_relocations();
  void collect_address_taken();
  std::string unique_name(std::string_view name, const UnitSyntax& unit);

  struct Published {
    Symbol symbol;
    bool strong;
  };

  std::vector<std::shared_ptr<const UnitSyntax>> units_;
  std::vector<FunctionEntry> functions_;
  std::vector<Variable> variables_, shared_;
  std::vector<std::uint32_t> variable_units_;  // parallel to variables_
  std::vector<std::unordered_map<std::string_view, Symbol>> local_;
  std::unordered_map<std::string_view, Published> published_;
  std::unordered_map<std::string, unsigned> taken_names_;
  std::vector<std::uint32_t> address_taken_;
};

}  // namespace heddle::isa
