// SPDX-License-Identifier: Apache-2.0
// Uses a device function and a device variable of other objects, and local names that another object has too.
#include <cstdio>
#include "rdc_shared.h"
static __device__ int hidden;
static __global__ void local() { hidden = 1; }
__global__ void use(float* p) {
  p[0] = square(p[0]);
  atomicAdd(&shared_counter, 1);
}
int main() {
  int* address = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&address), hidden);
  use<<<1, 1>>>(nullptr);
  local<<<1, 2>>>();
  launch_scale(nullptr);
  std::printf("done\n");
}
