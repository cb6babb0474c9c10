// SPDX-License-Identifier: Apache-2.0
// Kernels cannot launch kernels on Heddle's machines. Libraries refer to these functions in code no kernel reaches; a
// kernel that does reach one is refused when its module is loaded.
#ifndef HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define HEDDLE_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "driver_types.h"

#if defined(__CUDA__)
extern "C" __device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ cudaError_t cudaLaunchDevice(void* func, void* parameterBuffer, dim3 gridDimension,
                                                   dim3 blockDimension, unsigned int sharedMemSize,
                                                   cudaStream_t stream);
// CUB's name for a kernel's cudaDeviceSynchronize; never reached by its host code.
#if defined(__CUDA_ARCH__)
extern "C" __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
#else
static inline __host__ __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void) {
  return cudaErrorNotSupported;
}
#endif
#endif

#endif
