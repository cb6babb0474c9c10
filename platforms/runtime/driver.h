// SPDX-License-Identifier: Apache-2.0
// The driver API over the runtime API: one state, one library. What a driver call does beyond a runtime call is here:
// contexts, modules and names of errors.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cuda.h"
#include "runtime/fat_binary.h"
#include "runtime/runtime.h"

/// A kernel of a module. Its address is the key under which the runtime knows it, as a host function's is.
struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name;
};

/// Device code that the program loaded at run time. Modules and libraries are one thing here.
struct CUmod_st {
  heddle::runtime::FatBinaryWrapper wrapper{};
  std::string text;  ///< PTX, unless the code is a group to link
  heddle::runtime::Binary* binary = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>, std::less<>> functions;
};

/// There is one device; a context is a name for it that threads push and pop.
struct CUctx_st {
  unsigned flags = 0;
  bool primary = false;
};

namespace heddle::runtime {

/// The numbers agree but for those that the driver never had.
CUresult result_of(cudaError_t code);

namespace driver {

bool initialised();
/// The calling thread's; null when it has none.
CUcontext current_context();

/// Runs `body`, which returns a cudaError_t, and leaves the runtime API's last error alone.
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
