// SPDX-License-Identifier: Apache-2.0
// What a kernel did that ends it. The host side turns the kind into its own error code.
#pragma once

#include <string>

#include "core/error.h"

namespace heddle::gpu {

enum class FaultKind { trap, assertion };

/// A fault other than those of memory (Error(kMemoryFault)) and progress (Error(kNoProgress)).
class KernelFault : public Error {
 public:
  KernelFault(FaultKind kind, const std::string& message) : Error(ExitCode::kKernelFault, message), kind_(kind) {}
  FaultKind kind() const noexcept { return kind_; }

 private:
  FaultKind kind_;
};

}  // namespace heddle::gpu
