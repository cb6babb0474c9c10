// SPDX-License-Identifier: Apache-2.0
// Mandelbrot set: how many steps a point takes to escape. Neighbours leave the loop at very different times.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has two thirds as many rows
#include "common.h"

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

__global__ void mandelbrot(int* steps, int columns, int rows, float pixel, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  steps[y * columns + x] = escape_steps(fmaf(pixel, x, -2.0f), fmaf(pixel, y, -1.0f), most);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {34, 128, 512, 3, 8192}));
  const int rows = columns * 2 / 3;
  const int most = columns < 100 ? 24 : 256;
  const float pixel = 3.0f / static_cast<float>(columns);
  std::vector<int> reference(rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      reference[y * columns + x] =
          escape_steps(fmaf(pixel, static_cast<float>(x), -2.0f), fmaf(pixel, static_cast<float>(y), -1.0f), most);
  workload::DeviceArray<int> steps(reference.size());
  const dim3 grid(workload::blocks_for(columns, 16), workload::blocks_for(rows, 16));
  mandelbrot<<<grid, dim3(16, 16)>>>(steps.get(), columns, rows, pixel, most);
  CHECK_LAUNCH();
  workload::Report report("mandelbrot");
  report.expect_equal("steps", steps.download(), reference);
  return report.finish();
}
