// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/symbols.h"

#include <algorithm>

#include "isa/ptx/token_stream.h"

namespace heddle::isa {
namespace {

bool is_strong(Linkage linkage) { return linkage == Linkage::visible || linkage == Linkage::internal; }

}  // namespace

SymbolTable::SymbolTable(std::vector<std::shared_ptr<const UnitSyntax>> units) : units_(std::move(units)) {
  local_.resize(units_.size());
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    add_functions(unit);
    add_variables(unit);
  }
  // An alias refers to a function of its own unit, in other units too.
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    for (const auto& [alias, aliasee] : units_[unit]->aliases) {
      const Symbol symbol = find(unit, aliasee);
      if (symbol.kind != Symbol::Kind::function) continue;
      local_[unit].insert_or_assign(alias, symbol);
      published_.insert_or_assign(alias, Published{symbol, false});
    }
  }
  resolve_relocations();
  collect_address_taken();
}

std::string SymbolTable::unique_name(std::string_view name, const UnitSyntax& unit) {
  std::string candidate(name);
  if (taken_names_.contains(candidate)) candidate += "@" + unit.name;
  const std::string base = candidate;
  for (unsigned i = 2; taken_names_.contains(candidate); ++i) candidate = base + "#" + std::to_string(i);
  taken_names_.emplace(candidate, 0);
  return candidate;
}

void SymbolTable::add_functions(std::uint32_t unit) {
  const UnitSyntax& u = *units_[unit];
  for (std::uint32_t i = 0; i < u.functions.size(); ++i) {
    const FunctionSyntax& function = u.functions[i];
    if (u.function_index.at(function.name) != i) continue;  // a declaration of a function defined in the same unit
    const Symbol symbol{Symbol::Kind::function, static_cast<std::uint32_t>(functions_.size())};
    if (!function.has_body()) {
      // Visible in its own unit even if undefined, for its signature and for messages.
      functions_.push_back({units_[unit], unit, &function, std::string(function.name)});
      local_[unit].emplace(function.name, symbol);
      continue;
    }
    const bool is_private = function.linkage == Linkage::internal && !function.is_entry;
    if (!is_private && published_.contains(function.name)) {
      const bool replace = !published_.at(function.name).strong && is_strong(function.linkage);
      if (!replace) {
        publish(function.name, symbol, function.linkage, u, function.line, function.column);  // may be an error
        continue;
      }
    }
    functions_.push_back(
        {units_[unit], unit, &function, !is_private ? std::string(function.name) : unique_name(function.name, u)});
    local_[unit].insert_or_assign(function.name, symbol);
    if (!is_private) {
      taken_names_.emplace(std::string(function.name), 0);
      publish(function.name, symbol, function.linkage, u, function.line, function.column);
    }
  }
}

void SymbolTable::add_variables(std::uint32_t unit) {
  const UnitSyntax& u = *units_[unit];
  for (std::uint32_t i = 0; i < u.variables.size(); ++i) {
    const VariableSyntax& syntax = u.variables[i];
    const std::string_view name = syntax.variable.name;
    if (u.variable_index.at(name) != i) continue;
    // All unsized `extern __shared__` arrays alias the same dynamic memory, whatever their names.
    const bool is_shared = syntax.variable.space == Space::shared;
    const bool is_private =
        syntax.linkage == Linkage::internal || (is_shared && syntax.variable.external && syntax.variable.size == 0);
    const bool defines = !syntax.variable.external;
    if (!is_private && published_.contains(name)) {
      const Published& other = published_.at(name);
      if (other.symbol.kind == Symbol::Kind::function) {
        fail_at(u.name, syntax.line, syntax.column, "variable '{}' is a function elsewhere", name);
      }
      const bool other_shared = other.symbol.kind == Symbol::Kind::shared;
      Variable& known = (other_shared ? shared_ : variables_)[other.symbol.index];
      const bool strong = is_strong(syntax.linkage);
      if (defines && (known.external || (!other.strong && strong))) {
        known = syntax.variable;
        if (!other_shared) variable_units_[other.symbol.index] = unit;
        published_.insert_or_assign(name, Published{other.symbol, strong});
      } else if (defines) {
        publish(name, other.symbol, syntax.linkage, u, syntax.line, syntax.column);
      }
      continue;
    }
    auto& list = is_shared ? shared_ : variables_;
    const Symbol symbol{is_shared ? Symbol::Kind::shared : Symbol::Kind::variable,
                        static_cast<std::uint32_t>(list.size())};
    list.push_back(syntax.variable);
    if (!is_shared) variable_units_.push_back(unit);
    if (is_private) {
      list.back().name = unique_name(name, u);
      local_[unit].emplace(name, symbol);
    } else {
      taken_names_.emplace(std::string(name), 0);
      // A definition replaces an external declaration.
      published_.insert_or_assign(name, Published{symbol, defines && is_strong(syntax.linkage)});
    }
  }
}

void SymbolTable::publish(std::string_view name, Symbol symbol, Linkage linkage, const UnitSyntax& unit,
                          std::uint32_t line, std::uint32_t column) {
  const bool strong = is_strong(linkage);
  const auto [found, added] = published_.emplace(name, Published{symbol, strong});
  if (added) return;
  if (strong && found->second.strong) {
    fail_at(unit.name, line, column, "'{}' is also defined in another module", name);
  }
  if (strong) found->second = {symbol, true};
}

Symbol SymbolTable::find(std::uint32_t unit, std::string_view name) const {
  const auto local = local_[unit].find(name);
  const bool here = local != local_[unit].end();
  // A definition elsewhere overrides a declaration; the chosen definition overrides a weak one.
  const bool settled = here && (local->second.kind != Symbol::Kind::function ||
                                (functions_[local->second.index].syntax->has_body() &&
                                 functions_[local->second.index].syntax->linkage == Linkage::internal));
  if (settled) return local->second;
  if (const auto found = published_.find(name); found != published_.end()) return found->second.symbol;
  return here ? local->second : Symbol{};
}

Symbol SymbolTable::find(std::string_view name) const {
  if (const auto found = published_.find(name); found != published_.end()) return found->second.symbol;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].name == name) return {Symbol::Kind::function, i};
  }
  for (std::uint32_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].name == name) return {Symbol::Kind::variable, i};
  }
  return {};
}

void SymbolTable::resolve_relocations() {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    for (auto& relocation : variables_[i].relocations) {
      const Symbol symbol = find(variable_units_[i], relocation.symbol);
      if (symbol.kind == Symbol::Kind::variable) relocation.symbol = variables_[symbol.index].name;
      if (symbol.kind == Symbol::Kind::function) relocation.symbol = functions_[symbol.index].name;
    }
  }
}

void SymbolTable::collect_address_taken() {
  const auto add = [&](Symbol symbol) {
    if (symbol.kind == Symbol::Kind::function) address_taken_.push_back(symbol.index);
  };
  for (const Variable& variable : variables_) {
    for (const auto& relocation : variable.relocations) add(find(relocation.symbol));
  }
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    for (const std::string_view name : units_[unit]->mentioned) add(find(unit, name));
  }
  std::sort(address_taken_.begin(), address_taken_.end());
  address_taken_.erase(std::unique(address_taken_.begin(), address_taken_.end()), address_taken_.end());
}

}  // namespace heddle::isa
