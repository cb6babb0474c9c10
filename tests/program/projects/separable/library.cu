// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

static __device__ int hidden = 7;  // other files define this name too

namespace parts {
__device__ int scaled(int x) { return x * factors[1] + hidden; }
}  // namespace parts

static __global__ void count_up() { atomicAdd(&counter, hidden); }

int count_of_library() {
  count_up<<<1, 3>>>();
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  return value;
}
