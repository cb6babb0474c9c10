// SPDX-License-Identifier: Apache-2.0
// Driver API: initialisation, errors, devices, contexts.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "runtime/driver.h"

using namespace heddle::runtime;

namespace {

struct ErrorName {
  CUresult code;
  const char* name;
};

#define HEDDLE_RESULT(code) \
  { code, #code }
constexpr ErrorName kNames[] = {
    HEDDLE_RESULT(CUDA_SUCCESS),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_VALUE),
    HEDDLE_RESULT(CUDA_ERROR_OUT_OF_MEMORY),
    HEDDLE_RESULT(CUDA_ERROR_NOT_INITIALIZED),
    HEDDLE_RESULT(CUDA_ERROR_DEINITIALIZED),
    HEDDLE_RESULT(CUDA_ERROR_PROFILER_DISABLED),
    HEDDLE_RESULT(CUDA_ERROR_PROFILER_NOT_INITIALIZED),
    HEDDLE_RESULT(CUDA_ERROR_PROFILER_ALREADY_STARTED),
    HEDDLE_RESULT(CUDA_ERROR_PROFILER_ALREADY_STOPPED),
    HEDDLE_RESULT(CUDA_ERROR_STUB_LIBRARY),
    HEDDLE_RESULT(CUDA_ERROR_NO_DEVICE),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_DEVICE),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_IMAGE),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_CONTEXT),
    HEDDLE_RESULT(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
    HEDDLE_RESULT(CUDA_ERROR_MAP_FAILED),
    HEDDLE_RESULT(CUDA_ERROR_UNMAP_FAILED),
    HEDDLE_RESULT(CUDA_ERROR_ARRAY_IS_MAPPED),
    HEDDLE_RESULT(CUDA_ERROR_ALREADY_MAPPED),
    HEDDLE_RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU),
    HEDDLE_RESULT(CUDA_ERROR_ALREADY_ACQUIRED),
    HEDDLE_RESULT(CUDA_ERROR_NOT_MAPPED),
    HEDDLE_RESULT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
    HEDDLE_RESULT(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
    HEDDLE_RESULT(CUDA_ERROR_ECC_UNCORRECTABLE),
    HEDDLE_RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT),
    HEDDLE_RESULT(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
    HEDDLE_RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_PTX),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
    HEDDLE_RESULT(CUDA_ERROR_NVLINK_UNCORRECTABLE),
    HEDDLE_RESULT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
    HEDDLE_RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
    HEDDLE_RESULT(CUDA_ERROR_JIT_COMPILATION_DISABLED),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_SOURCE),
    HEDDLE_RESULT(CUDA_ERROR_FILE_NOT_FOUND),
    HEDDLE_RESULT(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
    HEDDLE_RESULT(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
    HEDDLE_RESULT(CUDA_ERROR_OPERATING_SYSTEM),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_HANDLE),
    HEDDLE_RESULT(CUDA_ERROR_ILLEGAL_STATE),
    HEDDLE_RESULT(CUDA_ERROR_NOT_FOUND),
    HEDDLE_RESULT(CUDA_ERROR_NOT_READY),
    HEDDLE_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS),
    HEDDLE_RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    HEDDLE_RESULT(CUDA_ERROR_LAUNCH_TIMEOUT),
    HEDDLE_RESULT(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
    HEDDLE_RESULT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    HEDDLE_RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    HEDDLE_RESULT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
    HEDDLE_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    HEDDLE_RESULT(CUDA_ERROR_ASSERT),
    HEDDLE_RESULT(CUDA_ERROR_TOO_MANY_PEERS),
    HEDDLE_RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    HEDDLE_RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    HEDDLE_RESULT(CUDA_ERROR_HARDWARE_STACK_ERROR),
    HEDDLE_RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    HEDDLE_RESULT(CUDA_ERROR_MISALIGNED_ADDRESS),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_ADDRESS_SPACE),
    HEDDLE_RESULT(CUDA_ERROR_INVALID_PC),
    HEDDLE_RESULT(CUDA_ERROR_LAUNCH_FAILED),
    HEDDLE_RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    HEDDLE_RESULT(CUDA_ERROR_NOT_PERMITTED),
    HEDDLE_RESULT(CUDA_ERROR_NOT_SUPPORTED),
    HEDDLE_RESULT(CUDA_ERROR_SYSTEM_NOT_READY),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
    HEDDLE_RESULT(CUDA_ERROR_CAPTURED_EVENT),
    HEDDLE_RESULT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
    HEDDLE_RESULT(CUDA_ERROR_TIMEOUT),
    HEDDLE_RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
    HEDDLE_RESULT(CUDA_ERROR_UNKNOWN),
};
#undef HEDDLE_RESULT

