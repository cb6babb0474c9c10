// SPDX-License-Identifier: Apache-2.0
// A pixel shader of a water surface: a sum of waves and of octaves of noise for height and slope, then sky, sun and
// depth. All is arithmetic but for one look-up of the ground below.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "vector3.h"

using workload::product;
using workload::unit;
using workload::Vector3;

constexpr int kWaves = 5, kOctaves = 3;

__constant__ float4 waves[kWaves];  // direction, frequency, phase

// A wave of period 2 and height 1, of parabolas; and its slope.
__host__ __device__ inline float2 wave(float x) {
  const float turn = fmaf(-2.0f, floorf(product(x, 0.5f)), x);  // 0 to 2
  const float side = turn < 1.0f ? 1.0f : -1.0f;
  const float at = turn < 1.0f ? turn : turn - 1.0f;
  return {product(product(product(4.0f, side), at), 1.0f - at), product(product(4.0f, side), fmaf(-2.0f, at, 1.0f))};
}

__host__ __device__ inline float hashed(int x, int y) {
  unsigned h = static_cast<unsigned>(x) * 0x9e3779b1u ^ static_cast<unsigned>(y) * 0x85ebca77u;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  return product(static_cast<float>(h >> 8), 1.0f / 16777216.0f);
}

__host__ __device__ inline float mixed(float a, float b, float share) { return fmaf(share, b - a, a); }

__host__ __device__ inline float noise(float x, float y) {
  const float fx = floorf(x), fy = floorf(y);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  const float dx = x - fx, dy = y - fy;
  return mixed(mixed(hashed(ix, iy), hashed(ix + 1, iy), dx), mixed(hashed(ix, iy + 1), hashed(ix + 1, iy + 1), dx),
               dy);
}

__host__ __device__ inline float shade(const float4* wave_of, float ground, int x, int y, float time) {
  const float px = product(static_cast<float>(x), 0.0625f), py = product(static_cast<float>(y), 0.0625f);
  float height = 0.0f, slope_x = 0.0f, slope_y = 0.0f;
#pragma unroll
  for (int i = 0; i < kWaves; ++i) {
    const float4 each = wave_of[i];
    const float2 here = wave(fmaf(each.z, fmaf(each.x, px, product(each.y, py)), product(each.w, time)));
    height = fmaf(0.2f, here.x, height);
    slope_x = fmaf(product(0.2f, each.x), here.y, slope_x);
    slope_y = fmaf(product(0.2f, each.y), here.y, slope_y);
  }
  float scale = 1.0f, size = 0.125f;
#pragma unroll
  for (int i = 0; i < kOctaves; ++i) {
    height = fmaf(size, noise(fmaf(px, scale, time), product(py, scale)), height);
    scale = product(scale, 2.0f);
    size = product(size, 0.5f);
  }
  const Vector3 normal = unit({-slope_x, -slope_y, 1.0f});
  const float facing = fmaxf(dot(normal, Vector3{0.36f, 0.48f, 0.8f}), 0.0f);
  const float facing2 = product(facing, facing), facing4 = product(facing2, facing2);
  const float sun = product(product(facing4, facing4), product(facing4, facing4));
  const float depth = fmaxf(height - ground, 0.0f);
  const float clear = 1.0f / fmaf(depth, 2.0f, 1.0f);
  return fmaf(0.7f, sun, mixed(fmaf(0.3f, normal.z, 0.2f), ground, clear));
}

__global__ void water(const float* ground, float* out, float time, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = shade(waves, ground[y * columns + x], x, y, time);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {32, 112, 640, 8, 8192}));
  const int rows = columns * 3 / 4;
  workload::Random random(55);
  std::vector<float> ground(rows * columns), reference(rows * columns);
  for (float& level : ground) level = random.between(-0.5f, 0.5f);
  std::vector<float4> wave_of(kWaves);
  for (float4& each : wave_of)
    each = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(0.5f, 3.0f),
            random.between(0.1f, 2.0f)};
  constexpr float kTime = 1.75f;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      reference[y * columns + x] = shade(wave_of.data(), ground[y * columns + x], x, y, kTime);

  CHECK_CUDA(cudaMemcpyToSymbol(waves, wave_of.data(), wave_of.size() * sizeof(float4)));
  workload::DeviceArray<float> device_ground(ground), out(reference.size());
  water<<<dim3(workload::blocks_for(columns, 16), workload::blocks_for(rows, 8)), dim3(16, 8)>>>(
      device_ground.get(), out.get(), kTime, columns, rows);
  CHECK_LAUNCH();
  workload::Report report("water_shader");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
