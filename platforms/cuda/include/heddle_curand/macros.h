// SPDX-License-Identifier: Apache-2.0
// Declaration macros of the random number headers, for kernels and for the host library's C++ code.
#pragma once

#include "../host_defines.h"

#if defined(__CUDA__)
#define HEDDLE_CURAND static inline __attribute__((host, device))
#else
#define HEDDLE_CURAND static inline
#endif
#if defined(__CUDA_ARCH__)
#define HEDDLE_CURAND_TABLE __attribute__((device)) static const
#else
#define HEDDLE_CURAND_TABLE static const
#endif
