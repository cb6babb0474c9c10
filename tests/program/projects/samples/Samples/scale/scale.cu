// SPDX-License-Identifier: Apache-2.0
#include <helper.h>

extern "C" int scale_on_host(const float* values, int count, float factor, const float* expected);

// Separated launch brackets, as written by an old formatter, and the outdated `register`.
__global__ void scale(float* values, int count, float factor) {
  register int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

int main() {
  const int count = 1000;
  float before[count], after[count];
  for (int i = 0; i < count; ++i) before[i] = i;
  float* device = nullptr;
  CHECK(cudaMalloc(&device, sizeof before));
  CHECK(cudaMemcpy(device, before, sizeof before, cudaMemcpyHostToDevice));
  scale<<<(count + 127) / 128, 128>>>(device, count, 3.0f);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(after, device, sizeof after, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  std::puts(scale_on_host(before, count, 3.0f, after) ? "PASS" : "FAIL");
  return 0;
}
