// SPDX-License-Identifier: Apache-2.0
// Heat on a chip: a five-point stencil over a temperature grid with a power map, tiles with borders in shared memory,
// one launch a time step. Threads at a tile's edge load more than the others.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x16
//   shared memory:     1296
//   warp instructions: no
//   size:              columns; the grid has five eighths as many rows
#include <algorithm>

#include "common.h"

constexpr int kTile = 16;
constexpr int kSteps = 2;
constexpr float kAmbient = 45.0f;
constexpr float kStep = 0.05f, kAlong = 0.6f, kAcross = 0.8f, kLoss = 0.02f;  // of the explicit scheme

__host__ __device__ inline float next_temperature(float here, float north, float south, float west, float east,
                                                  float power) {
  float change = fmaf(kLoss, kAmbient - here, power);
  change = fmaf(kAcross, fmaf(-2.0f, here, north + south), change);
  change = fmaf(kAlong, fmaf(-2.0f, here, west + east), change);
  return fmaf(kStep, change, here);
}

// Outside the grid the temperature is that of the nearest cell inside.
__global__ void hotspot(const float* in, const float* power, float* out, int rows, int columns) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int cx = min(x, columns - 1), cy = min(y, rows - 1);
  tile[ty][tx] = in[cy * columns + cx];
  if (ty == 1) tile[0][tx] = in[max(y - 1, 0) * columns + cx];
  if (ty == kTile) tile[kTile + 1][tx] = in[min(y + 1, rows - 1) * columns + cx];
  if (tx == 1) tile[ty][0] = in[cy * columns + max(x - 1, 0)];
  if (tx == kTile) tile[ty][kTile + 1] = in[cy * columns + min(x + 1, columns - 1)];
  __syncthreads();
  if (x < columns && y < rows)
    out[y * columns + x] = next_temperature(tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx - 1],
                                            tile[ty][tx + 1], power[y * columns + x]);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {30, 200, 1024, 2, 8192}));
  const int rows = columns * 5 / 8;
  workload::Random random(17);
  std::vector<float> power(rows * columns), now(rows * columns), next(rows * columns);
  for (float& value : power) value = random.below(8) == 0 ? random.between(5.0f, 20.0f) : 0.5f;
  for (float& value : now) value = random.between(50.0f, 80.0f);
  workload::DeviceArray<float> device_power(power), grid_a(now), grid_b(now.size());
  float *from = grid_a.get(), *to = grid_b.get();
  const dim3 grid(workload::blocks_for(columns, kTile), workload::blocks_for(rows, kTile));
  for (int step = 0; step < kSteps; ++step) {
    hotspot<<<grid, dim3(kTile, kTile)>>>(from, device_power.get(), to, rows, columns);
    CHECK_LAUNCH();
    std::swap(from, to);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x)
        next[y * columns + x] =
            next_temperature(now[y * columns + x], now[std::max(y - 1, 0) * columns + x],
                             now[std::min(y + 1, rows - 1) * columns + x], now[y * columns + std::max(x - 1, 0)],
                             now[y * columns + std::min(x + 1, columns - 1)], power[y * columns + x]);
    std::swap(now, next);
  }
  workload::Report report("hotspot");
  report.expect_equal("temperature", kSteps % 2 == 0 ? grid_a.download() : grid_b.download(), now);
  return report.finish();
}
