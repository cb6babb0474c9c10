// SPDX-License-Identifier: Apache-2.0
// Matrix product through tiles in shared memory, of rectangles: `size` rows by 48 with 48 by 80, so that a product of 128
// rows has the source's grid of 5 by 8 blocks. It has about as many instructions, too.
// Source: docs/sources/dynamic-warp-resizing.md, 5 (MTM: 10,240 threads execute 2.4 million instructions).
#include "../../workloads/common.h"

constexpr int kTile = 16, kInner = 48, kColumns = 80;

// The number of rows is a multiple of the tile's.
__global__ void multiply(const float* a, const float* b, float* product) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int first = 0; first < kInner; first += kTile) {
    tile_a[y][x] = a[row * kInner + first + x];
    tile_b[y][x] = b[(first + y) * kColumns + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
    __syncthreads();
  }
  product[row * kColumns + column] = sum;
}

int main(int argc, char** argv) {
  const int rows = static_cast<int>(workload::parse_size(argc, argv, {32, 64, 128, kTile, 4096}));
  if (rows % kTile != 0) {
    std::fprintf(stderr, "rectangle_product: the rows must be a multiple of %d\n", kTile);
    return workload::kExitUsage;
  }
  workload::Random random(23);
  std::vector<float> a(static_cast<std::size_t>(rows) * kInner), b(kInner * kColumns),
      reference(static_cast<std::size_t>(rows) * kColumns);
  for (float& value : a) value = random.between(-1.0f, 1.0f);
  for (float& value : b) value = random.between(-1.0f, 1.0f);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      float sum = 0.0f;
      for (int k = 0; k < kInner; ++k) sum = fmaf(a[row * kInner + k], b[k * kColumns + column], sum);
      reference[row * kColumns + column] = sum;
    }
  workload::DeviceArray<float> device_a(a), device_b(b), product(reference.size());
  multiply<<<dim3(kColumns / kTile, rows / kTile), dim3(kTile, kTile)>>>(device_a.get(), device_b.get(), product.get());
  CHECK_LAUNCH();
  workload::Report report("rectangle_product");
  report.expect_equal("product", product.download(), reference);
  return report.finish();
}
