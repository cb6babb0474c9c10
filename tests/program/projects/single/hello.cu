// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

__global__ void hello() { printf("PASS\n"); }

int main() {
  hello<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
