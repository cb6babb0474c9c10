// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime for C++: host API with its typed overloads, and, in a CUDA compilation, everything a kernel may use
// without an explicit include. `heddle cc` includes it first, as CUDA's compiler does.
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
//
#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_device_runtime_api.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__CUDA__)
// Called by the compiler for kernel<<<grid, block, bytes, stream>>>.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                                                    struct CUstream_st* stream = nullptr);

#include "heddle_device/prelude.h"
#endif

#if defined(__cplusplus)
#include "surface_reference.h"
#include "texture_reference.h"

// --- launches
// ---------------------------------------------------------------------------------------------------------
template <class T>
inline __host__ cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                             cudaStream_t stream = nullptr) {
  return ::cudaLaunchKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}
// Converts arguments to the kernel's parameter types, as a triple-bracket launch does.
template <class... Parameters, class... Arguments>
inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                               Arguments&&... arguments) {
  return [&](Parameters... values) {
    void* pointers[] = {(void*)&values..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T>
inline __host__ cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                                        size_t sharedMem = 0, cudaStream_t stream = nullptr) {
  return ::cudaLaunchCooperativeKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
inline __host__ cudaError_t cudaFuncSetCacheConfig(T* func, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)func, config);
}
template <class T>
inline __host__ cudaError_t cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)func, config);
}
template <class T>
inline __host__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* func) {
  return ::cudaFuncGetAttributes(attr, (const void*)func);
}
template <class T>
inline __host__ cudaError_t cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute((const void*)func, attr, value);
}
template <class T>
inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                          size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void*)func, blockSize, dynamicSMemSize);
}
template <class T>
inline __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func,
                                                                                   int blockSize,
                                                                                   size_t dynamicSMemSize,
                                                                                   unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                  dynamicSMemSize, flags);
}
template <class T>
inline __host__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, T func, int numBlocks,
                                                                      int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void*)func, numBlocks, blockSize);
}

// The block size (a multiple of the warp size, or the limit) with the most resident threads per multiprocessor, the
// largest on a tie; blockSizeToSMem maps a block size to bytes of dynamic shared memory.
template <class BlockSizeToSMem, class T>
inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize,
                                                                                    T func,
                                                                                    BlockSizeToSMem blockSizeToSMem,
                                                                                    int blockSizeLimit = 0,
                                                                                    unsigned int flags = 0) {
  if (minGridSize == nullptr || blockSize == nullptr || func == nullptr) return cudaErrorInvalidValue;
  int device = 0, multiprocessors = 0, threads = 0, warp = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  }
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, (const void*)func);
  if (error != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int best_threads = 0, best_block = 0, best_blocks = 0;
  for (int size = (limit + warp - 1) / warp * warp; size > 0 && best_threads < threads; size -= warp) {
    const int candidate = size < limit ? size : limit;
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void*)func, candidate,
                                                                     blockSizeToSMem(candidate), flags);
    if (error != cudaSuccess) return error;
    if (blocks * candidate > best_threads) {
      best_threads = blocks * candidate;
      best_block = candidate;
      best_blocks = blocks;
    }
  }
  *blockSize = best_block;
  *minGridSize = best_blocks * multiprocessors;
  return cudaSuccess;
}
template <class BlockSizeToSMem, class T>
inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                           BlockSizeToSMem blockSizeToSMem,
                                                                           int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, blockSizeToSMem,
                                                                 blockSizeLimit, 0);
}
namespace heddle_cuda {
struct ConstantBytes {
  size_t bytes;
  __host__ size_t operator()(int) const { return bytes; }
};
}  // namespace heddle_cuda
template <class T>
inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                                        size_t dynamicSMemSize = 0,
                                                                        int blockSizeLimit = 0,
                                                                        unsigned int flags = 0) {
  heddle_cuda::ConstantBytes bytes = {dynamicSMemSize};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, bytes, blockSizeLimit,
                                                                 flags);
}
template <class T>
inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                               size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit, 0);
}

// --- memory
// -----------------------------------------------------------------------------------------------------------
template <class T>
inline __host__ cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc((void**)devPtr, size);
}
template <class T>
inline __host__ cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void**)ptr, size, flags);
}
inline __host__ cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(ptr, size, flags);
}
template <class T>
inline __host__ cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void**)ptr, size, flags);
}
template <class T>
inline __host__ cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)pDevice, pHost, flags);
}
template <class T>
inline __host__ cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)devPtr, size, flags);
}
template <class T>
inline __host__ cudaError_t cudaMallocAsync(T** devPtr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)devPtr, size, stream);
}
template <class T>
inline __host__ cudaError_t cudaMallocFromPoolAsync(T** devPtr, size_t size, cudaMemPool_t memPool,
                                                    cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)devPtr, size, memPool, stream);
}
template <class T>
inline __host__ cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)devPtr, pitch, width, height);
}
template <class T>
inline __host__ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                                     unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)devPtr, length, flags);
}
template <class T>
inline __host__ cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, src, count, offset, kind);
}
template <class T>
inline __host__ cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                    cudaStream_t stream = nullptr) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, src, count, offset, kind, stream);
}
template <class T>
inline __host__ cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void*)&symbol, count, offset, kind);
}
template <class T>
inline __host__ cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                      enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                      cudaStream_t stream = nullptr) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void*)&symbol, count, offset, kind, stream);
}
template <class T>
inline __host__ cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, (const void*)&symbol);
}
template <class T>
inline __host__ cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}
inline __host__ cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
#endif  // __cplusplus

#endif
