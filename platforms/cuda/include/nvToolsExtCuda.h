// SPDX-License-Identifier: Apache-2.0
// NVTX names of driver objects, accepted and ignored. C and C++.
#ifndef HEDDLE_NV_TOOLS_EXT_CUDA_H
#define HEDDLE_NV_TOOLS_EXT_CUDA_H

#include "cuda.h"
#include "nvToolsExt.h"

static inline void nvtxNameCuDeviceA(CUdevice object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCuDeviceW(CUdevice object, const wchar_t* name) { (void)object, (void)name; }
static inline void nvtxNameCuContextA(CUcontext object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCuContextW(CUcontext object, const wchar_t* name) { (void)object, (void)name; }
static inline void nvtxNameCuStreamA(CUstream object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCuStreamW(CUstream object, const wchar_t* name) { (void)object, (void)name; }
static inline void nvtxNameCuEventA(CUevent object, const char* name) { (void)object, (void)name; }
static inline void nvtxNameCuEventW(CUevent object, const wchar_t* name) { (void)object, (void)name; }
#if defined(UNICODE)
#define nvtxNameCuDevice nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream nvtxNameCuStreamW
#define nvtxNameCuEvent nvtxNameCuEventW
#else
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif

#endif
