// SPDX-License-Identifier: Apache-2.0
// The error that ends a runtime call, thrown from any depth.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

class ApiError : public std::exception {
 public:
  /// detail: what was requested and what was available, for messages.
  explicit ApiError(cudaError_t code, std::string detail = {}) : code_(code), detail_(std::move(detail)) {}
  cudaError_t code() const noexcept { return code_; }
  const std::string& detail() const noexcept { return detail_; }
  const char* what() const noexcept override { return "CUDA runtime call failed"; }

 private:
  cudaError_t code_;
  std::string detail_;
};

/// The code's name, for internal use: does not count as the program having asked about the error.
const char* error_name(cudaError_t error);

/// Ends the call with `code` unless the condition holds.
inline void require(bool holds, cudaError_t code) {
  if (!holds) throw ApiError(code);
}

}  // namespace heddle::runtime
