// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
__constant__ float scale[4];
__device__ int counter;
static __device__ int hidden;
static __global__ void tick() { atomicAdd(&counter, hidden); }
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] / (y[i] + scale[0]);
}
int main() {
  saxpy<<<2, 64>>>(2.0f, nullptr, nullptr, 0);
  tick<<<1, 32>>>();
  cudaDeviceSynchronize();
  const int seven = 7;
  cudaError_t (*copy)(const int&, const void*, size_t, size_t, cudaMemcpyKind) = nullptr;
  (void)copy;
  (void)seven;
  std::printf("done\n");
  return 3;
}
