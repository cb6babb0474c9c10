// SPDX-License-Identifier: Apache-2.0
#include "runtime/earlier_errors.h"

#include <fmt/core.h>

#include "runtime/api_error.h"

namespace heddle::runtime {

void EarlierErrors::note(const char* call, cudaError_t code, const std::string& detail) {
  // cudaErrorNotReady is an answer, not a failure.
  if (code == cudaSuccess || code == cudaErrorNotReady) return;
  std::string& place = code == cudaErrorMemoryAllocation ? allocation_ : other_;
  if (!place.empty()) return;
  place = fmt::format("{} failed earlier with {}{}{}", call, error_name(code), detail.empty() ? "" : ": ", detail);
}

std::string EarlierErrors::sentence() const {
  if (!allocation_.empty()) return allocation_;
  return other_.empty() ? other_ : other_ + ", which the program did not check";
}

}  // namespace heddle::runtime
