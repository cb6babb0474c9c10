// SPDX-License-Identifier: Apache-2.0
#include "rdc_shared.h"
static __device__ int hidden;
static __global__ void local() { hidden = 2; }
__global__ void scale(float* p) { p[0] = square(p[0]) + hidden; }
void launch_scale(float* p) {
  int* address = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&address), hidden);
  scale<<<1, 4>>>(p);
  local<<<1, 8>>>();
}
