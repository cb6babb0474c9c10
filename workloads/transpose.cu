// SPDX-License-Identifier: Apache-2.0
// Matrix transpose, twice: directly, with strided stores, and through a padded tile in shared memory.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     1088
//   warp instructions: no
//   size:              columns; the matrix has half as many rows again
#include "common.h"

constexpr int kTile = 16;

__global__ void transpose_direct(const int* in, int* out, int rows, int columns) {
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

__global__ void transpose_tiled(const int* in, int* out, int rows, int columns) {
  // One column more than the tile needs: its columns then lie in different banks.
  __shared__ int tile[kTile][kTile + 1];
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  __syncthreads();
  column = blockIdx.x * kTile + threadIdx.y;
  row = blockIdx.y * kTile + threadIdx.x;
  if (row < rows && column < columns) out[column * rows + row] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {26, 250, 800, 1, 8192}));
  const int rows = columns + columns / 2;
  workload::Random random(4);
  std::vector<int> in(rows * columns), reference(rows * columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      reference[column * rows + row] = in[row * columns + column] = static_cast<int>(random.next());
  workload::DeviceArray<int> device_in(in), direct(in.size()), tiled(in.size());
  const dim3 grid(workload::blocks_for(columns, kTile), workload::blocks_for(rows, kTile)), block(kTile, kTile);
  transpose_direct<<<grid, block>>>(device_in.get(), direct.get(), rows, columns);
  CHECK_LAUNCH();
  transpose_tiled<<<grid, block>>>(device_in.get(), tiled.get(), rows, columns);
  CHECK_LAUNCH();
  workload::Report report("transpose");
  report.expect_equal("direct transpose", direct.download(), reference);
  report.expect_equal("tiled transpose", tiled.download(), reference);
  return report.finish();
}
