// SPDX-License-Identifier: Apache-2.0
// What the patterns of control flow and access of several studies are made of. Arithmetic is a chain of multiply-adds
// whose factor only the host knows, so that no compiler shortens it.
#pragma once

#include "../workloads/common.h"

constexpr unsigned kBlock = 256;

// Keeps a compiler from turning the branch around it into selects.
#define KEEP_BRANCH() asm volatile("")

template <unsigned kSteps>
__host__ __device__ inline unsigned work(unsigned value, unsigned factor, unsigned added) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned i = 0; i < kSteps; ++i) value = value * factor + (added + i);
  return value;
}

// A random number that the branches of a round take their bits from.
__host__ __device__ inline unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  return x * 0x846ca68bu;
}
