// SPDX-License-Identifier: Apache-2.0
// Heat on a chip by persistent threads: each goes down a strip of a column of the temperature grid, with the cells
// above and below in registers and those to the sides from the data cache; one launch a time step.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              rows and columns of the grid
//
// Options: --threads 256|512|1024, threads of a block, 1024 in all; --steps N, time steps (1 to 1000, 12 by default).
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (hotspot).
#include <algorithm>

#include "persistent.h"

constexpr float kAmbient = 45.0f;
constexpr float kStep = 0.05f, kAlong = 0.6f, kAcross = 0.8f, kLoss = 0.02f;  // of the explicit scheme

__host__ __device__ inline float next_temperature(float here, float north, float south, float west, float east,
                                                  float power) {
  float change = fmaf(kLoss, kAmbient - here, power);
  change = fmaf(kAcross, fmaf(-2.0f, here, north + south), change);
  change = fmaf(kAlong, fmaf(-2.0f, here, west + east), change);
  return fmaf(kStep, change, here);
}

// Outside the grid the temperature is that of the nearest cell inside. A column has `strips` strips of `rows` rows, the
// last ones with fewer or none.
__global__ void heat_step(const float* in, const float* power, float* out, unsigned side, unsigned strips,
                          unsigned rows) {
  for (unsigned item = workload::first_item(); item < side * strips; item += workload::kPersistentThreads) {
    const unsigned strip = item / side, x = item - strip * side, first = strip * rows;
    const unsigned end = min(first + rows, side) * side, bottom = (side - 1) * side + x;
    const unsigned west = x > 0 ? 1 : 0, east = x < side - 1 ? 1 : 0;
    unsigned cell = first * side + x;
    if (cell >= end) continue;
    float north = in[first > 0 ? cell - side : x], here = in[cell];
    for (; cell < end; cell += side) {
      const float south = in[min(cell + side, bottom)];
      out[cell] = next_temperature(here, north, south, in[cell - west], in[cell + east], power[cell]);
      north = here;
      here = south;
    }
  }
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const int steps = std::min(1000, std::max(1, std::atoi(workload::take_option(argc, argv, "--steps", "12").c_str())));
  const int side = static_cast<int>(workload::parse_size(argc, argv, {28, 160, 512, 2, 8192}));
  // Enough strips for all threads.
  const int strips = std::min(side, std::max(1, static_cast<int>(workload::kPersistentThreads) / side));
  const int rows = (side + strips - 1) / strips;
  workload::Random random(64);
  std::vector<float> power(side * side), now(power.size()), next(power.size());
  for (float& value : power) value = random.below(8) == 0 ? random.between(5.0f, 20.0f) : 0.5f;
  for (float& value : now) value = random.between(50.0f, 80.0f);
  workload::DeviceArray<float> device_power(power), grid_a(now), grid_b(now.size());
  float *from = grid_a.get(), *to = grid_b.get();
  for (int step = 0; step < steps; ++step) {
    heat_step<<<workload::persistent_blocks(threads, side * strips), threads>>>(from, device_power.get(), to, side,
                                                                                strips, rows);
    CHECK_LAUNCH();
    std::swap(from, to);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        next[y * side + x] = next_temperature(
            now[y * side + x], now[std::max(y - 1, 0) * side + x], now[std::min(y + 1, side - 1) * side + x],
            now[y * side + std::max(x - 1, 0)], now[y * side + std::min(x + 1, side - 1)], power[y * side + x]);
    std::swap(now, next);
  }
  workload::Report report("heat_stencil");
  report.expect_equal("temperature", steps % 2 == 0 ? grid_a.download() : grid_b.download(), now);
  return report.finish();
}
