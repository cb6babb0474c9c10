// SPDX-License-Identifier: Apache-2.0
// What a CUDA program may say to Heddle: marked regions, whose statistics a run reports apart (host and kernels mark
// regions of their own by the same calls), and instructions of research machines (heddle_instructions.h).
#ifndef HEDDLE_H
#define HEDDLE_H

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
#if defined(__cplusplus)
}
#endif

#undef HEDDLE_HOST_AND_DEVICE

#if defined(__CUDACC__) && defined(__cplusplus)
#include "heddle_instructions.h"
#endif

#endif
