// SPDX-License-Identifier: Apache-2.0
// Matrix product, one thread an element of the result, straight from global memory: a loop of cached loads.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     0
//   warp instructions: no
//   size:              rows and columns of the square matrices
#include "common.h"

__global__ void matmul(const float* a, const float* b, float* product, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
  product[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int n = static_cast<int>(workload::parse_size(argc, argv, {24, 100, 256, 1, 4096}));
  workload::Random random(2);
  std::vector<float> a(n * n), b(n * n), reference(n * n);
  for (float& value : a) value = random.between(-1.0f, 1.0f);
  for (float& value : b) value = random.between(-1.0f, 1.0f);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum = fmaf(a[row * n + k], b[k * n + column], sum);
      reference[row * n + column] = sum;
    }
  workload::DeviceArray<float> device_a(a), device_b(b), device_product(n * n);
  const dim3 grid(workload::blocks_for(n, 16), workload::blocks_for(n, 16));
  matmul<<<grid, dim3(16, 16)>>>(device_a.get(), device_b.get(), device_product.get(), n);
  CHECK_LAUNCH();
  workload::Report report("matmul");
  report.expect_equal("product", device_product.download(), reference);
  return report.finish();
}
