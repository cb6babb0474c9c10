// SPDX-License-Identifier: Apache-2.0
// Tiled deferred lighting, one thread a pixel: the sun through a shadow map and the sky past what stands around, the
// same for all pixels; then the lights of the tile, copied to shared memory, each of which reaches some of its pixels.
// Lamps, spots and areas are shaded differently, and a march towards a spot ends at the first obstacle.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x8
//   shared memory:     12288 (192 lights)
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "noise.h"

using workload::noise_at;
using workload::product;
using workload::scaled;
using workload::unit;
using workload::Vector3;

constexpr int kTileColumns = 16, kTileRows = 8;  // pixels that share a list of lights: those of a block
constexpr int kBatch = 192;                      // lights in shared memory at a time
constexpr int kLamp = 0, kSpot = 1, kArea = 2, kKinds = 3;
constexpr int kSteps = 8;    // of a march, at most
constexpr int kOctaves = 3;  // of bumps
constexpr float kSky = 64.0f;

struct alignas(16) Light {
  Vector3 place;
  float reach;
  Vector3 direction;
  float power;
  Vector3 colour;
  int padding;
  Vector3 size;  // of an area
  float edge;    // of a spot: cosine of its half angle
};

constexpr int kWords = sizeof(Light) / sizeof(float);

struct Sky {
  Vector3 share[9];
};

// Lengths are in pixels. What the geometry pass left of each pixel: height above the ground plane, normal, material.
struct Picture {
  const float* height;
  const float* slope_x;
  const float* slope_y;
  const unsigned* material;  // red, green, blue and roughness, a byte each
  const float* sun_height;   // the shadow map: height below which a place is in shadow
  int columns, rows;
  Sky sky;
};

struct Tiles {
  const Light* lights;
  const int* start;  // of a tile's lights of each kind; one more than there are such lists
  const int* light;
};

struct Surface {
  Vector3 place, normal, colour;
  float roughness;
};

__host__ __device__ __forceinline__ float byte_of(unsigned word, int byte) {
  return product(static_cast<float>(word >> (8 * byte) & 255u), 1.0f / 255.0f);
}

// Light that a surface sends up to the camera: diffuse and a highlight (microfacets by Trowbridge and Reitz).
__host__ __device__ __forceinline__ float reflected(const Surface& surface, const Vector3& to_light, float facing) {
  const Vector3 half = unit(to_light + Vector3{0.0f, 0.0f, 1.0f});
  const float cosine = fmaxf(dot(surface.normal, half), 0.0f);
  const float alpha = product(surface.roughness, surface.roughness), alpha2 = product(alpha, alpha);
  const float spread = fmaf(product(cosine, cosine), alpha2 - 1.0f, 1.0f);
  const float facets = alpha2 / fmaf(product(3.1416f, spread), spread, 1.0e-4f);
  const float k = product(0.5f, alpha), up = surface.normal.z;
  const float hidden = product(fmaf(facing, 1.0f - k, k), fmaf(up, 1.0f - k, k));
  const float away = 1.0f - fmaxf(half.z, 0.0f), away2 = product(away, away);
  const float fresnel = fmaf(0.96f, product(product(away2, away2), away), 0.04f);
  return fmaf(product(facets, fresnel), 0.25f / hidden, 0.318f);
}

// Small bumps of the ground, smooth between the corners of a grid that becomes finer.
__host__ __device__ __forceinline__ Vector3 with_bumps(const Vector3& normal, const Vector3& place) {
  Vector3 sum = normal;
  float size = 0.2f, share = 0.12f;
  for (int octave = 0; octave < kOctaves; ++octave) {
    const float u = product(place.x, size), v = product(place.y, size);
    const int column = static_cast<int>(u), row = static_cast<int>(v);
    const float fx = u - static_cast<float>(column), fy = v - static_cast<float>(row);
    const float sx = product(product(fx, fx), fmaf(-2.0f, fx, 3.0f)),
                sy = product(product(fy, fy), fmaf(-2.0f, fy, 3.0f));
    const float a = noise_at(column, row, 0), b = noise_at(column + 1, row, 0);
    const float c = noise_at(column, row + 1, 0), d = noise_at(column + 1, row + 1, 0);
    sum.x = fmaf(share, fmaf(sy, (d - c) - (b - a), b - a), sum.x);
    sum.y = fmaf(share, fmaf(sx, (d - b) - (c - a), c - a), sum.y);
    size = product(size, 2.0f);
    share = product(share, 0.6f);
  }
  return unit(sum);
}

