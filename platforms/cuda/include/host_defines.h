// SPDX-License-Identifier: Apache-2.0
// The CUDA declaration keywords (__device__, __global__, ...), for CUDA and for plain C or C++ compilations.
#ifndef HEDDLE_HOST_DEFINES_H
#define HEDDLE_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#if defined(__CUDA__)
// Programs test these two for a CUDA compiler; clang defines neither.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#endif
#ifndef __CUDACC_EXTENDED_LAMBDA__
#define __CUDACC_EXTENDED_LAMBDA__ 1  // clang takes __device__ and __host__ __device__ lambdas as they are
#endif
// Traits of nvcc, for its lambdas without a body on the host; clang's have one on both sides.
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#define __CUDACC_RELAXED_CONSTEXPR__ 1  // constexpr functions may be called from both sides
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang 14 supports managed variables for HIP only. Ours is a device variable whose host shadow is in a separate
// section, which heddle_device/managed.h registers with the runtime so that device and host share the bytes.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("heddle_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#else
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __shared__
#define __shared__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __managed__
#define __managed__
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
#endif

// A keyword since clang 15. Undefined for other sources, whose headers write __attribute__((__noinline__)); the wrappers
// in bits/ hide it from libstdc++ where it is a macro.
#if defined(__CUDA__)
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __inline_hint__
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define CUDARTAPI
#define CUDART_CB
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#endif
