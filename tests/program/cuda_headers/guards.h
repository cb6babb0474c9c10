// SPDX-License-Identifier: Apache-2.0
// Macros that programs test for included headers and versions. C, C++ and CUDA.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_gl_interop.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
//
#include <cudaEGL.h>
#include <cudaGL.h>
#include <cuda_egl_interop.h>

#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__DRIVER_TYPES_H__) ||        \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__) || !defined(__HOST_DEFINES_H__) ||        \
    !defined(__BUILTIN_TYPES_H__) || !defined(__DEVICE_TYPES_H__) || !defined(__SURFACE_TYPES_H__) ||          \
    !defined(__TEXTURE_TYPES_H__) || !defined(__CHANNEL_DESCRIPTOR_H__) || !defined(__DRIVER_FUNCTIONS_H__) || \
    !defined(__LIBRARY_TYPES_H__) || !defined(__CUDA_DEVICE_RUNTIME_API_H__)
#error "a guard of cuda_runtime.h is missing"
#endif
#if !defined(__cuda_cuda_h__) || !defined(CU_COMPLEX_H_) || !defined(__CUDA_PROFILER_API_H__) || \
    !defined(__MATH_CONSTANTS_H__) || !defined(__CUDA_GL_INTEROP_H__) || !defined(CUDAGL_H) || !defined(CUDAEGL_H)
#error "a guard of another header is missing"
#endif
#if CUDART_VERSION < 11000 || CUDA_VERSION != CUDART_VERSION
#error "a version is missing"
#endif
#if defined(HEDDLE_EXPECT_COMPILER) && (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 != CUDART_VERSION || \
                                        !defined(__CUDACC_VER_BUILD__) || !defined(__NVCC__))
#error "the compiler's version is missing"
#endif
#if defined(__cplusplus)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#if !defined(__CUDA_FP16_H__) || !defined(__CUDA_BF16_H__) || !defined(__CUDA_FP8_H__)
#error "a guard of a narrow format is missing"
#endif
#if __cplusplus >= 201103L
#include <nvtx3/nvtx3.hpp>
static inline int annotated(void) {
  NVTX3_FUNC_RANGE();
  nvtx3::scoped_range range("a range", nvtx3::rgb(1, 2, 3), nvtx3::payload(4));
  nvtx3::mark("a mark");
  nvtxRangePush("a range");
  return nvtxRangePop();
}
#endif
static inline float narrow(void) {
  const __half h = __float2half(1.5f) * __float2half(2.0f) + __half(1);
  const __nv_bfloat16 b = __float2bfloat16(1.5f) * __float2bfloat16(2.0f);
  return static_cast<float>(h) + static_cast<float>(b) + static_cast<float>(__nv_fp8_e4m3(2.0f));
}
#endif
#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#if !defined(_COOPERATIVE_GROUPS_H_) || !defined(__DEVICE_FUNCTIONS_H__) || !defined(__MATH_FUNCTIONS_H__) || \
    !defined(__SM_35_INTRINSICS_H__) || !defined(__SM_60_ATOMIC_FUNCTIONS_H__) ||                             \
    !defined(__DEVICE_LAUNCH_PARAMETERS_H__) || !defined(__TEXTURE_FETCH_FUNCTIONS_H__)
#error "a guard of a device header is missing"
#endif
#endif
