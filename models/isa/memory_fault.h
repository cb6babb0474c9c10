// SPDX-License-Identifier: Apache-2.0
// What is wrong with an access that ends a kernel. The host side turns the kind into its own error code.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"

namespace heddle::isa {

enum class Fault : std::uint8_t { out_of_bounds, misaligned };

/// A kernel's access that must not be made. What else fails with kMemoryFault (a free() of what malloc() did not
/// return, an unbound texture) is a plain Error.
class MemoryFault : public Error {
 public:
  MemoryFault(Fault kind, const std::string& message) : Error(ExitCode::kMemoryFault, message), kind_(kind) {}
  Fault kind() const noexcept { return kind_; }

 private:
  Fault kind_;
};

}  // namespace heddle::isa