__host__ __device__ __forceinline__ Surface surface_at(const Picture& picture, int x, int y) {
  const int pixel = y * picture.columns + x;
  const unsigned material = picture.material[pixel];
  return {{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f, picture.height[pixel]},
          with_bumps({picture.slope_x[pixel], picture.slope_y[pixel], 1.0f},
                     {static_cast<float>(x), static_cast<float>(y), 0.0f}),
          {byte_of(material, 0), byte_of(material, 1), byte_of(material, 2)},
          fmaf(0.8f, byte_of(material, 3), 0.2f)};
}

// The part of the sun that passes the shadow map, whose four texels around the pixel are looked at.
__host__ __device__ __forceinline__ float sunlight(const Picture& picture, const Surface& surface, int x, int y) {
  float lit = 0.0f;
  for (int texel = 0; texel < 4; ++texel) {
    const int tx = x + texel % 2, ty = y + texel / 2;
    const int inside_x = tx < picture.columns ? tx : picture.columns - 1;
    const int inside_y = ty < picture.rows ? ty : picture.rows - 1;
    const float over = surface.place.z + 0.25f - picture.sun_height[inside_y * picture.columns + inside_x];
    const float share = fminf(fmaxf(over, 0.0f), 1.0f);  // a soft edge
    lit = fmaf(product(share, share), fmaf(-2.0f, share, 3.0f), lit);
  }
  const Vector3 to_sun = {0.48f, 0.36f, 0.8f};
  const float facing = fmaxf(dot(surface.normal, to_sun), 0.0f);
  return product(product(product(lit, 0.25f), facing), reflected(surface, to_sun, facing));
}

// Light of the sky and the surroundings from where the surface looks: nine spherical harmonics.
__host__ __device__ __forceinline__ Vector3 skylight(const Sky& sky, const Vector3& n) {
  Vector3 sum = sky.share[0];
  sum = along(sky.share[1], n.y, sum);
  sum = along(sky.share[2], n.z, sum);
  sum = along(sky.share[3], n.x, sum);
  sum = along(sky.share[4], product(n.x, n.y), sum);
  sum = along(sky.share[5], product(n.y, n.z), sum);
  sum = along(sky.share[6], fmaf(product(3.0f, n.z), n.z, -1.0f), sum);
  sum = along(sky.share[7], product(n.x, n.z), sum);
  return along(sky.share[8], fmaf(n.x, n.x, -product(n.y, n.y)), sum);
}

// Whether something stands between a place and a light.
__host__ __device__ __forceinline__ bool in_shadow(const Picture& picture, const Vector3& from, const Vector3& step) {
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

// Adds a light of this kind where it reaches.
template <int kKind>
__host__ __device__ __forceinline__ void add(const Picture& picture, const Surface& surface, const Light& light,
                                             Vector3& sum) {
  const Vector3 way = light.place - surface.place;
  const float distance2 = dot(way, way);
  if (distance2 >= product(light.reach, light.reach)) return;
  const float distance = sqrtf(distance2);
  const Vector3 to_light = scaled(way, 1.0f / distance);
  const float facing = dot(to_light, surface.normal);
  if (facing <= 0.0f) return;
  float share = 1.0f - distance / light.reach;
  share = product(share, share);
  if (kKind == kSpot) {
    const float cosine = -dot(to_light, light.direction);
    if (cosine < light.edge) return;
    if (in_shadow(picture, surface.place, scaled(way, 1.0f / static_cast<float>(kSteps + 1)))) return;
    share = product(share, fminf(product(cosine - light.edge, 8.0f), 1.0f));
  } else if (kKind == kArea) {
    // Four points of the lamp's surface.
    float seen = 0.0f;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3 to = {way.x + (corner % 2 == 0 ? -light.size.x : light.size.x),
                          way.y + (corner / 2 == 0 ? -light.size.y : light.size.y), way.z};
      seen += fmaxf(dot(to, surface.normal), 0.0f) / (1.0f + dot(to, to));
    }
    share = product(share, seen);
  }
  const float strength = product(product(light.power, share), product(facing, reflected(surface, to_light, facing)));
  sum = along(light.colour, strength, sum);
}

__host__ __device__ __forceinline__ Vector3 before_lights(const Picture& picture, const Surface& surface, int x,
                                                          int y) {
  return along({0.5f, 0.45f, 0.35f}, sunlight(picture, surface, x, y), skylight(picture.sky, surface.normal));
}

