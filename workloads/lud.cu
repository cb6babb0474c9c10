// SPDX-License-Identifier: Apache-2.0
// LU decomposition in place, without pivoting, by tiles: a launch each for the tile on the diagonal, for its row and column
// of tiles, half of the threads each, and for the rest of the matrix. Few threads have work in the first two.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16, 32, 16x16
//   shared memory:     3072
//   warp instructions: no
//   size:              rows and columns of the matrix; rounded up to whole tiles
#include "common.h"

constexpr int kTile = 16;

__global__ void decompose_diagonal(float* matrix, int order, int offset) {
  __shared__ float tile[kTile][kTile];
  const int t = threadIdx.x;
  float* corner = matrix + offset * order + offset;
  for (int i = 0; i < kTile; ++i) tile[i][t] = corner[i * order + t];
  __syncthreads();
  for (int i = 0; i < kTile - 1; ++i) {
    if (t > i) {  // a column of L
      for (int j = 0; j < i; ++j) tile[t][i] = fmaf(-tile[t][j], tile[j][i], tile[t][i]);
      tile[t][i] = tile[t][i] / tile[i][i];
    }
    __syncthreads();
    if (t > i)  // the next row of U
      for (int j = 0; j <= i; ++j) tile[i + 1][t] = fmaf(-tile[i + 1][j], tile[j][t], tile[i + 1][t]);
    __syncthreads();
  }
  for (int i = 1; i < kTile; ++i) corner[i * order + t] = tile[i][t];
}

// Block b does tile b + 1 to the right of the diagonal and tile b + 1 below it.
__global__ void decompose_perimeter(float* matrix, int order, int offset) {
  __shared__ float diagonal[kTile][kTile], row[kTile][kTile], column[kTile][kTile];
  const int t = threadIdx.x % kTile, beyond = offset + (blockIdx.x + 1) * kTile;
  const bool is_row = threadIdx.x < kTile;
  if (is_row) {
    for (int i = 0; i < kTile / 2; ++i) diagonal[i][t] = matrix[(offset + i) * order + offset + t];
    for (int i = 0; i < kTile; ++i) row[i][t] = matrix[(offset + i) * order + beyond + t];
  } else {
    for (int i = kTile / 2; i < kTile; ++i) diagonal[i][t] = matrix[(offset + i) * order + offset + t];
    for (int i = 0; i < kTile; ++i) column[i][t] = matrix[(beyond + i) * order + offset + t];
  }
  __syncthreads();
  if (is_row) {
    for (int i = 1; i < kTile; ++i)
      for (int j = 0; j < i; ++j) row[i][t] = fmaf(-diagonal[i][j], row[j][t], row[i][t]);
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int j = 0; j < i; ++j) column[t][i] = fmaf(-column[t][j], diagonal[j][i], column[t][i]);
      column[t][i] = column[t][i] / diagonal[i][i];
    }
  }
  __syncthreads();
  if (is_row) {
    for (int i = 1; i < kTile; ++i) matrix[(offset + i) * order + beyond + t] = row[i][t];
  } else {
    for (int i = 0; i < kTile; ++i) matrix[(beyond + i) * order + offset + t] = column[i][t];
  }
}

__global__ void decompose_internal(float* matrix, int order, int offset) {
  __shared__ float row[kTile][kTile], column[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = offset + (blockIdx.x + 1) * kTile + tx, y = offset + (blockIdx.y + 1) * kTile + ty;
  row[ty][tx] = matrix[(offset + ty) * order + x];
  column[ty][tx] = matrix[y * order + offset + tx];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < kTile; ++i) sum = fmaf(column[ty][i], row[i][tx], sum);
  matrix[y * order + x] -= sum;
}

// The same sums in the same order: of a tile each, and what a tile leaves is subtracted one product at a time.
void decompose(std::vector<float>& matrix, int order) {
  const auto at = [&](int y, int x) -> float& { return matrix[static_cast<std::size_t>(y) * order + x]; };
  for (int offset = 0; offset < order; offset += kTile) {
    const int end = offset + kTile;
    for (int i = offset; i < end; ++i) {
      for (int x = i; x < order; ++x)
        for (int j = offset; j < i; ++j) at(i, x) = std::fma(-at(i, j), at(j, x), at(i, x));
      for (int y = i + 1; y < order; ++y) {
        for (int j = offset; j < i; ++j) at(y, i) = std::fma(-at(y, j), at(j, i), at(y, i));
        at(y, i) /= at(i, i);
      }
    }
    for (int y = end; y < order; ++y)
      for (int x = end; x < order; ++x) {
        float sum = 0.0f;
        for (int i = offset; i < end; ++i) sum = std::fma(at(y, i), at(i, x), sum);
        at(y, x) -= sum;
      }
  }
}

// The largest difference of the product of both triangles from `original`.
double largest_difference(const std::vector<float>& decomposed, const std::vector<float>& original, int order) {
  double largest = 0.0;
  for (int y = 0; y < order; ++y)
    for (int x = 0; x < order; ++x) {
      double sum = y <= x ? decomposed[y * order + x] : 0.0;
      for (int i = 0; i <= x && i < y; ++i) sum += double(decomposed[y * order + i]) * decomposed[i * order + x];
      largest = std::fmax(largest, std::fabs(sum - original[y * order + x]));
    }
  return largest;
}

int main(int argc, char** argv) {
  const long wanted = workload::parse_size(argc, argv, {40, 128, 448, 1, 2048});
  const int tiles = static_cast<int>(workload::blocks_for(wanted, kTile)), order = tiles * kTile;
  workload::Random random(85);
  std::vector<float> matrix(static_cast<std::size_t>(order) * order);
  for (int y = 0; y < order; ++y)  // the diagonal outweighs its row, so that no pivot is small
    for (int x = 0; x < order; ++x)
      matrix[static_cast<std::size_t>(y) * order + x] = random.between(-1.0f, 1.0f) + (x == y ? static_cast<float>(order) : 0.0f);
  std::vector<float> reference = matrix;
  decompose(reference, order);

  workload::DeviceArray<float> device_matrix(matrix);
  for (int tile = 0; tile < tiles; ++tile) {
    const int offset = tile * kTile;
    const unsigned rest = static_cast<unsigned>(tiles - tile - 1);
    decompose_diagonal<<<1, kTile>>>(device_matrix.get(), order, offset);
    CHECK_LAUNCH();
    if (rest == 0) break;
    decompose_perimeter<<<rest, 2 * kTile>>>(device_matrix.get(), order, offset);
    CHECK_LAUNCH();
    decompose_internal<<<dim3(rest, rest), dim3(kTile, kTile)>>>(device_matrix.get(), order, offset);
    CHECK_LAUNCH();
  }
  workload::Report report("lud");
  report.expect_equal("element", device_matrix.download(), reference);
  report.expect_true("product of the triangles", largest_difference(reference, matrix, order) < 1e-5 * order);
  return report.finish();
}
