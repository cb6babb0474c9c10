// SPDX-License-Identifier: Apache-2.0
// The driver API on top of the runtime API, sharing its state and library. Adds what the runtime API lacks: contexts,
// modules and error names.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cuda.h"
#include "runtime/fat_binary.h"
#include "runtime/runtime.h"

/// A kernel of a module. Its address is its key in the runtime, like that of a host function.
struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name;
};

/// Device code loaded at run time. Modules and libraries are the same here.
struct CUmod_st {
  heddle::runtime::FatBinaryWrapper wrapper{};
  std::string text;  ///< PTX; empty if the code is a group to link
  heddle::runtime::Binary* binary = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>, std::less<>> functions;
};

/// There is one device; a context is just a handle for it that threads push and pop.
struct CUctx_st {
  unsigned flags = 0;
  bool primary = false;
};

namespace heddle::runtime {

/// The numbers agree, except codes the driver API does not have.
CUresult result_of(cudaError_t code);

namespace driver {

bool initialised();
/// The calling thread's current context, or null.
CUcontext current_context();

/// Runs `body`, which returns a cudaError_t, without affecting the runtime API's last error.
template <typename Body>
CUresult without_context(Body&& body) {
  if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const cudaError_t before = last_error();
  const cudaError_t code = body();
  last_error() = before;
  return result_of(code);
}

/// The same for calls that need a current context.
template <typename Body>
CUresult call(Body&& body) {
  if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (current_context() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return without_context(body);
}

}  // namespace driver
}  // namespace heddle::runtime
