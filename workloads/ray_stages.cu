// SPDX-License-Identifier: Apache-2.0
// Ray tracing in stages, a kernel each, one thread a pixel: rays from the camera through a tree of boxes over spheres,
// rays from what they find to the lamp, colours of the surfaces there; then the same once more for what mirrors show.
// Blocks keep the tree in shared memory. Four threads in a row trace a square of pixels, and 32 a patch of eight by
// four.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     6112 (191 nodes)
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "noise.h"
#include "sphere_tree.h"

using workload::build;
using workload::hits_box;
using workload::Node;
using workload::noise;
using workload::product;
using workload::Sphere;
using workload::unit;
using workload::Vector3;

constexpr int kSide = 8;     // pixels along the edge of a block
constexpr int kOctaves = 3;  // of the noise in a surface
constexpr int kMostSpheres = 96, kMostNodes = 2 * kMostSpheres - 1;
constexpr float kFar = 1.0e9f;

struct Scene {
  const Node* nodes;
  const Sphere* spheres;
  int count;  // of nodes
  Vector3 lamp;
};

struct alignas(16) Ray {
  Vector3 from;
  float weight;  // of what it finds in the colour of the pixel; 0 for no ray
  Vector3 way;
  float padding;
};

struct alignas(16) Hit {
  float distance;
  int sphere;  // -1 for the sky
  float lit;   // part of the lamp's light that arrives
  float padding;
};

struct Pixels {
  int columns, rows;
};

// The first sphere on a ray, if it is nearer than a distance. kAny: any sphere does.
template <bool kAny>
__host__ __device__ __forceinline__ int first_hit(const Scene& scene, const Vector3& from, const Vector3& way,
                                                  float& nearest) {
  const Vector3 inverse = {1.0f / way.x, 1.0f / way.y, 1.0f / way.z};
  int found = -1;
  for (int i = 0; i < scene.count;) {
    const Node node = scene.nodes[i];
    const bool hit = hits_box(node, from, inverse, nearest);
    i = hit ? i + 1 : node.skip;
    if (!hit || node.sphere < 0) continue;
    const Sphere sphere = scene.spheres[node.sphere];
    const Vector3 to = sphere.centre - from;
    const float middle = dot(to, way);
    const float inside = fmaf(middle, middle, fmaf(sphere.radius, sphere.radius, -dot(to, to)));
    if (inside <= 0.0f) continue;
    const float distance = middle - sqrtf(inside);
    if (distance <= 0.001f || distance >= nearest) continue;
    nearest = distance;
    found = node.sphere;
    if (kAny) break;
  }
  return found;
}

__host__ __device__ __forceinline__ Ray camera_ray(const Pixels& pixels, int x, int y) {
  const float size = 1.0f / static_cast<float>(pixels.columns);
  const float across = product(static_cast<float>(2 * x + 1 - pixels.columns), size),
              up = product(static_cast<float>(pixels.rows - 2 * y - 1), size);
  return {{0.0f, 0.0f, -24.0f}, 1.0f, unit({product(across, 0.45f), product(up, 0.45f), 1.0f}), 0.0f};
}

__host__ __device__ __forceinline__ Hit hit_of(const Scene& scene, const Ray& ray) {
  Hit hit = {kFar, -1, 0.0f, 0.0f};
  if (ray.weight > 0.0f) hit.sphere = first_hit<false>(scene, ray.from, ray.way, hit.distance);
  return hit;
}

__host__ __device__ __forceinline__ float lit(const Scene& scene, const Ray& ray, const Hit& hit) {
  if (hit.sphere < 0) return 0.0f;
  const Vector3 place = along(ray.way, hit.distance, ray.from);
  const Vector3 to_lamp = scene.lamp - place;
  const float facing = dot(to_lamp, place - scene.spheres[hit.sphere].centre);
  if (facing <= 0.0f) return 0.0f;
  float distance = sqrtf(dot(to_lamp, to_lamp));
  return first_hit<true>(scene, place, scaled(to_lamp, 1.0f / distance), distance) < 0 ? 1.0f : 0.0f;
}

