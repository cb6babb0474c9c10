// SPDX-License-Identifier: Apache-2.0
// Sparse matrix-vector product, one thread a row: rows of unequal length, gathers from all over the vector.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              rows
#include "common.h"
#include "sparse.h"

__global__ void spmv_scalar(const int* row_start, const int* column, const float* value, const float* x, float* y,
                            int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int entry = row_start[row]; entry < row_start[row + 1]; ++entry) sum = fmaf(value[entry], x[column[entry]], sum);
  y[row] = sum;
}

int main(int argc, char** argv) {
  const int rows = static_cast<int>(workload::parse_size(argc, argv, {450, 8000, 100000, 1, 1 << 24}));
  workload::SparseRows matrix = workload::random_sparse_rows(rows, 24, 11);
  matrix.column.push_back(0);  // never read: keeps the arrays from being empty
  matrix.value.push_back(0.0f);
  workload::Random random(12);
  std::vector<float> x(rows), reference(rows);
  for (float& element : x) element = random.between(-1.0f, 1.0f);
  for (int row = 0; row < rows; ++row) {
    float sum = 0.0f;
    for (int entry = matrix.row_start[row]; entry < matrix.row_start[row + 1]; ++entry)
      sum = fmaf(matrix.value[entry], x[matrix.column[entry]], sum);
    reference[row] = sum;
  }
  workload::DeviceArray<int> row_start(matrix.row_start), column(matrix.column);
  workload::DeviceArray<float> value(matrix.value), device_x(x), y(rows);
  spmv_scalar<<<workload::blocks_for(rows, 128), 128>>>(row_start.get(), column.get(), value.get(), device_x.get(),
                                                        y.get(), rows);
  CHECK_LAUNCH();
  workload::Report report("spmv_scalar");
  report.expect_equal("row", y.download(), reference);
  return report.finish();
}
