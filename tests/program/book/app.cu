// SPDX-License-Identifier: Apache-2.0
// The program that pages call `./app`: takes any arguments, launches two kernels, and exits with 0.
#include <cstdio>

__global__ void scale(float* values, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

int main() {
  const int count = 1000;
  float *values = nullptr, one[count];
  for (float& value : one) value = 1;
  cudaMalloc(&values, sizeof one);
  cudaMemcpy(values, one, sizeof one, cudaMemcpyHostToDevice);
  for (int round = 0; round < 2; ++round) scale<<<8, 128>>>(values, 2, count);
  cudaMemcpy(one, values, sizeof one, cudaMemcpyDeviceToHost);
  cudaFree(values);
  std::printf("%g\n", one[count - 1]);
  return one[count - 1] == 4 ? 0 : 1;
}
