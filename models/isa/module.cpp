// SPDX-License-Identifier: Apache-2.0
#include "isa/module.h"

#include "core/error.h"
#include "isa/lowering/lower.h"
#include "isa/lowering/symbols.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/parser.h"

namespace heddle::isa {
namespace {

class LoadedModule final : public Module {
 public:
  LoadedModule(std::vector<std::shared_ptr<const UnitSyntax>> units, std::string name)
      : name_(std::move(name)), symbols_(std::move(units)) {
    for (std::uint32_t i = 0; i < symbols_.functions().size(); ++i) {
      const FunctionEntry& entry = symbols_.functions()[i];
      if (!entry.syntax->is_entry || !entry.syntax->has_body()) continue;
      KernelSignature signature;
      signature.name = entry.name;
      signature.parameters = layout_parameters(entry.syntax->parameters, signature.parameter_bytes);
      by_name_.emplace(entry.name, kernels_.size());
      kernels_.push_back(std::move(signature));
      functions_.push_back(i);
    }
  }

  const std::string& name() const override { return name_; }
  unsigned address_bits() const override {
    for (const auto& unit : symbols_.units()) {
      if (unit->states_address_bits && unit->address_bits == 64) return 64;
      if (unit->states_address_bits) return 32;
    }
    // .address_size exists since PTX 2.3. Before that, 64-bit addresses are inferred from a 64-bit parameter of any
    // kernel or function.
    for (const FunctionEntry& entry : symbols_.functions()) {
      for (const LocalVariable& parameter : entry.syntax->parameters) {
        if (size_of(parameter.type) == 8 && parameter.type != DataType::f64) return 64;
      }
    }
    return 32;
  }
  const std::vector<KernelSignature>& kernels() const override { return kernels_; }
  const KernelSignature* find_kernel(std::string_view kernel) const override {
    const auto found = by_name_.find(kernel);
    return found == by_name_.end() ? nullptr : &kernels_[found->second];
  }
  const std::vector<Variable>& variables() const override { return symbols_.variables(); }
  const Variable* find_variable(std::string_view variable) const override {
    const Symbol symbol = symbols_.find(variable);
    return symbol.kind == Symbol::Kind::variable ? &symbols_.variables()[symbol.index] : nullptr;
  }
  std::optional<std::uint64_t> function_address(std::string_view function) const override {
    const Symbol symbol = symbols_.find(function);
    if (symbol.kind != Symbol::Kind::function) return std::nullopt;
    return SymbolTable::address_of(symbol.index);
  }
  std::shared_ptr<const Kernel> lower(std::string_view kernel, const SymbolResolver& resolver,
                                      const LowerOptions& options) const override {
    const auto found = by_name_.find(kernel);
    if (found == by_name_.end()) heddle::fail(ExitCode::ptx, "{}: there is no kernel '{}'", name_, kernel);
    return lower_kernel(symbols_, functions_[found->second], resolver, options);
  }

  const SymbolTable& symbols() const { return symbols_; }

 private:
  std::string name_;
  SymbolTable symbols_;
  std::vector<KernelSignature> kernels_;
  std::vector<std::uint32_t> functions_;  // parallel to kernels_
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace

std::shared_ptr<const Module> Module::parse(std::string_view text, std::string name) {
  std::vector<std::shared_ptr<const UnitSyntax>> units{parse_unit(text, name)};
  return std::make_shared<LoadedModule>(std::move(units), std::move(name));
}

std::shared_ptr<const Module> Module::link(std::span<const std::shared_ptr<const Module>> modules, std::string name) {
  std::vector<std::shared_ptr<const UnitSyntax>> units;
  for (const auto& module : modules) {
    const auto& more = static_cast<const LoadedModule&>(*module).symbols().units();
    units.insert(units.end(), more.begin(), more.end());
  }
  return std::make_shared<LoadedModule>(std::move(units), std::move(name));
}

}  // namespace heddle::isa
