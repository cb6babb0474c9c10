// SPDX-License-Identifier: Apache-2.0
// Errors that preceded a kernel's wild access. A null pointer in a kernel is usually an unchecked failed allocation.
#pragma once

#include <string>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

class EarlierErrors {
 public:
  /// Records that the function `call` returned `code`; detail: what was requested and what was available, or empty.
  void note(const char* call, cudaError_t code, const std::string& detail);
  /// The program asked for its last error and so knows of earlier failures. A failed allocation is kept, since its
  /// pointer stays in use.
  void seen() { other_.clear(); }
  void clear() { *this = {}; }
  /// A clause for the message about a wild access; empty when nothing failed.
  std::string sentence() const;

 private:
  std::string allocation_;  ///< the first failed allocation
  std::string other_;       ///< the first other unchecked error
};

}  // namespace heddle::runtime
