// SPDX-License-Identifier: Apache-2.0
// Wave equation in three dimensions by finite differences of the eighth order: a tile of each plane with borders of four
// cells in shared memory, a block that marches through the planes, and its column of nine cells in registers.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32x8
//   shared memory:     2560
//   warp instructions: no
//   size:              columns; the volume has half as many rows and a quarter as many planes
#include "common.h"

constexpr int kWide = 32, kHigh = 8;  // columns and rows of a tile
constexpr int kRadius = 4;
constexpr int kSteps = 1;
constexpr int kLine = 32;  // cells of a cache line, in which rows begin

// Second derivative of the eighth order, times the square of the Courant number (0.1); by distance from the centre.
#define WEIGHTS \
  { -0.28472222f, 0.16f, -0.02f, 0.0025396826f, -0.00017857143f }

// Columns of a row in memory: kLine before the volume, then it and its border, up to a whole line.
__host__ __device__ inline int stride_of(int columns) { return (kLine + columns + kRadius + kLine - 1) / kLine * kLine; }

// The volumes have borders of kRadius cells, which keep their values: cell (x, y, z) lies at x + kLine + stride * (y +
// kRadius) + plane * (z + kRadius). `before` holds the step before `now` and receives the step after it.
__global__ void propagate(const float* now, float* before, int columns, int rows, int planes) {
  constexpr float kWeights[kRadius + 1] = WEIGHTS;
  __shared__ float tile[kHigh + 2 * kRadius][kWide + 2 * kRadius];
  const int x = blockIdx.x * kWide + threadIdx.x, y = blockIdx.y * kHigh + threadIdx.y;
  const int stride = stride_of(columns), plane = stride * (rows + 2 * kRadius);
  const bool inside = x < columns && y < rows;
  const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  // The last border of the volume bounds what a block at its edge loads.
  const int cx = min(x, columns + kRadius - 1) + kLine, cy = min(y, rows + kRadius - 1) + kRadius;
  // Each thread also loads a cell above or below its tile, and those of the first columns one to the left and to the right.
  const int far = threadIdx.y < kRadius ? threadIdx.y : threadIdx.y + kHigh;
  const int far_y = min(static_cast<int>(blockIdx.y) * kHigh + far, rows + 2 * kRadius - 1);
  const int right = min(x + kWide, columns + kRadius - 1) + kLine;

  float behind[kRadius], ahead[kRadius], here;
  int at = cy * stride + cx;
#pragma unroll
  for (int i = kRadius - 1; i >= 0; --i, at += plane) behind[i] = now[at];
  here = now[at];
#pragma unroll
  for (int i = 0; i < kRadius; ++i) ahead[i] = now[at + (i + 1) * plane];

#pragma unroll 1
  for (int z = 0; z < planes; ++z, at += plane) {
    __syncthreads();
    tile[far][tx] = now[at + (far_y - cy) * stride];
    if (threadIdx.x < kRadius) {
      tile[ty][threadIdx.x] = now[at - kRadius];
      tile[ty][threadIdx.x + kWide + kRadius] = now[at + right - cx];
    }
    tile[ty][tx] = here;
    __syncthreads();
    if (inside) {
      float change = 3.0f * kWeights[0] * here;
#pragma unroll
      for (int i = 1; i <= kRadius; ++i) {
        const float along_z = behind[i - 1] + ahead[i - 1];
        const float along_y = tile[ty - i][tx] + tile[ty + i][tx];
        const float along_x = tile[ty][tx - i] + tile[ty][tx + i];
        change = fmaf(kWeights[i], along_z + along_y + along_x, change);
      }
      before[at] = fmaf(2.0f, here, change) - before[at];
    }
#pragma unroll
    for (int i = kRadius - 1; i > 0; --i) behind[i] = behind[i - 1];
    behind[0] = here;
    here = ahead[0];
#pragma unroll
    for (int i = 0; i < kRadius - 1; ++i) ahead[i] = ahead[i + 1];
    if (z + 1 < planes) ahead[kRadius - 1] = now[at + (kRadius + 1) * plane];
  }
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {30, 92, 256, 1, 512}));
  const int rows = (columns + 1) / 2, planes = (columns + 3) / 4;
  const int stride = stride_of(columns), plane = stride * (rows + 2 * kRadius);
  const float kWeights[kRadius + 1] = WEIGHTS;
  workload::Random random(81);
  std::vector<float> now(static_cast<std::size_t>(plane) * (planes + 2 * kRadius)), before(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    now[i] = random.between(-1.0f, 1.0f);
    before[i] = now[i] + random.between(-0.1f, 0.1f);
  }
  workload::DeviceArray<float> volume_a(now), volume_b(before);
  float *current = volume_a.get(), *other = volume_b.get();
  const dim3 grid(workload::blocks_for(columns, kWide), workload::blocks_for(rows, kHigh));
  for (int step = 0; step < kSteps; ++step) {
    propagate<<<grid, dim3(kWide, kHigh)>>>(current, other, columns, rows, planes);
    CHECK_LAUNCH();
    std::swap(current, other);
    for (int z = kRadius; z < planes + kRadius; ++z)
      for (int y = kRadius; y < rows + kRadius; ++y)
        for (int x = kLine; x < columns + kLine; ++x) {
          const int at = z * plane + y * stride + x;
          float change = 3.0f * kWeights[0] * now[at];
          for (int i = 1; i <= kRadius; ++i)
            change = std::fma(kWeights[i],
                              now[at - i * plane] + now[at + i * plane] + (now[at - i * stride] + now[at + i * stride]) +
                                  (now[at - i] + now[at + i]),
                              change);
          before[at] = std::fma(2.0f, now[at], change) - before[at];
        }
    std::swap(now, before);
  }
  workload::Report report("finite_difference_3d");
  report.expect_equal("cell", kSteps % 2 == 0 ? volume_a.download() : volume_b.download(), now);
  return report.finish();
}
