// SPDX-License-Identifier: Apache-2.0
// Heat on a chip by tiles with halos: a block of 16x16 threads loads a tile once, does two time steps in shared memory,
// and stores what the halo has not reached, 12x12 cells. So rows of a block, 16 threads, begin anywhere in a line.
//
// usage: hotspot_tiles --size COLUMNS   the grid is a square; options and report as workloads/
// Source: docs/sources/dynamic-warp-resizing.md, 5 (HSPT).
#include <algorithm>

#include "../../workloads/common.h"

constexpr int kTile = 16, kSteps = 2;
constexpr int kInner = kTile - 2 * kSteps;  // cells that a block brings to the end of its steps, each way
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
__global__ void advance(const float* in, const float* power, float* out, int size) {
  __shared__ float now[kTile][kTile];
  __shared__ float next[kTile][kTile];
  __shared__ float heat[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = static_cast<int>(blockIdx.x) * kInner - kSteps + tx,
            y = static_cast<int>(blockIdx.y) * kInner - kSteps + ty;
  const bool inside = x >= 0 && x < size && y >= 0 && y < size;
  const int west = x > 0 ? tx - 1 : tx, east = x < size - 1 ? tx + 1 : tx;
  const int north = y > 0 ? ty - 1 : ty, south = y < size - 1 ? ty + 1 : ty;
  if (inside) {
    now[ty][tx] = in[y * size + x];
    heat[ty][tx] = power[y * size + x];
  }
  __syncthreads();
  for (int step = 0; step < kSteps; ++step) {
    const bool computed = inside && tx > step && tx < kTile - 1 - step && ty > step && ty < kTile - 1 - step;
    if (computed)
      next[ty][tx] =
          next_temperature(now[ty][tx], now[north][tx], now[south][tx], now[ty][west], now[ty][east], heat[ty][tx]);
    __syncthreads();
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (inside && tx >= kSteps && tx < kTile - kSteps && ty >= kSteps && ty < kTile - kSteps)
    out[y * size + x] = now[ty][tx];
}

int main(int argc, char** argv) {
  const int size = static_cast<int>(workload::parse_size(argc, argv, {30, 144, 512, 2, 8192}));
  workload::Random random(17);
  std::vector<float> power(size * size), now(size * size), next(size * size);
  for (float& value : power) value = random.below(8) == 0 ? random.between(5.0f, 20.0f) : 0.5f;
  for (float& value : now) value = random.between(50.0f, 80.0f);
  workload::DeviceArray<float> device_power(power), before(now), after(now.size());
  const unsigned tiles = workload::blocks_for(size, kInner);
  advance<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(before.get(), device_power.get(), after.get(), size);
  CHECK_LAUNCH();
  for (int step = 0; step < kSteps; ++step) {
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        next[y * size + x] = next_temperature(
            now[y * size + x], now[std::max(y - 1, 0) * size + x], now[std::min(y + 1, size - 1) * size + x],
            now[y * size + std::max(x - 1, 0)], now[y * size + std::min(x + 1, size - 1)], power[y * size + x]);
    std::swap(now, next);
  }
  workload::Report report("hotspot_tiles");
  report.expect_equal("temperature", after.download(), now);
  return report.finish();
}
