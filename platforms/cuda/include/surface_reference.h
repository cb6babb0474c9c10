// SPDX-License-Identifier: Apache-2.0
// surface<void, dimensions> references and their binding functions.
#ifndef HEDDLE_SURFACE_REFERENCE_H
#define HEDDLE_SURFACE_REFERENCE_H

#include "cuda_runtime_api.h"

#if defined(__CUDA__)
#define HEDDLE_SURFACE_TYPE __attribute__((device_builtin_surface_type))
#else
#define HEDDLE_SURFACE_TYPE
#endif

// A handle on the device. The compiler registers every variable of this type by its template arguments, so their number
// and order are fixed, and requires a specialisation for void.
template <class T, int dimensions = cudaSurfaceType1D>
struct surface : public surfaceReference {};
template <int dimensions>
struct HEDDLE_SURFACE_TYPE surface<void, dimensions> : public surfaceReference {
#if !defined(__CUDA_ARCH__)
  __host__ surface() : surfaceReference() {}
#endif
};

template <class T, int dimensions>
inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions>& surf, cudaArray_const_t array,
                                                   const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindSurfaceToArray(&surf, array, &desc);
}
template <class T, int dimensions>
inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions>& surf, cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  const cudaError_t error = ::cudaGetChannelDesc(&desc, array);
  return error != cudaSuccess ? error : ::cudaBindSurfaceToArray(&surf, array, &desc);
}

#undef HEDDLE_SURFACE_TYPE
#endif
