// SPDX-License-Identifier: Apache-2.0
// One loaded PTX module: lookup by name for the runtime, and kernels lowered on request. Immutable; safe to share.
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
#include "isa/lowering/code_pass.h"

namespace heddle::isa {

/// Addresses known only once the runtime has placed a module's variables.
class SymbolResolver {
 public:
  virtual ~SymbolResolver() = default;
  /// Global and constant variables: the device address of byte 0 (both spaces use device addresses, so cvta to or from
  /// generic is the identity). Texture references: the handle a `tex` micro-op passes on in sources[0]. `variable` is
  /// an element of Module::variables() of the module being lowered.
  virtual std::uint64_t address(const Variable& variable) const = 0;
};

struct LowerOptions {
  /// Local memory per thread for the frames of recursive functions, in bytes.
  std::uint32_t stack_bytes = 2048;
  /// Register limit per thread for this kernel, 0 for none; values beyond it are spilled to local memory. Called when
  /// everything but the register count is known. Empty: exceeding a limit only produces a note.
  std::function<std::uint32_t(const Kernel&)> spill_limit{};
  CodeOrder code_order = CodeOrder::thread_frontier;
  CodePasses passes{};  ///< of the machine that runs the kernel
};

/// What a launch needs to know about a kernel before lowering.
struct KernelSignature {
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
};

class Module {
 public:
  /// Parses module scope; bodies are only delimited, so an unsupported construct in a body fails when its kernel is
  /// lowered. `name` identifies the module in messages. Throws Error(kPtx) as "name:line:column: ...".
  static std::shared_ptr<const Module> parse(std::string_view text, std::string name);

  /// Links several modules into one (relocatable device code): .extern functions and variables bind to definitions in
  /// the other modules, .weak ones merge, names without linkage stay private (on a clash, the later module's name
  /// becomes "name@module"). Throws Error(kPtx) for two strong definitions of a name. Undefined names are errors only
  /// where used.
  static std::shared_ptr<const Module> link(std::span<const std::shared_ptr<const Module>> modules, std::string name);

  virtual ~Module() = default;
  virtual const std::string& name() const = 0;

  /// Address width: 32 if the text says .address_size 32, or says nothing and has only 32-bit parameters; else 64.
  virtual unsigned address_bits() const = 0;

  /// Kernels in file order.
  virtual const std::vector<KernelSignature>& kernels() const = 0;
  /// Null when there is no such kernel.
  virtual const KernelSignature* find_kernel(std::string_view kernel) const = 0;

  /// Module-scope global and constant variables and texture references, in file order; shared variables are laid out
  /// per kernel. Undefined external variables have Variable::external set.
  virtual const std::vector<Variable>& variables() const = 0;
  virtual const Variable* find_variable(std::string_view variable) const = 0;

  /// A function's address as it appears in registers and initialisers (relocations may name functions). Unique per
  /// function, never a mappable address, the same for all kernels of the module.
  virtual std::optional<std::uint64_t> function_address(std::string_view function) const = 0;

  /// The kernel, ready to run: calls inlined, blocks in thread-frontier order, registers allocated, operands resolved.
  /// Throws Error(kPtx) for malformed, unsupported or undefined constructs in it or its callees.
  virtual std::shared_ptr<const Kernel> lower(std::string_view kernel, const SymbolResolver& resolver,
                                              const LowerOptions& options = {}) const = 0;
};

/// A listing of a kernel: program counter, block, source text and allocated registers of each instruction.
std::string dump(const Kernel& kernel);

}  // namespace heddle::isa