// Adds what a ray shows to the colour of its pixel, and turns it into the ray that the mirror sends back.
__host__ __device__ __forceinline__ void shade(const Scene& scene, Ray& ray, const Hit& hit, Vector3& colour) {
  if (ray.weight <= 0.0f) return;
  if (hit.sphere < 0) {
    // The sky is brighter at the top, and has clouds.
    const float clouds = noise(along(ray.way, 8.0f, {32.0f, 32.0f, 32.0f}));
    const float sky = fmaf(0.2f, clouds, fmaf(0.5f, ray.way.y, 0.5f));
    colour = along({0.6f, 0.7f, 0.9f}, product(ray.weight, sky), colour);
    ray.weight = 0.0f;
    return;
  }
  const Sphere sphere = scene.spheres[hit.sphere];
  const Vector3 place = along(ray.way, hit.distance, ray.from);
  Vector3 normal = unit(place - sphere.centre);
  // Marble: noise of several sizes.
  float veins = 0.0f, size = 2.0f, share = 0.5f;
  for (int octave = 0; octave < kOctaves; ++octave) {
    veins = fmaf(share, noise(along(place, size, {256.0f, 256.0f, 256.0f})), veins);
    size = product(size, 2.0f);
    share = product(share, 0.5f);
  }
  const Vector3 to_lamp = unit(scene.lamp - place), half = unit(to_lamp - ray.way);
  const float facing = fmaxf(dot(normal, to_lamp), 0.0f), shine = fmaxf(dot(normal, half), 0.0f);
  const float shine2 = product(shine, shine), shine4 = product(shine2, shine2), shine8 = product(shine4, shine4);
  const float light = fmaf(hit.lit, fmaf(facing, 0.8f, product(product(shine8, shine8), 0.5f)), 0.15f);
  const float own = product(product(ray.weight, 1.0f - sphere.mirror), fmaf(veins, 0.5f, 1.0f));
  colour = along(sphere.colour, product(own, light), colour);
  ray.weight = product(ray.weight, sphere.mirror);
  ray.from = place;
  ray.way = unit(along(normal, product(-2.0f, dot(ray.way, normal)), ray.way));
}

// The pixel of a thread, -1 outside of the picture.
__device__ __forceinline__ int pixel_of(const Pixels& pixels) {
  const int thread = threadIdx.x, square = thread / 4;
  const int x = blockIdx.x * kSide + square % 4 * 2 + thread % 2,
            y = blockIdx.y * kSide + square / 4 * 2 + thread / 2 % 2;
  return x < pixels.columns && y < pixels.rows ? y * pixels.columns + x : -1;
}

// The scene with its nodes in shared memory. All threads of a block together.
__device__ __forceinline__ Scene staged(const Scene& scene, Node* nodes) {
  const float4* from = reinterpret_cast<const float4*>(scene.nodes);
  for (int i = threadIdx.x; i < 2 * scene.count; i += kSide * kSide) reinterpret_cast<float4*>(nodes)[i] = from[i];
  __syncthreads();
  Scene near = scene;
  near.nodes = nodes;
  return near;
}

__global__ void start(Pixels pixels, Ray* rays, Vector3* colours) {
  const int pixel = pixel_of(pixels);
  if (pixel < 0) return;
  rays[pixel] = camera_ray(pixels, pixel % pixels.columns, pixel / pixels.columns);
  colours[pixel] = {0.0f, 0.0f, 0.0f};
}

__global__ void cast(Scene scene, Pixels pixels, const Ray* rays, Hit* hits) {
  __shared__ Node nodes[kMostNodes];
  const Scene near = staged(scene, nodes);
  const int pixel = pixel_of(pixels);
  if (pixel >= 0) hits[pixel] = hit_of(near, rays[pixel]);
}