// What the screen shows of a brightness without bounds (a curve by Hable).
__host__ __device__ __forceinline__ float shown(float light) {
  const float over = fmaf(light, fmaf(0.15f, light, 0.05f), 0.004f);
  const float under = fmaf(light, fmaf(0.15f, light, 0.5f), 0.06f);
  return over / under - 0.0667f;
}

__host__ __device__ __forceinline__ Vector3 after_lights(const Surface& surface, const Vector3& sum) {
  return {shown(product(sum.x, surface.colour.x)), shown(product(sum.y, surface.colour.y)),
          shown(product(sum.z, surface.colour.z))};
}

// All threads of a block together: the tile's lights of a kind.
template <int kKind>
__device__ __forceinline__ void lit_by(const Picture& picture, const Tiles& tiles, const Surface& surface, bool open,
                                       int tile, Light* lights, Vector3& sum) {
  const int thread = threadIdx.y * kTileColumns + threadIdx.x;
  const int end = tiles.start[tile * kKinds + kKind + 1];
  for (int first = tiles.start[tile * kKinds + kKind]; first < end; first += kBatch) {
    const int count = end - first < kBatch ? end - first : kBatch;
    // Neighbours copy neighbouring words.
    for (int i = thread; i < count * kWords; i += kTileColumns * kTileRows)
      reinterpret_cast<float*>(lights)[i] =
          reinterpret_cast<const float*>(tiles.lights + tiles.light[first + i / kWords])[i % kWords];
    __syncthreads();
    if (open)
      for (int i = 0; i < count; ++i) add<kKind>(picture, surface, lights[i], sum);
    __syncthreads();
  }
}

