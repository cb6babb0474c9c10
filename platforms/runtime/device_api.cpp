// SPDX-License-Identifier: Apache-2.0
// Device queries and settings. There is one device, number 0.
#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/runtime.h"

using heddle::gpu::DeviceLimits;
using heddle::runtime::api;
using heddle::runtime::ApiError;
using heddle::runtime::require;
using heddle::runtime::Runtime;

namespace {

constexpr int kKilo = 1000;
constexpr const char* kPciBusId = "0000:00:00.0";

void check_device(int device) { require(device == 0, cudaErrorInvalidDevice); }

/// Limits of compute capability 2.x to 3.x from the programming guide.
void set_layer_limits(cudaDeviceProp& p) {
  constexpr int kSide = 16384, kLayers = 2048, kCubeLayers = 2046;
  p.maxTexture1DMipmap = p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = kSide;
  p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = kSide;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = kSide;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = kLayers;
  p.maxTextureCubemap = p.maxTextureCubemapLayered[0] = kSide;
  p.maxTextureCubemapLayered[1] = kCubeLayers;
  p.maxSurface1D = p.maxSurface2D[0] = p.maxSurface3D[0] = 65536;
  p.maxSurface2D[1] = p.maxSurface3D[1] = 32768;
  p.maxSurface3D[2] = 2048;
  p.maxSurface1DLayered[0] = p.maxSurface2DLayered[0] = 65536;
  p.maxSurface2DLayered[1] = 32768;
  p.maxSurface1DLayered[1] = p.maxSurface2DLayered[2] = kLayers;
  p.maxSurfaceCubemap = p.maxSurfaceCubemapLayered[0] = 32768;
  p.maxSurfaceCubemapLayered[1] = kCubeLayers;
}

cudaDeviceProp properties_of(const DeviceLimits& limits) {
  cudaDeviceProp p{};
  std::strncpy(p.name, limits.name.c_str(), sizeof p.name - 1);
  std::memcpy(p.uuid.bytes, "heddle-device-0", 16);
  p.totalGlobalMem = limits.memory_bytes;
  p.sharedMemPerBlock = std::min<std::size_t>(limits.shared_bytes_per_block, 48 * 1024);
  p.sharedMemPerBlockOptin = limits.shared_bytes_per_block;
  p.sharedMemPerMultiprocessor = limits.shared_bytes_per_sm;
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(limits.registers_per_sm);
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = static_cast<int>(limits.max_threads_per_block);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = static_cast<int>(limits.max_block_dim[i]);
    p.maxGridSize[i] = static_cast<int>(limits.max_grid_dim[i]);
  }
  p.clockRate = static_cast<int>(limits.core_hertz / kKilo);
  p.totalConstMem = 64 * 1024;
  p.major = static_cast<int>(limits.capability_major);
  p.minor = static_cast<int>(limits.capability_minor);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = static_cast<int>(limits.sm_count);
  p.canMapHostMemory = 1;
  p.computeMode = cudaComputeModeDefault;
  p.maxTexture1D = p.maxTexture2D[0] = p.maxTexture2D[1] = 65536;
  p.maxTexture1DLinear = 1 << 27;
  p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = 65000;
  p.maxTexture2DLinear[2] = 1 << 20;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 2048;
  set_layer_limits(p);
  p.surfaceAlignment = 512;
  p.unifiedAddressing = 1;
  p.memoryClockRate = static_cast<int>(limits.memory_hertz / kKilo);
  p.memoryBusWidth = static_cast<int>(limits.memory_bus_bits);
  p.l2CacheSize = static_cast<int>(limits.l2_bytes);
  p.maxThreadsPerMultiProcessor = static_cast<int>(limits.max_threads_per_sm);
  p.maxBlocksPerMultiProcessor = static_cast<int>(limits.max_blocks_per_sm);
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  return p;
}