const ErrorName* find(CUresult code) {
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [code](const ErrorName& one) { return one.code == code; });
  return found != std::end(kNames) ? found : nullptr;
}

/// Contexts of the process. Guarded by the runtime's lock.
struct Contexts {
  CUctx_st primary{0, true};
  unsigned retained = 0;
  std::set<CUcontext> others;

  bool valid(CUcontext context) const { return context == &primary || others.count(context) != 0; }
};

Contexts& contexts() {
  static auto& all = *new Contexts;
  return all;
}

std::vector<CUcontext>& stack() {
  static thread_local std::vector<CUcontext> contexts;
  return contexts;
}

bool g_initialised = false;

cudaError_t of_device(CUdevice device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

template <typename Body>
CUresult on_device(CUdevice device, Body&& body) {
  return driver::without_context([&] {
    const cudaError_t code = of_device(device);
    return code == cudaSuccess ? body() : code;
  });
}

}  // namespace

CUresult heddle::runtime::result_of(cudaError_t code) {
  if (find(static_cast<CUresult>(code)) != nullptr) return static_cast<CUresult>(code);
  switch (code) {
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
      return CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_UNKNOWN;
  }
}

bool driver::initialised() { return g_initialised; }

CUcontext driver::current_context() {
  if (!stack().empty()) return stack().back();
  // A program with embedded kernels uses the runtime API, which makes the primary context current.
  return Runtime::instance().modules().program_has_kernels() ? &contexts().primary : nullptr;
}

// -- errors, initialisation

CUresult cuGetErrorName(CUresult error, const char** name) {
  const ErrorName* found = find(error);
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = found != nullptr ? found->name : nullptr;
  return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = find(error) != nullptr ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  if (*text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Runtime::instance().error_was_seen();
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  g_initialised = true;
  return driver::without_context([] { return api([](Runtime& runtime) { runtime.device(); }); });
}

CUresult cuDriverGetVersion(int* version) { return result_of(cudaDriverGetVersion(version)); }

CUresult cuGetProcAddress(const char* symbol, void** function, int, unsigned long long) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&cuGetProcAddress), &here) == 0) return CUDA_ERROR_NOT_FOUND;
  void* library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return CUDA_ERROR_NOT_FOUND;
  for (const char* version : {"_v2", ""}) {
    if (*function == nullptr) *function = dlsym(library, (std::string(symbol) + version).c_str());
  }
  dlclose(library);
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

extern "C" CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, unsigned long long flags,
                                        int* status) {
  constexpr int kFound = 0, kNotFound = 1;
  const CUresult result = cuGetProcAddress(symbol, function, version, flags);
  if (status != nullptr) *status = result == CUDA_SUCCESS ? kFound : kNotFound;
  return result;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return api([&](Runtime&) {
    require(symbol != nullptr && function != nullptr, cudaErrorInvalidValue);
    const bool found = cuGetProcAddress(symbol, function, CUDA_VERSION, flags) == CUDA_SUCCESS;
    if (status != nullptr) *status = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  });
}

