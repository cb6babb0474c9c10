// SPDX-License-Identifier: Apache-2.0
// Deferred lighting, one thread a pixel: the lights of the pixel's tile in turn, most of which do not reach it; lamps,
// spots and areas are shaded differently, and a march towards the light looks for shadow until it finds an obstacle.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "vector3.h"

using workload::product;
using workload::unit;
using workload::Vector3;

constexpr int kTile = 16;   // columns and rows of pixels that share a list of lights
constexpr int kSteps = 10;  // of a march, at most
constexpr float kSky = 64.0f;

struct Light {
  Vector3 place, direction;
  float reach, power;
  int kind;  // 0 lamp, 1 spot, 2 area
  int padding[3];
};

// Lengths are in pixels. What the geometry pass left of each pixel: height above the ground plane, normal.
struct Picture {
  const float* height;
  const float* slope;  // two numbers a pixel
  const Light* lights;
  const int* tile_start;
  const int* tile_light;
  int columns, rows;
};

// Whether something stands between the pixel and the light.
__host__ __device__ inline bool in_shadow(const Picture& picture, const Vector3& from, const Vector3& step) {
  Vector3 at = from;
  for (int i = 0; i < kSteps; ++i) {
    at = at + step;
    const int x = static_cast<int>(at.x), y = static_cast<int>(at.y);
    if (x < 0 || y < 0 || x >= picture.columns || y >= picture.rows) return false;
    const float height = picture.height[y * picture.columns + x];
    if (height >= at.z && height < kSky) return true;
  }
  return false;
}

__host__ __device__ inline float lit(const Picture& picture, int x, int y) {
  const int pixel = y * picture.columns + x;
  const float height = picture.height[pixel];
  if (height >= kSky) return 1.0f;
  const Vector3 here = {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f, height};
  const Vector3 normal = unit({picture.slope[2 * pixel], picture.slope[2 * pixel + 1], 1.0f});
  const int tile = y / kTile * ((picture.columns + kTile - 1) / kTile) + x / kTile;
  float sum = 0.02f;
  for (int i = picture.tile_start[tile]; i < picture.tile_start[tile + 1]; ++i) {
    const Light& light = picture.lights[picture.tile_light[i]];
    const Vector3 way = light.place - here;
    const float distance2 = dot(way, way);
    if (distance2 >= product(light.reach, light.reach)) continue;
    const float facing = dot(way, normal);
    if (facing <= 0.0f) continue;
    const float distance = sqrtf(distance2);
    float share = 0.0f;
    if (light.kind == 0) {
      share = 1.0f - distance / light.reach;
      share = product(share, share);
    } else if (light.kind == 1) {
      const float cosine = -dot(way, light.direction) / distance;
      if (cosine < 0.3f) continue;
      share = product(cosine - 0.3f, 1.0f - distance / light.reach);
    } else {
      // Four points of the lamp's surface.
      for (int corner = 0; corner < 4; ++corner) {
        const Vector3 to = {way.x + (corner % 2 == 0 ? -1.0f : 1.0f), way.y + (corner / 2 == 0 ? -1.0f : 1.0f), way.z};
        share += 1.0f / (1.0f + dot(to, to));
      }
    }
    if (in_shadow(picture, here, scaled(way, 1.0f / static_cast<float>(kSteps + 1)))) continue;
    sum = fmaf(product(light.power, share), facing / distance, sum);
    if (sum >= 1.0f) return 1.0f;  // nothing can make it brighter
  }
  return sum;
}

__global__ void light(Picture picture, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= picture.columns || y >= picture.rows) return;
  out[y * picture.columns + x] = lit(picture, x, y);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 72, 400, 8, 4096}));
  const int rows = columns * 3 / 4;
  workload::Random random(43);
  // Boxes on a ground that rises in waves; sky where the picture has a hole.
  std::vector<float> height(rows * columns), slope(2 * rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      height[y * columns + x] = static_cast<float>((x * 3 + y * 5) % 16) * 0.125f;
      slope[2 * (y * columns + x)] = random.between(-0.3f, 0.3f);
      slope[2 * (y * columns + x) + 1] = random.between(-0.3f, 0.3f);
    }
  for (int box = 0; box < rows * columns / 60; ++box) {
    const int left = static_cast<int>(random.below(columns)), top = static_cast<int>(random.below(rows));
    const int width = 1 + static_cast<int>(random.below(5)), depth = 1 + static_cast<int>(random.below(5));
    const float level = box % 10 == 0 ? kSky : random.between(2.0f, 6.0f);
    for (int y = top; y < std::min(top + depth, rows); ++y)
      for (int x = left; x < std::min(left + width, columns); ++x) height[y * columns + x] = level;
  }
  std::vector<Light> lights(rows * columns / 40);
  for (Light& each : lights) {
    each.place = {random.between(0.0f, static_cast<float>(columns)), random.between(0.0f, static_cast<float>(rows)),
                  random.between(4.0f, 10.0f)};
    each.direction = unit({random.between(-0.5f, 0.5f), random.between(-0.5f, 0.5f), -1.0f});
    each.reach = random.between(6.0f, 14.0f);
    each.power = random.between(0.1f, 0.6f);
    each.kind = static_cast<int>(random.below(3));
    each.padding[0] = each.padding[1] = each.padding[2] = 0;
  }
  const int tile_columns = (columns + kTile - 1) / kTile, tile_rows = (rows + kTile - 1) / kTile;
  std::vector<int> tile_start{0}, tile_light;
  for (int tile = 0; tile < tile_columns * tile_rows; ++tile) {
    const float left = static_cast<float>(tile % tile_columns * kTile),
                top = static_cast<float>(tile / tile_columns * kTile);
    for (std::size_t i = 0; i < lights.size(); ++i) {
      const float dx = std::max({left - lights[i].place.x, lights[i].place.x - left - kTile, 0.0f});
      const float dy = std::max({top - lights[i].place.y, lights[i].place.y - top - kTile, 0.0f});
      if (dx * dx + dy * dy < lights[i].reach * lights[i].reach) tile_light.push_back(static_cast<int>(i));
    }
    tile_start.push_back(static_cast<int>(tile_light.size()));
  }
  if (tile_light.empty()) tile_light.push_back(0);

  const Picture picture = {height.data(),     slope.data(), lights.data(), tile_start.data(),
                           tile_light.data(), columns,      rows};
  std::vector<float> reference(rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) reference[y * columns + x] = lit(picture, x, y);

  workload::DeviceArray<float> device_height(height), device_slope(slope), out(reference.size());
  workload::DeviceArray<Light> device_lights(lights);
  workload::DeviceArray<int> device_start(tile_start), device_light(tile_light);
  const Picture on_device = {device_height.get(),
                             device_slope.get(),
                             device_lights.get(),
                             device_start.get(),
                             device_light.get(),
                             columns,
                             rows};
  const dim3 block(16, 8);
  light<<<dim3(workload::blocks_for(columns, 16), workload::blocks_for(rows, 8)), block>>>(on_device, out.get());
  CHECK_LAUNCH();
  workload::Report report("deferred_lighting");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