/// Attributes that correspond to cudaDeviceProp fields. -1: no such attribute.
int attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return p.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case cudaDevAttrClockRate:
      return p.clockRate;
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(p.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(p.texturePitchAlignment);
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(p.surfaceAlignment);
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrCanMapHostMemory:
      return p.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return p.computeMode;
    case cudaDevAttrMaxTexture1DWidth:
      return p.maxTexture1D;
    case cudaDevAttrMaxTexture1DLinearWidth:
      return p.maxTexture1DLinear;
    case cudaDevAttrMaxTexture2DWidth:
      return p.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
      return p.maxTexture2D[1];
    case cudaDevAttrMaxTexture2DLinearWidth:
      return p.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return p.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return p.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture3DWidth:
      return p.maxTexture3D[0];
    case cudaDevAttrMaxTexture3DHeight:
      return p.maxTexture3D[1];
    case cudaDevAttrMaxTexture3DDepth:
      return p.maxTexture3D[2];
    case cudaDevAttrMaxTexture1DLayeredWidth:
      return p.maxTexture1DLayered[0];
    case cudaDevAttrMaxTexture1DLayeredLayers:
      return p.maxTexture1DLayered[1];
    case cudaDevAttrMaxTexture2DLayeredWidth:
      return p.maxTexture2DLayered[0];
    case cudaDevAttrMaxTexture2DLayeredHeight:
      return p.maxTexture2DLayered[1];
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return p.maxTexture2DLayered[2];
    case cudaDevAttrMaxTexture2DGatherWidth:
      return p.maxTexture2DGather[0];
    case cudaDevAttrMaxTexture2DGatherHeight:
      return p.maxTexture2DGather[1];
    case cudaDevAttrMaxTextureCubemapWidth:
      return p.maxTextureCubemap;
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
      return p.maxTextureCubemapLayered[0];
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
      return p.maxTextureCubemapLayered[1];
    case cudaDevAttrMaxTexture1DMipmappedWidth:
      return p.maxTexture1DMipmap;
    case cudaDevAttrMaxTexture2DMipmappedWidth:
      return p.maxTexture2DMipmap[0];
    case cudaDevAttrMaxTexture2DMipmappedHeight:
      return p.maxTexture2DMipmap[1];
    case cudaDevAttrMaxSurface1DWidth:
      return p.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth:
      return p.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight:
      return p.maxSurface2D[1];
    case cudaDevAttrMaxSurface3DWidth:
      return p.maxSurface3D[0];
    case cudaDevAttrMaxSurface3DHeight:
      return p.maxSurface3D[1];
    case cudaDevAttrMaxSurface3DDepth:
      return p.maxSurface3D[2];
    case cudaDevAttrMaxSurface1DLayeredWidth:
      return p.maxSurface1DLayered[0];
    case cudaDevAttrMaxSurface1DLayeredLayers:
      return p.maxSurface1DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredWidth:
      return p.maxSurface2DLayered[0];
    case cudaDevAttrMaxSurface2DLayeredHeight:
      return p.maxSurface2DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return p.maxSurface2DLayered[2];
    case cudaDevAttrMaxSurfaceCubemapWidth:
      return p.maxSurfaceCubemap;
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
      return p.maxSurfaceCubemapLayered[0];
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return p.maxSurfaceCubemapLayered[1];
    case cudaDevAttrMemoryClockRate:
      return p.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return p.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
      return p.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return p.localL1CacheSupported;
    case cudaDevAttrManagedMemory:
      return p.managedMemory;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return p.singleToDoublePrecisionPerfRatio;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return p.canUseHostPointerForRegisteredMem;
    case cudaDevAttrCooperativeLaunch:
      return p.cooperativeLaunch;
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    // All others, up to the last known number, are features the device lacks.
    default:
      return attribute > 0 && attribute <= cudaDevAttrDeferredMappingCudaArraySupported ? 0 : -1;
  }
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Runtime&) {
    require(count != nullptr, cudaErrorInvalidValue);
    *count = 1;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api([&](Runtime& runtime) {
    require(properties != nullptr, cudaErrorInvalidValue);
    check_device(device);
    *properties = properties_of(runtime.device().limits());
  });
}

