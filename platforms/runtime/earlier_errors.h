// SPDX-License-Identifier: Apache-2.0
// What failed before a kernel went astray: a null pointer in a kernel is most often an allocation whose result nobody
// looked at.
#pragma once

#include <string>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

class EarlierErrors {
 public:
  /// The function `call` returned `code`; detail: what it was asked for and what there was, or empty.
  void note(const char* call, cudaError_t code, const std::string& detail);
  /// The program asked for its last error: what failed so far is known to it. A failed allocation stays: its pointer
  /// does.
  void seen() { other_.clear(); }
  void clear() { *this = {}; }
  /// A clause for the message of a wild access; empty when nothing failed.
  std::string sentence() const;

 private:
  std::string allocation_;  ///< the first that failed
  std::string other_;       ///< the first other error that nobody asked about
};

}  // namespace heddle::runtime
