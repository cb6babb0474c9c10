// SPDX-License-Identifier: Apache-2.0
// Heddle's extensions for CUDA programs: regions with separate statistics (marked by host or kernels through the same
// calls), device memory whose contents a function generates, and instructions of research machines
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
// Host: everything launched until the matching end belongs to region `name` (any non-empty UTF-8 text, copied). Regions
// nest; reusing a name adds to the same region. Kernel: the calling thread enters the region, which covers everything
// on the whole machine while any thread is in a region of that name.
HEDDLE_HOST_AND_DEVICE void heddle_region_begin(const char* name);
// Host: ends the region most recently begun under this name. Kernel: the calling thread leaves the region; at the end
// of the kernel all threads leave.
HEDDLE_HOST_AND_DEVICE void heddle_region_end(const char* name);

// Writes the `bytes` bytes at `offset` of the memory to `to`. Must return the same contents on every call, however the
// range is split. Runs on the host and must not call CUDA functions.
typedef void (*heddleGenerator)(void* context, unsigned long long offset, void* to, size_t bytes);
// Allocates `bytes` bytes of device memory, aligned to a 4096-byte page, without using host memory: `generator`
// produces what kernels and copies read. Stores are errors, and so are host reads other than copies. Freed by cudaFree.
// Returns cudaErrorMemoryAllocation when the device memory is exhausted.
cudaError_t heddleMallocGenerated(void** pointer, size_t bytes, heddleGenerator generator, void* context);
#if defined(__cplusplus)
}
#endif

#undef HEDDLE_HOST_AND_DEVICE

#if defined(__CUDACC__) && defined(__cplusplus)
#include "heddle_instructions.h"
#endif

#endif
