// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "parts.h"

static __device__ int hidden = 70;

__global__ void use(int* out) {
  out[0] = add_two(counter);                         // 5 + 2
  out[1] = static_cast<int>(table[2]) * factors[0];  // 3 * 10
  out[2] = parts::scaled(2) + hidden;                // 2 * 1000 + 7 + 70, once factors[1] is 1000
  out[3] = chosen(40);
}

int main() {
  const int thousand = 1000;
  cudaMemcpyToSymbol(factors, &thousand, sizeof thousand, sizeof(int));
  int *device = nullptr, out[4] = {};
  cudaMalloc(&device, sizeof out);
  use<<<1, 1>>>(device);
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree(device);
  const int counted = count_of_library(), answer = answer_of_plugin();
  std::printf("%d %d %d %d %d %d %s\n", out[0], out[1], out[2], out[3], counted, answer,
              cudaGetErrorString(cudaGetLastError()));
  const bool right = out[0] == 7 && out[1] == 30 && out[2] == 2077 && out[3] == 42 && counted == 26 && answer == 1020;
  std::puts(right ? "PASS" : "FAIL");
  return 0;
}