/// The name in CUDA 12. Its structure begins like ours; the remaining fields are features the device lacks.
extern "C" cudaError_t cudaGetDeviceProperties_v2(void* properties, int device) {
  constexpr std::size_t kLaterBytes = 1032;
  static_assert(sizeof(cudaDeviceProp) <= kLaterBytes);
  return api([&](Runtime& runtime) {
    require(properties != nullptr, cudaErrorInvalidValue);
    check_device(device);
    const cudaDeviceProp start = properties_of(runtime.device().limits());
    std::memset(properties, 0, kLaterBytes);
    std::memcpy(properties, &start, sizeof start);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api([&](Runtime& runtime) {
    require(value != nullptr, cudaErrorInvalidValue);
    check_device(device);
    const int found = attribute_of(properties_of(runtime.device().limits()), attribute);
    require(found >= 0, cudaErrorInvalidValue);
    *value = found;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api([&](Runtime&) {
    require(device != nullptr && wanted != nullptr, cudaErrorInvalidValue);
    *device = 0;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api([&](Runtime&) { check_device(device); });
}

cudaError_t cudaGetDevice(int* device) {
  return api([&](Runtime&) {
    require(device != nullptr, cudaErrorInvalidValue);
    *device = 0;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api([&](Runtime&) {
    require(count >= 0 && (count == 0 || devices != nullptr), cudaErrorInvalidValue);
    for (int i = 0; i < count; ++i) check_device(devices[i]);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&](Runtime& runtime) {
    require((flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0, cudaErrorInvalidValue);
    runtime.device_flags = flags;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](Runtime& runtime) {
    require(flags != nullptr, cudaErrorInvalidValue);
    *flags = runtime.device_flags | cudaDeviceMapHost;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api([&](Runtime&) {
    require(version != nullptr, cudaErrorInvalidValue);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api([&](Runtime&) {
    check_device(device);
    require(text != nullptr && length > static_cast<int>(std::strlen(kPciBusId)), cudaErrorInvalidValue);
    std::strcpy(text, kPciBusId);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&](Runtime&) {
    require(device != nullptr && text != nullptr, cudaErrorInvalidValue);
    require(std::string(text).find("00:00.0") != std::string::npos, cudaErrorInvalidDevice);
    *device = 0;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime& runtime) {
    require(!runtime.graphs().break_captures([](cudaStream_t) { return true; }), cudaErrorStreamCaptureUnsupported);
    runtime.synchronize();
  });
}

cudaError_t cudaDeviceReset() {
  using namespace heddle::runtime;
  Runtime& runtime = Runtime::instance();
  const std::lock_guard guard(runtime.lock());
  runtime.reset();
  last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return api([&](Runtime& runtime) {
    switch (limit) {
      case cudaLimitStackSize:
        runtime.stack_bytes = value;
        return;
      case cudaLimitPrintfFifoSize:
        runtime.device().port().printf_buffer().set_limit(value);
        return;
      case cudaLimitMallocHeapSize:
        runtime.device().port().set_heap_limit(value);
        return;
      case cudaLimitMaxL2FetchGranularity:
      case cudaLimitPersistingL2CacheSize:
        return;
      default:
        throw ApiError(cudaErrorUnsupportedLimit);
    }
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api([&](Runtime& runtime) {
    require(value != nullptr, cudaErrorInvalidValue);
    switch (limit) {
      case cudaLimitStackSize:
        *value = runtime.stack_bytes;
        return;
      case cudaLimitPrintfFifoSize:
        *value = runtime.device().port().printf_buffer().limit();
        return;
      case cudaLimitMallocHeapSize:
        *value = runtime.device().port().heap_limit();
        return;
      case cudaLimitMaxL2FetchGranularity:
      case cudaLimitPersistingL2CacheSize:
        *value = 0;
        return;
      default:
        throw ApiError(cudaErrorUnsupportedLimit);
    }
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Runtime& runtime) {
    require(config <= cudaFuncCachePreferEqual, cudaErrorInvalidValue);
    runtime.cache_config = config;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime& runtime) {
    require(config != nullptr, cudaErrorInvalidValue);
    *config = runtime.cache_config;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return api([&](Runtime&) { require(config <= cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue); });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api([&](Runtime&) {
    require(config != nullptr, cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Names used before CUDA 4.
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }

extern "C" cudaError_t cudaProfilerStart() { return cudaSuccess; }
extern "C" cudaError_t cudaProfilerStop() { return cudaSuccess; }
extern "C" cudaError_t cudaProfilerInitialize(const char*, const char*, cudaOutputMode) { return cudaSuccess; }
