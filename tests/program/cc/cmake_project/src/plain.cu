// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
void report(const char* what);
__global__ void fill(int* p) { p[threadIdx.x] = static_cast<int>(threadIdx.x); }
int main() {
  fill<<<1, 16>>>(nullptr);
  report("plain");
}
