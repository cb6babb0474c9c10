// SPDX-License-Identifier: Apache-2.0
// Needleman-Wunsch alignment of two sequences: a wavefront of tiles, one launch a diagonal of tiles, and within a tile
// a wavefront of cells with a barrier a step. Half a warp a block; most steps leave some of it idle.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16
//   shared memory:     1188
//   warp instructions: no
//   size:              letters of the first sequence; the second has three fewer
#include <algorithm>

#include "common.h"

constexpr int kTile = 16;
constexpr int kGap = -3;

__constant__ int substitution[4][4];

// `scores` has (rows + 1) x (columns + 1) cells whose first row and column are given. Tiles (i, diagonal - i) are done
// together, starting with i = `first_row`.
__global__ void align_diagonal(const unsigned char* down, const unsigned char* across, int* scores, int rows,
                               int columns, int diagonal, int first_row) {
  __shared__ int tile[kTile + 1][kTile + 1];
  __shared__ unsigned char letters[2 * kTile];
  const int thread = threadIdx.x;
  const int top = (first_row + blockIdx.x) * kTile, left = (diagonal - first_row - blockIdx.x) * kTile;
  const int stride = columns + 1;
  // The cells above and to the left, and the letters of both sequences.
  if (left + thread + 1 <= columns) {
    tile[0][thread + 1] = scores[top * stride + left + thread + 1];
    letters[thread] = across[left + thread];
  }
  if (top + thread + 1 <= rows) {
    tile[thread + 1][0] = scores[(top + thread + 1) * stride + left];
    letters[kTile + thread] = down[top + thread];
  }
  if (thread == 0) tile[0][0] = scores[top * stride + left];
  __syncthreads();
  // A thread owns a column of the tile; in step s it does row s - thread.
  const int x = thread + 1;
  for (int step = 0; step < 2 * kTile - 1; ++step) {
    const int y = step - thread + 1;
    if (y >= 1 && y <= kTile && top + y <= rows && left + x <= columns) {
      const int match = tile[y - 1][x - 1] + substitution[letters[kTile + y - 1]][letters[x - 1]];
      tile[y][x] = max(match, max(tile[y - 1][x], tile[y][x - 1]) + kGap);
    }
    __syncthreads();
  }
  for (int y = 1; y <= kTile; ++y)
    if (top + y <= rows && left + x <= columns) scores[(top + y) * stride + left + x] = tile[y][x];
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {40, 250, 1500, 4, 8192}));
  const int rows = columns - 3, stride = columns + 1;
  workload::Random random(16);
  std::vector<unsigned char> across(columns), down(rows);
  for (unsigned char& letter : across) letter = static_cast<unsigned char>(random.below(4));
  for (int i = 0; i < rows; ++i)  // mostly the same sequence
    down[i] = random.below(4) == 0 ? static_cast<unsigned char>(random.below(4)) : across[i];
  int table[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) table[i][j] = i == j ? 5 : -1 - (i + j) % 3;

  std::vector<int> scores((rows + 1) * stride, 0);
  for (int x = 1; x <= columns; ++x) scores[x] = x * kGap;
  for (int y = 1; y <= rows; ++y) scores[y * stride] = y * kGap;
  std::vector<int> reference = scores;
  for (int y = 1; y <= rows; ++y)
    for (int x = 1; x <= columns; ++x) {
      const int* above = &reference[(y - 1) * stride + x];
      int* cell = &reference[y * stride + x];
      *cell = std::max(above[-1] + table[down[y - 1]][across[x - 1]], std::max(above[0], cell[-1]) + kGap);
    }

  CHECK_CUDA(cudaMemcpyToSymbol(substitution, table, sizeof(table)));
  workload::DeviceArray<unsigned char> device_down(down), device_across(across);
  workload::DeviceArray<int> device_scores(scores);
  const int tile_rows = static_cast<int>(workload::blocks_for(rows, kTile));
  const int tile_columns = static_cast<int>(workload::blocks_for(columns, kTile));
  for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; ++diagonal) {
    const int first_row = std::max(0, diagonal - tile_columns + 1), last_row = std::min(diagonal, tile_rows - 1);
    align_diagonal<<<last_row - first_row + 1, kTile>>>(device_down.get(), device_across.get(), device_scores.get(),
                                                        rows, columns, diagonal, first_row);
    CHECK_LAUNCH();
  }
  workload::Report report("needleman_wunsch");
  report.expect_equal("score", device_scores.download(), reference);
  return report.finish();
}
