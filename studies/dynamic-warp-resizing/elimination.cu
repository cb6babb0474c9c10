// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination, one launch a pivot and one thread an element of what is left below and beside the pivot; so the
// threads of a row that have no work are its last ones, and partners that have work have the same.
//
// usage: elimination --size UNKNOWNS   options and report as workloads/
// Source: docs/sources/dynamic-warp-resizing.md, 5 (GAS).
#include "../../workloads/common.h"

constexpr int kTile = 16;

// Removes unknown `pivot` from the rows below. The factors are kept, not stored below the diagonal.
__global__ void eliminate(float* matrix, float* right, float* factors, int unknowns, int pivot) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int column = pivot + 1 + x, row = pivot + 1 + y;
  if (row >= unknowns || x >= unknowns - pivot) return;  // one more than columns are left, or the last row had none
  const float factor = matrix[row * unknowns + pivot] / matrix[pivot * unknowns + pivot];
  if (column < unknowns)
    matrix[row * unknowns + column] = fmaf(-factor, matrix[pivot * unknowns + column], matrix[row * unknowns + column]);
  if (x == 0) {
    factors[row * unknowns + pivot] = factor;
    right[row] = fmaf(-factor, right[pivot], right[row]);
  }
}

int main(int argc, char** argv) {
  const int unknowns = static_cast<int>(workload::parse_size(argc, argv, {20, 48, 160, 2, 1024}));
  workload::Random random(94);
  std::vector<float> matrix(unknowns * unknowns), right(unknowns), factors(unknowns * unknowns, 0.0f);
  for (float& value : matrix) value = random.between(-1.0f, 1.0f);
  for (float& value : right) value = random.between(-1.0f, 1.0f);
  for (int i = 0; i < unknowns; ++i) matrix[i * unknowns + i] += static_cast<float>(unknowns);  // no need to swap rows
  workload::DeviceArray<float> device_matrix(matrix), device_right(right), device_factors(factors.size());
  const unsigned tiles = workload::blocks_for(unknowns, kTile);
  for (int pivot = 0; pivot < unknowns; ++pivot) {
    eliminate<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(device_matrix.get(), device_right.get(), device_factors.get(),
                                                          unknowns, pivot);
    CHECK_LAUNCH();
    for (int row = pivot + 1; row < unknowns; ++row) {
      const float factor = matrix[row * unknowns + pivot] / matrix[pivot * unknowns + pivot];
      factors[row * unknowns + pivot] = factor;
      right[row] = std::fma(-factor, right[pivot], right[row]);
      for (int column = pivot + 1; column < unknowns; ++column)
        matrix[row * unknowns + column] =
            std::fma(-factor, matrix[pivot * unknowns + column], matrix[row * unknowns + column]);
    }
  }
  workload::Report report("elimination");
  report.expect_equal("element", device_matrix.download(), matrix);
  report.expect_equal("right side", device_right.download(), right);
  report.expect_equal("factor", device_factors.download(), factors);
  return report.finish();
}
