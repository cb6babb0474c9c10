// SPDX-License-Identifier: Apache-2.0
// Registration functions that compiled code calls before main. Nothing is loaded here.
#include "runtime/runtime.h"

using heddle::runtime::Binary;
using heddle::runtime::Runtime;

namespace {

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  return reinterpret_cast<void**>(
      runtime.modules().add_binary(static_cast<const heddle::runtime::FatBinaryWrapper*>(wrapper)));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  // At exit the results, which name the kernels, are not written yet.
  runtime.modules().remove_binary(binary_of(handle));
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_kernel(binary_of(handle), host, name);
  runtime.modules().program_has_kernels(true);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t size, int, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_variable(binary_of(handle), host, name, size);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int, std::size_t size, int,
                              int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_managed_pointer(binary_of(handle), host_pointer, name, size);
}

/// Called by nvcc-compiled programs before they access a managed variable.
char __cudaInitModule(void** handle) {
  heddle::runtime::api([&](Runtime& runtime) { runtime.modules().load(binary_of(handle), runtime.site()); });
  return 1;
}

void __cudaRegisterTexture(void** handle, const textureReference* host, const void**, const char* name, int,
                           int normalized, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_texture(binary_of(handle), host, name, normalized != 0);
}

void __cudaRegisterSurface(void** handle, const surfaceReference* host, const void**, const char* name, int, int) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_surface(binary_of(handle), host, name);
}

/// CUDA 12's compiler launches through a handle that each launch site requests once. We return the host function.
cudaError_t __cudaGetKernel(void** handle, const void* host) {
  return heddle::runtime::api([&](Runtime& runtime) {
    heddle::runtime::require(handle != nullptr, cudaErrorInvalidValue);
    heddle::runtime::require(runtime.modules().find_registered_kernel(host) != nullptr, cudaErrorInvalidDeviceFunction);
    *handle = const_cast<void*>(host);
  });
}

cudaError_t __cudaLaunchKernel(void* handle, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
  return cudaLaunchKernel(handle, grid, block, arguments, shared_bytes, stream);
}

/// Variant for programs compiled with per-thread default streams.
cudaError_t __cudaLaunchKernel_ptsz(void* handle, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                                    cudaStream_t stream) {
  return cudaLaunchKernel(handle, grid, block, arguments, shared_bytes,
                          stream == nullptr ? cudaStreamPerThread : stream);
}

void heddle_register_managed(const void* begin, const void* end) {
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.modules().add_managed_range(begin, end);
}

void heddle_region_begin(const char* name) {
  heddle::runtime::api([&](Runtime& runtime) {
    heddle::runtime::require(name != nullptr && *name != '\0', cudaErrorInvalidValue);
    runtime.device().begin_region(name);
  });
}

void heddle_region_end(const char* name) {
  heddle::runtime::api([&](Runtime& runtime) {
    heddle::runtime::require(name != nullptr && runtime.device().end_region(name), cudaErrorInvalidValue);
  });
}

}  // extern "C"
