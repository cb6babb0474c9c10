// SPDX-License-Identifier: Apache-2.0
// Corners in a picture (Harris): a kernel for the brightness gradients, one that sums their products over a window of
// five by five pixels, straight from global memory, and one that keeps local maxima. Blocks are squares of pixels.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            8x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kRadius = 2;
constexpr int kLeast = 1024;  // response of a corner

__host__ __device__ inline int inside(int value, int end) { return value < 0 ? 0 : value >= end ? end - 1 : value; }

// All three take (x, y) of a picture of `columns` x `rows`, whose edge pixels repeat outside.
__host__ __device__ inline int2 gradient(const int* picture, int x, int y, int columns, int rows) {
  const int left = inside(x - 1, columns), right = inside(x + 1, columns);
  const int *above = picture + inside(y - 1, rows) * columns, *here = picture + y * columns,
            *below = picture + inside(y + 1, rows) * columns;
  return {(above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left]) / 16,
          (below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right]) / 16};
}

__host__ __device__ inline int response(const int2* gradient_of, int x, int y, int columns, int rows) {
  int column[2 * kRadius + 1], xx = 0, yy = 0, xy = 0;
  for (int dx = -kRadius; dx <= kRadius; ++dx) column[dx + kRadius] = inside(x + dx, columns);
#pragma unroll
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    const int row = inside(y + dy, rows) * columns;
#pragma unroll
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      const int2 g = gradient_of[row + column[dx + kRadius]];
      xx += g.x * g.x;
      yy += g.y * g.y;
      xy += g.x * g.y;
    }
  }
  const int trace = (xx + yy) / 16;
  return xx / 8 * (yy / 8) / 16 - xy / 8 * (xy / 8) / 16 - trace * trace / 64;
}

__host__ __device__ inline int corner(const int* responses, int x, int y, int columns, int rows) {
  const int here = responses[y * columns + x];
  int most = here;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int other = responses[inside(y + dy, rows) * columns + inside(x + dx, columns)];
      most = other > most ? other : most;
    }
  return here == most && here > kLeast ? here : 0;
}

__global__ void gradients(const int* picture, int2* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = gradient(picture, x, y, columns, rows);
}

__global__ void responses(const int2* gradient_of, int* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = response(gradient_of, x, y, columns, rows);
}

__global__ void corners(const int* response, int* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = corner(response, x, y, columns, rows);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {32, 112, 640, 8, 8192}));
  const int rows = columns * 3 / 4, pixels = rows * columns;
  workload::Random random(63);
  // Rectangles of different brightness, and noise.
  std::vector<int> picture(pixels);
  for (int& pixel : picture) pixel = static_cast<int>(random.below(8));
  for (int i = 0; i < pixels / 64; ++i) {
    const int left = static_cast<int>(random.below(columns)), top = static_cast<int>(random.below(rows));
    const int right = std::min<int>(left + 3 + random.below(12), columns),
              bottom = std::min<int>(top + 3 + random.below(12), rows);
    const int level = static_cast<int>(random.below(240));
    for (int y = top; y < bottom; ++y)
      for (int x = left; x < right; ++x) picture[y * columns + x] = level + static_cast<int>(random.below(8));
  }
  std::vector<int2> reference_gradient(pixels);
  std::vector<int> reference_response(pixels), reference(pixels);
  for (int i = 0; i < pixels; ++i)
    reference_gradient[i] = gradient(picture.data(), i % columns, i / columns, columns, rows);
  for (int i = 0; i < pixels; ++i)
    reference_response[i] = response(reference_gradient.data(), i % columns, i / columns, columns, rows);
  for (int i = 0; i < pixels; ++i)
    reference[i] = corner(reference_response.data(), i % columns, i / columns, columns, rows);

  workload::DeviceArray<int> device_picture(picture), response_of(pixels), out(pixels);
  workload::DeviceArray<int2> gradient_of(pixels);
  const dim3 grid(workload::blocks_for(columns, 8), workload::blocks_for(rows, 8)), block(8, 8);
  gradients<<<grid, block>>>(device_picture.get(), gradient_of.get(), columns, rows);
  CHECK_LAUNCH();
  responses<<<grid, block>>>(gradient_of.get(), response_of.get(), columns, rows);
  CHECK_LAUNCH();
  corners<<<grid, block>>>(response_of.get(), out.get(), columns, rows);
  CHECK_LAUNCH();
  workload::Report report("corner_detection");
  report.expect_equal("response", response_of.download(), reference_response);
  report.expect_equal("corner", out.download(), reference);
  report.expect_true("corners exist",
                     std::count_if(reference.begin(), reference.end(), [](int r) { return r > 0; }) > 0);
  return report.finish();
}