__global__ void light(Picture picture, Tiles tiles, Vector3* out) {
  __shared__ Light lights[kBatch];
  const int x = blockIdx.x * kTileColumns + threadIdx.x, y = blockIdx.y * kTileRows + threadIdx.y;
  const int tile = blockIdx.y * gridDim.x + blockIdx.x;
  const bool inside = x < picture.columns && y < picture.rows;
  const bool open = inside && picture.height[y * picture.columns + x] < kSky;
  Surface surface = {};
  Vector3 sum = {0.0f, 0.0f, 0.0f};
  if (open) {
    surface = surface_at(picture, x, y);
    sum = before_lights(picture, surface, x, y);
  }
  lit_by<kLamp>(picture, tiles, surface, open, tile, lights, sum);
  lit_by<kSpot>(picture, tiles, surface, open, tile, lights, sum);
  lit_by<kArea>(picture, tiles, surface, open, tile, lights, sum);
  if (inside) out[y * picture.columns + x] = open ? after_lights(surface, sum) : Vector3{0.5f, 0.7f, 1.0f};
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 72, 400, 8, 4096}));
  const int rows = columns * 3 / 4, pixels = rows * columns;
  workload::Random random(43);
  // Boxes on a ground that rises in waves; sky where the picture has a hole. Materials come in patches.
  std::vector<float> height(pixels), slope_x(pixels), slope_y(pixels), sun_height(pixels);
  std::vector<unsigned> material(pixels);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const int pixel = y * columns + x;
      height[pixel] = static_cast<float>((x + y * 2) % 32) * 0.0625f;
      slope_x[pixel] = random.between(-0.1f, 0.1f);
      slope_y[pixel] = random.between(-0.1f, 0.1f);
      material[pixel] = 0x80a0b0c0u;
    }
  for (int box = 0; box < pixels / 100; ++box) {
    const int left = static_cast<int>(random.below(columns)), top = static_cast<int>(random.below(rows));
    const int width = 3 + static_cast<int>(random.below(8)), depth = 3 + static_cast<int>(random.below(8));
    const float level = box % 16 == 15 ? kSky : random.between(1.0f, 5.0f);
    const float tilt_x = random.between(-0.8f, 0.8f), tilt_y = random.between(-0.8f, 0.8f);
    const unsigned colour = random.below(1u << 30);
    for (int y = top; y < std::min(top + depth, rows); ++y)
      for (int x = left; x < std::min(left + width, columns); ++x) {
        const int pixel = y * columns + x;
        height[pixel] = level;
        slope_x[pixel] = tilt_x;
        slope_y[pixel] = tilt_y;
        material[pixel] = colour;
      }
  }
  // The sun stands in the upper left: what is hidden behind higher ground in that direction is in shadow.
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const bool border = x == 0 || y == 0;
      const int before = (y - 1) * columns + x - 1;
      sun_height[y * columns + x] =
          border ? -1.0f : std::max(sun_height[before], height[before] < kSky ? height[before] : -1.0f) - 0.5f;
    }
  std::vector<Light> lights(std::max(pixels / 14, kKinds));
  for (Light& each : lights) {
    each.place = {random.between(0.0f, static_cast<float>(columns)), random.between(0.0f, static_cast<float>(rows)),
                  random.between(4.0f, 9.0f)};
    each.direction = unit({random.between(-0.5f, 0.5f), random.between(-0.5f, 0.5f), -1.0f});
    each.reach = random.between(5.0f, 10.0f);
    each.power = random.between(0.5f, 3.0f);
    each.colour = {random.between(0.4f, 1.0f), random.between(0.4f, 1.0f), random.between(0.4f, 1.0f)};
    each.padding = 0;
    each.size = {random.between(0.5f, 2.0f), random.between(0.5f, 2.0f), 0.0f};
    each.edge = random.between(0.4f, 0.8f);
  }
  const int tile_columns = workload::blocks_for(columns, kTileColumns),
            tile_rows = workload::blocks_for(rows, kTileRows);
  std::vector<int> tile_start{0}, tile_light;
  for (int tile = 0; tile < tile_columns * tile_rows; ++tile) {
    const float left = static_cast<float>(tile % tile_columns * kTileColumns),
                top = static_cast<float>(tile / tile_columns * kTileRows);
    float highest = 0.0f;
    for (int i = 0; i < kTileColumns * kTileRows; ++i) {
      const int x = tile % tile_columns * kTileColumns + i % kTileColumns,
                y = tile / tile_columns * kTileRows + i / kTileColumns;
      if (x < columns && y < rows && height[y * columns + x] < kSky)
        highest = std::max(highest, height[y * columns + x]);
    }
    for (int kind = 0; kind < kKinds; ++kind) {
      for (std::size_t i = kind; i < lights.size(); i += kKinds) {
        const Light& each = lights[i];
        const float dx = std::max({left - each.place.x, each.place.x - left - kTileColumns, 0.0f});
        const float dy = std::max({top - each.place.y, each.place.y - top - kTileRows, 0.0f});
        const float dz = std::max(each.place.z - highest, 0.0f);
        if (dx * dx + dy * dy + dz * dz < each.reach * each.reach) tile_light.push_back(static_cast<int>(i));
      }
      tile_start.push_back(static_cast<int>(tile_light.size()));
    }
  }
  if (tile_light.empty()) tile_light.push_back(0);

  Sky sky;
  for (int i = 0; i < 9; ++i) {
    const float size = i == 0 ? 0.08f : 0.02f / static_cast<float>(i);
    sky.share[i] = {product(size, 0.6f), product(size, 0.8f), size};
  }
  const Picture picture = {height.data(),     slope_x.data(), slope_y.data(), material.data(),
                           sun_height.data(), columns,        rows,           sky};
  std::vector<Vector3> reference(pixels);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      Vector3& colour = reference[y * columns + x];
      colour = {0.5f, 0.7f, 1.0f};
      if (height[y * columns + x] >= kSky) continue;
      const Surface surface = surface_at(picture, x, y);
      Vector3 sum = before_lights(picture, surface, x, y);
      const int tile = y / kTileRows * tile_columns + x / kTileColumns;
      const int* start = &tile_start[tile * kKinds];
      for (int i = start[kLamp]; i < start[kLamp + 1]; ++i) add<kLamp>(picture, surface, lights[tile_light[i]], sum);
      for (int i = start[kSpot]; i < start[kSpot + 1]; ++i) add<kSpot>(picture, surface, lights[tile_light[i]], sum);
      for (int i = start[kArea]; i < start[kArea + 1]; ++i) add<kArea>(picture, surface, lights[tile_light[i]], sum);
      colour = after_lights(surface, sum);
    }

  workload::DeviceArray<float> device_height(height), device_slope_x(slope_x), device_slope_y(slope_y),
      device_sun_height(sun_height);
  workload::DeviceArray<unsigned> device_material(material);
  workload::DeviceArray<Light> device_lights(lights);
  workload::DeviceArray<int> device_start(tile_start), device_light(tile_light);
  workload::DeviceArray<Vector3> out(reference.size());
  const Picture on_device = {device_height.get(),
                             device_slope_x.get(),
                             device_slope_y.get(),
                             device_material.get(),
                             device_sun_height.get(),
                             columns,
                             rows,
                             sky};
  light<<<dim3(tile_columns, tile_rows), dim3(kTileColumns, kTileRows)>>>(
      on_device, {device_lights.get(), device_start.get(), device_light.get()}, out.get());
  CHECK_LAUNCH();
  workload::Report report("deferred_lighting");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
