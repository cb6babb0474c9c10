// SPDX-License-Identifier: Apache-2.0
// Matrix product through tiles in shared memory: two barriers a tile, broadcasts and rows from the shared banks.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     2048
//   warp instructions: no
//   size:              rows and columns of the square matrices
#include "common.h"

constexpr int kTile = 16;

__global__ void matmul_tiled(const float* a, const float* b, float* product, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += kTile) {
    tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
    tile_b[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
    __syncthreads();
  }
  if (row < n && column < n) product[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int n = static_cast<int>(workload::parse_size(argc, argv, {24, 100, 256, 1, 4096}));
  workload::Random random(3);
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
  const dim3 grid(workload::blocks_for(n, kTile), workload::blocks_for(n, kTile));
  matmul_tiled<<<grid, dim3(kTile, kTile)>>>(device_a.get(), device_b.get(), device_product.get(), n);
  CHECK_LAUNCH();
  workload::Report report("matmul_tiled");
  report.expect_equal("product", device_product.download(), reference);
  return report.finish();
}
