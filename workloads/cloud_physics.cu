// SPDX-License-Identifier: Apache-2.0
// The physics of clouds and rain in a weather model, one thread a column of air: vapour condenses, droplets become
// rain, and rain falls from level to level and evaporates; each process goes through all levels of the column again.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              columns of air
//
// Option: --levels N, of a column (24).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (WP).
#include "vector3.h"

using workload::product;

constexpr int kBlock = 128;

// Of each level of each column: values of a level lie together.
struct Air {
  float *heat, *vapour, *cloud, *rain;  // degrees, grams per kilogram
  const float* density;
  int columns, levels;
};

// Saturation in grams per kilogram: a quotient of polynomials in place of an exponential function.
__host__ __device__ inline float saturation_of(float heat, float density) {
  const float t = product(0.01f, heat);
  const float over = fmaf(t, fmaf(t, fmaf(t, 9.5f, 17.0f), 13.0f), 4.4f), under = fmaf(t, fmaf(t, 0.6f, -1.1f), 1.2f);
  return over / product(under, density);
}

// Vapour beyond saturation condenses, cloud in dry air evaporates; both change the heat, and so saturation: three steps
// of an iteration.
__host__ __device__ inline void condense(const Air& air, int column) {
#pragma unroll 1
  for (int level = 0; level < air.levels; ++level) {
    const int i = level * air.columns + column;
    const float density = air.density[i];
    float heat = air.heat[i], vapour = air.vapour[i], cloud = air.cloud[i];
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
      const float excess = vapour - saturation_of(heat, density);
      float condensed = product(0.6f, excess);
      if (condensed < -cloud) condensed = -cloud;
      heat = fmaf(2.5f, condensed, heat);
      vapour -= condensed;
      cloud += condensed;
    }
    air.heat[i] = heat;
    air.vapour[i] = vapour;
    air.cloud[i] = cloud;
  }
}

// Thick cloud turns into rain by itself, and rain collects droplets.
__host__ __device__ inline void make_rain(const Air& air, int column) {
#pragma unroll 1
  for (int level = 0; level < air.levels; ++level) {
    const int i = level * air.columns + column;
    const float cloud = air.cloud[i], rain = air.rain[i];
    const float thick = cloud > 0.5f ? product(0.2f, cloud - 0.5f) : 0.0f;
    const float collected = product(product(0.3f, cloud), sqrtf(sqrtf(product(rain, sqrtf(rain)))));
    float turned = thick + collected;
    if (turned > cloud) turned = cloud;
    if (turned > 0.0f) {
      air.cloud[i] = cloud - turned;
      air.rain[i] = rain + turned;
    }
  }
}

// Levels per minute that rain falls through.
__host__ __device__ inline float speed_of(float rain, float density) {
  return product(product(0.8f, sqrtf(sqrtf(rain))), sqrtf(1.2f / density));
}

// Steps in which no rain falls through more than a level.
__host__ __device__ inline int steps_of(const Air& air, int column) {
  float fastest = 0.0f;
#pragma unroll 1
  for (int level = 0; level < air.levels; ++level) {
    const int i = level * air.columns + column;
    const float speed = speed_of(air.rain[i], air.density[i]);
    if (speed > fastest) fastest = speed;
  }
  return static_cast<int>(fastest) + 1;
}

// Rain falls level by level from the top and evaporates in dry air. What reaches the ground in one of `steps` steps.
__host__ __device__ inline float fall(const Air& air, int column, int steps) {
  float from_above = 0.0f;
#pragma unroll 1
  for (int level = air.levels - 1; level >= 0; --level) {
    const int i = level * air.columns + column;
    const float density = air.density[i], before = air.rain[i];
    const float rain = before + from_above / density;
    from_above = 0.0f;
    if (rain <= 0.0f) continue;
    const float fallen = product(rain, speed_of(rain, density) / static_cast<float>(steps));
    const float left = fallen > rain ? 0.0f : rain - fallen;
    float evaporated = product(0.05f, product(saturation_of(air.heat[i], density) - air.vapour[i], sqrtf(rain)));
    if (evaporated > left) evaporated = left;
    if (evaporated > 0.0f) {
      air.heat[i] = fmaf(-2.5f, evaporated, air.heat[i]);
      air.vapour[i] += evaporated;
    } else {
      evaporated = 0.0f;
    }
    air.rain[i] = left - evaporated;
    from_above = product(rain - left, density);
  }
  return from_above;
}

__host__ __device__ inline float run(const Air& air, int column) {
  condense(air, column);
  make_rain(air, column);
  float on_ground = 0.0f;
  const int steps = steps_of(air, column);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) on_ground += fall(air, column, steps);
  return on_ground;
}

__global__ void clouds(Air air, float* on_ground) {
  const int column = blockIdx.x * kBlock + threadIdx.x;
  if (column < air.columns) on_ground[column] = run(air, column);
}

int main(int argc, char** argv) {
  const int levels = static_cast<int>(workload::take_number(argc, argv, "--levels", 24, 1, 256));
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {130, 4096, 32768, 1, 1 << 20}));
  workload::Random random(141);
  const std::size_t count = static_cast<std::size_t>(columns) * levels;
  std::vector<float> heat(count), vapour(count), cloud(count), rain(count), density(count), reference(columns);
  for (int level = 0; level < levels; ++level) {
    const float height = static_cast<float>(level) / static_cast<float>(levels);
    for (int column = 0; column < columns; ++column) {
      const std::size_t i = static_cast<std::size_t>(level) * columns + column;
      heat[i] = random.between(24.0f, 28.0f) - product(60.0f, height);
      density[i] = random.between(1.18f, 1.22f) / (1.0f + 2.0f * height);
      // Wet and dry regions, with some rain in the wet ones.
      const bool wet = column / 48 % 2 == 0;
      vapour[i] = product(saturation_of(heat[i], density[i]), random.between(wet ? 0.8f : 0.3f, wet ? 1.3f : 0.8f));
      rain[i] = wet && random.below(4) == 0 ? random.between(0.0f, 0.5f) : 0.0f;
    }
  }
  workload::DeviceArray<float> device_heat(heat), device_vapour(vapour), device_cloud(cloud), device_rain(rain);
  workload::DeviceArray<float> device_density(density), on_ground(columns);
  clouds<<<workload::blocks_for(columns, kBlock), kBlock>>>({device_heat.get(), device_vapour.get(), device_cloud.get(),
                                                             device_rain.get(), device_density.get(), columns, levels},
                                                            on_ground.get());
  CHECK_LAUNCH();
  for (int column = 0; column < columns; ++column)
    reference[column] =
        run({heat.data(), vapour.data(), cloud.data(), rain.data(), density.data(), columns, levels}, column);
  workload::Report report("cloud_physics");
  report.expect_equal("rain on the ground", on_ground.download(), reference);
  report.expect_equal("heat", device_heat.download(), heat);
  report.expect_equal("vapour", device_vapour.download(), vapour);
  report.expect_equal("rain", device_rain.download(), rain);
  return report.finish();
}
