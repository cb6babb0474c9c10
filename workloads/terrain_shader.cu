// SPDX-License-Identifier: Apache-2.0
// A pixel shader of a landscape: slopes from the heights around, four materials from repeating pictures, blended by
// maps of their shares. Neighbouring threads read neighbouring words, one in four instructions is a load.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32x4
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "vector3.h"

using workload::product;
using workload::unit;
using workload::Vector3;

constexpr int kMaterials = 4, kChannels = 3;
constexpr int kTexture = 64;  // columns and rows of a material's picture

// Pictures lie plane by plane.
struct Landscape {
  const float* height;
  const float* share;     // a plane a material
  const float* material;  // kChannels planes a material
  int columns, rows;
};

__host__ __device__ inline float height_at(const Landscape& land, int x, int y) {
  x = x < 0 ? 0 : x >= land.columns ? land.columns - 1 : x;
  y = y < 0 ? 0 : y >= land.rows ? land.rows - 1 : y;
  return land.height[y * land.columns + x];
}

__host__ __device__ inline Vector3 shade(const Landscape& land, int x, int y) {
  const int pixel = y * land.columns + x, plane = land.columns * land.rows;
  const float right = height_at(land, x + 1, y), left = height_at(land, x - 1, y);
  const float below = height_at(land, x, y + 1), above = height_at(land, x, y - 1);
  const float light = fmaxf(dot(unit({left - right, above - below, 2.0f}), Vector3{0.36f, 0.48f, 0.8f}), 0.1f);
  Vector3 colour = {0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int i = 0; i < kMaterials; ++i) {
    // Each material is shifted against the others, and by the height.
    const int tx = (x + 7 * i) % kTexture, ty = (y + 3 * i) % kTexture;
    const float* texel = land.material + i * kChannels * kTexture * kTexture + ty * kTexture + tx;
    const float share = product(land.share[i * plane + pixel], light);
    colour.x = fmaf(share, texel[0], colour.x);
    colour.y = fmaf(share, texel[kTexture * kTexture], colour.y);
    colour.z = fmaf(share, texel[2 * kTexture * kTexture], colour.z);
  }
  return colour;
}

__global__ void terrain(Landscape land, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= land.columns || y >= land.rows) return;
  const Vector3 colour = shade(land, x, y);
  const int pixel = y * land.columns + x, plane = land.columns * land.rows;
  out[pixel] = colour.x;
  out[plane + pixel] = colour.y;
  out[2 * plane + pixel] = colour.z;
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {48, 160, 1024, 8, 8192}));
  const int rows = columns * 3 / 4, plane = rows * columns;
  workload::Random random(59);
  std::vector<float> height(plane), share(kMaterials * plane), material(kMaterials * kChannels * kTexture * kTexture);
  for (float& each : height) each = random.between(0.0f, 2.0f);
  for (float& each : share) each = random.between(0.0f, 0.5f);
  for (float& each : material) each = random.between(0.0f, 1.0f);
  const Landscape land = {height.data(), share.data(), material.data(), columns, rows};
  std::vector<float> reference(3 * plane);
  for (int pixel = 0; pixel < plane; ++pixel) {
    const Vector3 colour = shade(land, pixel % columns, pixel / columns);
    reference[pixel] = colour.x;
    reference[plane + pixel] = colour.y;
    reference[2 * plane + pixel] = colour.z;
  }
  workload::DeviceArray<float> device_height(height), device_share(share), device_material(material);
  workload::DeviceArray<float> out(reference.size());
  terrain<<<dim3(workload::blocks_for(columns, 32), workload::blocks_for(rows, 4)), dim3(32, 4)>>>(
      {device_height.get(), device_share.get(), device_material.get(), columns, rows}, out.get());
  CHECK_LAUNCH();
  workload::Report report("terrain_shader");
  report.expect_equal("channel of a pixel", out.download(), reference);
  return report.finish();
}
