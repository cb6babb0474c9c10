// SPDX-License-Identifier: Apache-2.0
// The error a runtime call ends with, from wherever in it the call fails.
#pragma once

#include <exception>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

class ApiError : public std::exception {
 public:
  explicit ApiError(cudaError_t code) : code_(code) {}
  cudaError_t code() const noexcept { return code_; }
  const char* what() const noexcept override { return "a CUDA runtime call fails"; }

 private:
  cudaError_t code_;
};

/// Ends the call with `code` unless the condition holds.
inline void require(bool holds, cudaError_t code) {
  if (!holds) throw ApiError(code);
}

}  // namespace heddle::runtime