__global__ void shadow(Scene scene, Pixels pixels, const Ray* rays, Hit* hits) {
  __shared__ Node nodes[kMostNodes];
  const Scene near = staged(scene, nodes);
  const int pixel = pixel_of(pixels);
  if (pixel >= 0) hits[pixel].lit = lit(near, rays[pixel], hits[pixel]);
}

__global__ void colour(Scene scene, Pixels pixels, Ray* rays, const Hit* hits, Vector3* colours) {
  const int pixel = pixel_of(pixels);
  if (pixel < 0) return;
  Ray ray = rays[pixel];
  Vector3 sum = colours[pixel];
  shade(scene, ray, hits[pixel], sum);
  rays[pixel] = ray;
  colours[pixel] = sum;
}

int main(int argc, char** argv) {
  const std::string spheres_option = workload::take_option(argc, argv, "--spheres", "96");
  const std::string reflections_option = workload::take_option(argc, argv, "--reflections", "1");
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {16, 64, 320, 8, 4096}));
  const Pixels pixels = {columns, columns * 3 / 4};
  const int count = std::atoi(spheres_option.c_str()), reflections = std::atoi(reflections_option.c_str());
  if (count < 1 || count > kMostSpheres || reflections < 0) {
    std::fprintf(stderr, "%s: --spheres takes 1 to %d, --reflections 0 or more\n", argv[0], kMostSpheres);
    return workload::kExitUsage;
  }
  workload::Random random(53);
  std::vector<Sphere> spheres(count);
  for (Sphere& sphere : spheres) {
    sphere.centre = {random.between(-10.0f, 10.0f), random.between(-8.0f, 8.0f), random.between(-6.0f, 12.0f)};
    sphere.radius = random.between(1.0f, 2.2f);
    sphere.colour = {random.between(0.1f, 1.0f), random.between(0.1f, 1.0f), random.between(0.1f, 1.0f)};
    sphere.mirror = random.below(2) == 0 ? 0.0f : random.between(0.3f, 0.8f);
  }
  std::vector<Node> nodes;
  build(nodes, spheres, 0, count);
  const Vector3 lamp = {16.0f, 20.0f, -20.0f};
  const Scene scene = {nodes.data(), spheres.data(), static_cast<int>(nodes.size()), lamp};
  const int all = pixels.columns * pixels.rows;
  std::vector<Vector3> reference(all);
  for (int pixel = 0; pixel < all; ++pixel) {
    Ray ray = camera_ray(pixels, pixel % columns, pixel / columns);
    Vector3& sum = reference[pixel] = {0.0f, 0.0f, 0.0f};
    for (int bounce = 0; bounce <= reflections; ++bounce) {
      Hit hit = hit_of(scene, ray);
      hit.lit = lit(scene, ray, hit);
      shade(scene, ray, hit, sum);
    }
  }

  workload::DeviceArray<Node> device_nodes(nodes);
  workload::DeviceArray<Sphere> device_spheres(spheres);
  workload::DeviceArray<Ray> rays(all);
  workload::DeviceArray<Hit> hits(all);
  workload::DeviceArray<Vector3> colours(all);
  const Scene on_device = {device_nodes.get(), device_spheres.get(), scene.count, lamp};
  const dim3 blocks(workload::blocks_for(pixels.columns, kSide), workload::blocks_for(pixels.rows, kSide));
  start<<<blocks, kSide * kSide>>>(pixels, rays.get(), colours.get());
  for (int bounce = 0; bounce <= reflections; ++bounce) {
    cast<<<blocks, kSide * kSide>>>(on_device, pixels, rays.get(), hits.get());
    shadow<<<blocks, kSide * kSide>>>(on_device, pixels, rays.get(), hits.get());
    colour<<<blocks, kSide * kSide>>>(on_device, pixels, rays.get(), hits.get(), colours.get());
    CHECK_LAUNCH();
  }
  workload::Report report("ray_stages");
  report.expect_equal("pixel", colours.download(), reference);
  return report.finish();
}