// -- devices

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return on_device(ordinal, [&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = ordinal;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return driver::without_context([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return on_device(device, [&] {
    if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
    cudaDeviceProp properties;
    const cudaError_t code = cudaGetDeviceProperties(&properties, device);
    if (code != cudaSuccess) return code;
    std::strncpy(name, properties.name, static_cast<std::size_t>(length) - 1);
    name[length - 1] = '\0';
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return on_device(device, [&] {
    if (uuid == nullptr) return cudaErrorInvalidValue;
    cudaDeviceProp properties;
    const cudaError_t code = cudaGetDeviceProperties(&properties, device);
    if (code == cudaSuccess) std::memcpy(uuid->bytes, properties.uuid.bytes, sizeof uuid->bytes);
    return code;
  });
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return on_device(device, [&] { return cudaMemGetInfo(nullptr, bytes); });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return on_device(device,
                   [&] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return on_device(device, [&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    cudaDeviceProp all;
    const cudaError_t code = cudaGetDeviceProperties(&all, device);
    if (code != cudaSuccess) return code;
    properties->maxThreadsPerBlock = all.maxThreadsPerBlock;
    std::copy(std::begin(all.maxThreadsDim), std::end(all.maxThreadsDim), properties->maxThreadsDim);
    std::copy(std::begin(all.maxGridSize), std::end(all.maxGridSize), properties->maxGridSize);
    properties->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(all.totalConstMem);
    properties->SIMDWidth = all.warpSize;
    properties->memPitch = static_cast<int>(all.memPitch);
    properties->regsPerBlock = all.regsPerBlock;
    properties->clockRate = all.clockRate;
    properties->textureAlign = static_cast<int>(all.textureAlignment);
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return on_device(device, [&] {
    const cudaError_t code = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return code == cudaSuccess ? cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device) : code;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return on_device(device, [&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return driver::without_context([&] { return cudaDeviceGetByPCIBusId(device, text); });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return driver::without_context([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return on_device(device, [&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return on_device(device, [&] { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return on_device(device, [&] { return cudaDeviceSetMemPool(device, pool); });
}

// -- contexts

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return on_device(device, [&] {
    return api([&](Runtime&) {
      require(context != nullptr, cudaErrorInvalidValue);
      ++contexts().retained;
      *context = &contexts().primary;
    });
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return on_device(device, [&] {
    return api([&](Runtime&) {
      require(contexts().retained != 0, cudaErrorDeviceUninitialized);
      --contexts().retained;
    });
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return on_device(device, [] { return cudaDeviceReset(); });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return on_device(device, [&] {
    return api([&](Runtime&) {
      require((flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, cudaErrorInvalidValue);
      contexts().primary.flags = flags;
    });
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return on_device(device, [&] {
    return api([&](Runtime&) {
      require(flags != nullptr && active != nullptr, cudaErrorInvalidValue);
      *flags = contexts().primary.flags;
      *active = contexts().retained != 0 ? 1 : 0;
    });
  });
}

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return on_device(device, [&] {
    return api([&](Runtime&) {
      require(context != nullptr && (flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0, cudaErrorInvalidValue);
      *context = new CUctx_st{flags, false};
      contexts().others.insert(*context);
      stack().push_back(*context);
    });
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  return driver::without_context([&] {
    return api([&](Runtime& runtime) {
      require(contexts().others.erase(context) != 0, cudaErrorDeviceUninitialized);
      if (driver::current_context() == context) stack().pop_back();
      delete context;
      runtime.synchronize();
    });
  });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return driver::without_context([&] {
    return api([&](Runtime&) {
      require(contexts().valid(context), cudaErrorDeviceUninitialized);
      stack().push_back(context);
    });
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return driver::call([&] {
    if (context != nullptr) *context = driver::current_context();
    if (!stack().empty()) stack().pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return driver::without_context([&] {
    return api([&](Runtime&) {
      require(context == nullptr || contexts().valid(context), cudaErrorDeviceUninitialized);
      if (!stack().empty()) stack().pop_back();
      if (context != nullptr) stack().push_back(context);
    });
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return driver::without_context([&] {
    if (context == nullptr) return cudaErrorInvalidValue;
    *context = driver::current_context();
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return driver::call([&] { return cudaGetDevice(device); });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return driver::call([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = driver::current_context()->flags;
    return cudaSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return driver::call([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return driver::call([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return driver::call([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return driver::call([&] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return driver::call([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return driver::call([&] { return cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(config)); });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return driver::call([&] { return cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return driver::call([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }
CUresult cuCtxDisablePeerAccess(CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }
