// SPDX-License-Identifier: Apache-2.0
// NVTX names of runtime objects, accepted and ignored. C and C++.
#ifndef HEDDLE_NV_TOOLS_EXT_CUDA_RT_H
#define HEDDLE_NV_TOOLS_EXT_CUDA_RT_H

#include "cuda_runtime_api.h"
#include "nvToolsExt.h"

static inline void nvtxNameCudaDeviceA(int object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCudaDeviceW(int object, const wchar_t* name) { (void)object, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCudaStreamW(cudaStream_t object, const wchar_t* name) { (void)object, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCudaEventW(cudaEvent_t object, const wchar_t* name) { (void)object, (void)name; }
#if defined(UNICODE)
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif

#endif
