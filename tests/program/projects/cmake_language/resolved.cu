// SPDX-License-Identifier: Apache-2.0
__device__ int square(int x);

__global__ void squares(int* out) { out[threadIdx.x] = square(threadIdx.x); }

int sum_of_squares(int count) {
  int *device = nullptr, values[64] = {}, sum = 0;
  cudaMalloc(&device, sizeof values);
  squares<<<1, count>>>(device);
  cudaMemcpy(values, device, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}
