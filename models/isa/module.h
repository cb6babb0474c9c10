// SPDX-License-Identifier: Apache-2.0
// One loaded PTX module: what the runtime asks of it by name, and kernels lowered on request. Immutable; safe to share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/image.h"

namespace heddle::isa {

/// Addresses that are known only once the runtime has placed a module's variables.
class SymbolResolver {
 public:
  virtual ~SymbolResolver() = default;
  /// global and constant variables: the device address of byte 0 (both spaces are addressed by device addresses; cvta
  /// between them and generic changes nothing). Texture references: the handle a `tex` micro-op passes on in
  /// sources[0]. `variable` is an element of Module::variables() of the module being lowered.
  virtual std::uint64_t address(const Variable& variable) const = 0;
};

struct LowerOptions {
  /// Local memory a thread for the frames of recursive functions
  std::uint32_t stack_bytes = 2048;
  /// Registers a thread of this kernel may have, 0 for any number: what it needs beyond them goes to local memory.
  /// Asked when all of the kernel but its registers is known. Empty: limits are only said.
  std::function<std::uint32_t(const Kernel&)> spill_limit{};
};

/// What a launch needs to know of a kernel before it is lowered.
struct KernelSignature {
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
};

class Module {
 public:
  /// Parses module scope; bodies are only delimited, so a body that uses something unsupported fails when its kernel is
  /// lowered. `name` stands for the module in messages. Throws Error(kPtx) as "name:line:column: ...".
  static std::shared_ptr<const Module> parse(std::string_view text, std::string name);

  /// One module of several (relocatable device code): .extern functions and variables are bound to the definitions of
  /// the others, .weak ones merge, names without linkage stay private (a later module's private name that clashes is
  /// renamed "name@module"). Throws Error(kPtx) for two strong definitions of one name. Undefined names are errors on
  /// use only.
  static std::shared_ptr<const Module> link(std::span<const std::shared_ptr<const Module>> modules, std::string name);

  virtual ~Module() = default;
  virtual const std::string& name() const = 0;

  /// Width of addresses: 32 where a text says .address_size 32 or, with parameters of 32 bits alone, says nothing.
  virtual unsigned address_bits() const = 0;

  /// Kernels in file order.
  virtual const std::vector<KernelSignature>& kernels() const = 0;
  /// Null when there is no such kernel.
  virtual const KernelSignature* find_kernel(std::string_view kernel) const = 0;

  /// Module-scope variables of the global and constant spaces and texture references, in file order; shared ones are
  /// laid out by kernel. External ones that no module defines have Variable::external.
  virtual const std::vector<Variable>& variables() const = 0;
  virtual const Variable* find_variable(std::string_view variable) const = 0;

  /// The value of a function's address in registers and initialisers (relocations may name functions). Distinct by
  /// function, never a mappable address, the same for all kernels of the module.
  virtual std::optional<std::uint64_t> function_address(std::string_view function) const = 0;

  /// The kernel, ready to run: calls inlined, blocks in thread-frontier order, registers allocated, operands resolved.
  /// Throws Error(kPtx) for what is malformed, unsupported or undefined in it or in what it calls.
  virtual std::shared_ptr<const Kernel> lower(std::string_view kernel, const SymbolResolver& resolver,
                                              const LowerOptions& options = {}) const = 0;
};

/// A listing of a kernel: per instruction program counter, block, text as written and allocated registers.
std::string dump(const Kernel& kernel);

}  // namespace heddle::isa
