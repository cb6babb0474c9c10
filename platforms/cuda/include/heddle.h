// SPDX-License-Identifier: Apache-2.0
// What a CUDA program may say to Heddle: marked regions, whose statistics a run reports apart (host and kernels mark
// regions of their own by the same calls), device memory that a function produces, and instructions of research machines
// (heddle_instructions.h).
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>

#include "cuda_runtime_api.h"

#if defined(__CUDACC__)
#define HEDDLE_HOST_AND_DEVICE __host__ __device__
#else
#define HEDDLE_HOST_AND_DEVICE
#endif

#if defined(__cplusplus)
extern "C" {
#endif
// Host: everything that is launched until the matching end belongs to the region called `name` (any UTF-8 text, copied;
// not empty). Regions nest; a name used again adds to the same region.
// Kernel: the calling thread enters the region. The region is what happens on the whole machine while any thread is in
// one of that name.
HEDDLE_HOST_AND_DEVICE void heddle_region_begin(const char* name);
// Host: ends the region begun last under this name. Kernel: the calling thread leaves the region; at the end of the
// kernel every thread has left.
HEDDLE_HOST_AND_DEVICE void heddle_region_end(const char* name);

// Writes to `to` the `bytes` bytes that lie at `offset` of a region: the same ones whenever it is asked, in any pieces. It
// runs on the host and calls nothing of CUDA.
typedef void (*heddleGenerator)(void* context, unsigned long long offset, void* to, size_t bytes);
// Device memory of `bytes` bytes, from a page of 4096 bytes on, that takes no memory of the host: what kernels and copies
// read in it `generator` produces. Stores to it are errors, and so are reads by the host other than copies. Freed by
// cudaFree. cudaErrorMemoryAllocation when the device has no room.
cudaError_t heddleMallocGenerated(void** pointer, size_t bytes, heddleGenerator generator, void* context);
#if defined(__cplusplus)
}
#endif

#undef HEDDLE_HOST_AND_DEVICE

#if defined(__CUDACC__) && defined(__cplusplus)
#include "heddle_instructions.h"
#endif

#endif
