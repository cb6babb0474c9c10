// SPDX-License-Identifier: Apache-2.0
// Mandelbrot set by few blocks that take one tile of the picture after the other from a counter: loops of very different
// lengths, and barriers between tiles, at which all threads of a block wait for its longest loop.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     4
//   warp instructions: no
//   size:              columns; the picture has two thirds as many rows
#include <algorithm>

#include "common.h"

constexpr int kTile = 16;
constexpr int kBlocks = 8;

// Every product is the operand of an explicit fused multiply-add, so that no compiler is left to choose which to fuse.
__host__ __device__ inline int escape_steps(float c_real, float c_imaginary, int most) {
  float real = 0.0f, imaginary = 0.0f;
  int steps = 0;
  while (steps < most && fmaf(real, real, imaginary * imaginary) < 4.0f) {
    const float next = fmaf(real, real, fmaf(-imaginary, imaginary, c_real));
    imaginary = fmaf(2.0f * real, imaginary, c_imaginary);
    real = next;
    ++steps;
  }
  return steps;
}

__global__ void mandelbrot(int* steps, unsigned* next_tile, int columns, int rows, float pixel, int most) {
  __shared__ unsigned tile;
  const unsigned tiles_across = (columns + kTile - 1) / kTile, tiles = tiles_across * ((rows + kTile - 1) / kTile);
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0) tile = atomicAdd(next_tile, 1u);
    __syncthreads();
    const unsigned own = tile;
    __syncthreads();
    if (own >= tiles) break;
    const int x = own % tiles_across * kTile + threadIdx.x, y = own / tiles_across * kTile + threadIdx.y;
    if (x < columns && y < rows)
      steps[y * columns + x] = escape_steps(fmaf(pixel, x, -2.0f), fmaf(pixel, y, -1.0f), most);
  }
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {40, 128, 512, 3, 8192}));
  const int rows = columns * 2 / 3;
  const int most = columns < 100 ? 24 : 256;
  const float pixel = 3.0f / static_cast<float>(columns);
  std::vector<int> reference(rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      reference[y * columns + x] =
          escape_steps(fmaf(pixel, static_cast<float>(x), -2.0f), fmaf(pixel, static_cast<float>(y), -1.0f), most);
  workload::DeviceArray<int> steps(reference.size());
  workload::DeviceArray<unsigned> next_tile(1);
  const unsigned tiles = workload::blocks_for(columns, kTile) * workload::blocks_for(rows, kTile);
  mandelbrot<<<std::min<unsigned>(kBlocks, tiles), dim3(kTile, kTile)>>>(steps.get(), next_tile.get(), columns, rows,
                                                                         pixel, most);
  CHECK_LAUNCH();
  workload::Report report("mandelbrot_tiles");
  report.expect_equal("steps", steps.download(), reference);
  return report.finish();
}
