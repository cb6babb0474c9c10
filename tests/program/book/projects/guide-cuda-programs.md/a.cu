// SPDX-License-Identifier: Apache-2.0
// The kernel; the function it calls is in b.cu.
__device__ int twice(int value);

__global__ void fill(int* values) { values[threadIdx.x] = twice(threadIdx.x); }

int main() {
  int* values = nullptr;
  cudaMalloc(&values, 32 * sizeof(int));
  fill<<<1, 32>>>(values);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
