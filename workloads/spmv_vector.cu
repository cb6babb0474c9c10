// SPDX-License-Identifier: Apache-2.0
// Sparse matrix-vector product, 32 threads a row: neighbouring loads, then a sum across the threads by shuffles.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: yes
//   size:              rows
#include "common.h"
#include "sparse.h"

constexpr int kLanes = 32;

__global__ void spmv_vector(const int* row_start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
  const int lane = threadIdx.x % kLanes;
  if (row >= rows) return;  // the same answer for all 32 threads
  float sum = 0.0f;
  for (int entry = row_start[row] + lane; entry < row_start[row + 1]; entry += kLanes)
    sum = fmaf(value[entry], x[column[entry]], sum);
  for (int distance = kLanes / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main(int argc, char** argv) {
  const int rows = static_cast<int>(workload::parse_size(argc, argv, {70, 1500, 20000, 1, 1 << 20}));
  workload::SparseRows matrix = workload::random_sparse_rows(rows, 60, 13);
  matrix.column.push_back(0);  // never read: keeps the arrays from being empty
  matrix.value.push_back(0.0f);
  workload::Random random(14);
  std::vector<float> x(rows), reference(rows);
  for (float& element : x) element = random.between(-1.0f, 1.0f);
  for (int row = 0; row < rows; ++row) {
    float sum[kLanes] = {};
    for (int entry = matrix.row_start[row]; entry < matrix.row_start[row + 1]; ++entry) {
      float& mine = sum[(entry - matrix.row_start[row]) % kLanes];
      mine = fmaf(matrix.value[entry], x[matrix.column[entry]], mine);
    }
    for (int distance = kLanes / 2; distance > 0; distance /= 2)
      for (int lane = 0; lane < distance; ++lane) sum[lane] += sum[lane + distance];
    reference[row] = sum[0];
  }
  workload::DeviceArray<int> row_start(matrix.row_start), column(matrix.column);
  workload::DeviceArray<float> value(matrix.value), device_x(x), y(rows);
  spmv_vector<<<workload::blocks_for(long{rows} * kLanes, 128), 128>>>(row_start.get(), column.get(), value.get(),
                                                                       device_x.get(), y.get(), rows);
  CHECK_LAUNCH();
  workload::Report report("spmv_vector");
  report.expect_equal("row", y.download(), reference);
  return report.finish();
}
