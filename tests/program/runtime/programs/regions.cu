// SPDX-License-Identifier: Apache-2.0
// Launches in marked regions. Prints nothing but PASS.
#include <heddle.h>

#include "expect.h"

__global__ void scale(float* values, float by, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= by;
}

int main() {
  constexpr int kCount = 1000;
  float* values;
  OK(cudaMalloc(&values, kCount * sizeof *values));
  float host[kCount];
  for (float& value : host) value = 1;
  OK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  scale<<<4, 256>>>(values, 2, kCount);  // in no region
  heddle_region_begin("outer");
  scale<<<4, 256>>>(values, 2, kCount);
  heddle_region_begin("inner");
  scale<<<4, 256>>>(values, 2, kCount);
  heddle_region_end("inner");
  heddle_region_end("outer");
  heddle_region_begin("inner");  // goes on where it was left
  scale<<<4, 256>>>(values, 2, kCount);
  heddle_region_end("inner");
  heddle_region_begin("left open");
  OK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
  for (const float value : host) EXPECT(value == 16);
  return finish();
}
