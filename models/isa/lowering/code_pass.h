// SPDX-License-Identifier: Apache-2.0
// A change that a machine makes to the code of the kernels that it runs, as a compiler for it would.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::isa {

struct Ir;

/// Immutable; kernels of several modules may be lowered with it.
class CodePass {
 public:
  virtual ~CodePass() = default;
  /// How listings show the operations that it adds.
  virtual const char* text() const = 0;
  /// Changes the code. Labels are resolved, so branches have indices as targets; spills are part of the code, and
  /// registers are virtual still. text: Kernel::texts index of text().
  virtual void run(Ir& ir, std::uint32_t text) const = 0;
};

/// In the order in which they run.
using CodePasses = std::vector<std::shared_ptr<const CodePass>>;

}  // namespace heddle::isa
