// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies to shared memory as on architectures before sm_80: executed on issue by a load and a store, so
// there is never a pending one.
#ifndef HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"
//
#include <assert.h>

#if defined(__CUDA__)
namespace heddle_cuda {
template <class T>
HEDDLE_DEVICE void copy_whole(void* to, const void* from) {
  *static_cast<T*>(to) = *static_cast<const T*>(from);
}
}  // namespace heddle_cuda

// Copies 4, 8 or 16 bytes, aligned to their size; the last `zfill` bytes are zeroed instead of read.
HEDDLE_DEVICE void __pipeline_memcpy_async(void* __restrict__ dst_shared, const void* __restrict__ src_global,
                                           size_t size_and_align, size_t zfill = 0) {
  assert((size_and_align == 4 || size_and_align == 8 || size_and_align == 16) && zfill <= size_and_align);
  if (zfill == 0) {
    if (size_and_align == 4) heddle_cuda::copy_whole<unsigned int>(dst_shared, src_global);
    if (size_and_align == 8) heddle_cuda::copy_whole<uint2>(dst_shared, src_global);
    if (size_and_align == 16) heddle_cuda::copy_whole<uint4>(dst_shared, src_global);
    return;
  }
  for (size_t i = 0; i < size_and_align; ++i) {
    static_cast<char*>(dst_shared)[i] = i < size_and_align - zfill ? static_cast<const char*>(src_global)[i] : 0;
  }
}
HEDDLE_DEVICE void __pipeline_commit() {}
HEDDLE_DEVICE void __pipeline_wait_prior(size_t) { HEDDLE_COMPILER_BARRIER(); }
#endif

#endif
