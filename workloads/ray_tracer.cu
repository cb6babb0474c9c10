// SPDX-License-Identifier: Apache-2.0
// Ray tracing of mirroring spheres through a tree of boxes, one thread a pixel: rays take different ways through the
// tree and end after different numbers of reflections.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            8x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "sphere_tree.h"

using workload::build;
using workload::hits_box;
using workload::Node;
using workload::product;
using workload::Sphere;
using workload::unit;
using workload::Vector3;

struct Scene {
  const Node* nodes;
  const Sphere* spheres;
  int count;        // of nodes
  int reflections;  // of a ray, at most
};

__host__ __device__ inline Vector3 colour_of(const Scene& scene, Vector3 from, Vector3 way) {
  Vector3 colour = {0.0f, 0.0f, 0.0f};
  float weight = 1.0f;
  for (int bounce = 0; bounce <= scene.reflections; ++bounce) {
    const Vector3 inverse = {1.0f / way.x, 1.0f / way.y, 1.0f / way.z};
    float nearest = 1.0e9f;
    int found = -1;
    for (int i = 0; i < scene.count;) {
      const Node node = scene.nodes[i];
      if (!hits_box(node, from, inverse, nearest)) {
        i = node.skip;
        continue;
      }
      ++i;
      if (node.sphere < 0) continue;
      const Sphere sphere = scene.spheres[node.sphere];
      const Vector3 to = sphere.centre - from;
      const float middle = dot(to, way);
      const float inside = fmaf(middle, middle, fmaf(sphere.radius, sphere.radius, -dot(to, to)));
      if (inside <= 0.0f) continue;
      const float distance = middle - sqrtf(inside);
      if (distance > 0.001f && distance < nearest) {
        nearest = distance;
        found = node.sphere;
      }
    }
    if (found < 0) {
      // The sky is brighter at the top.
      const float sky = fmaf(0.5f, way.y, 0.5f);
      return along({0.6f, 0.7f, 0.9f}, product(weight, sky), colour);
    }
    const Sphere& sphere = scene.spheres[found];
    from = along(way, nearest, from);
    const Vector3 normal = unit(from - sphere.centre);
    const float light = fmaxf(dot(normal, Vector3{0.48f, 0.6f, -0.64f}), 0.1f);
    colour = along(sphere.colour, product(product(weight, 1.0f - sphere.mirror), light), colour);
    weight = product(weight, sphere.mirror);
    if (weight < 0.05f) break;
    way = unit(along(normal, product(-2.0f, dot(way, normal)), way));
  }
  return colour;
}

__host__ __device__ inline Vector3 pixel(const Scene& scene, int x, int y, int columns, int rows) {
  const float size = static_cast<float>(columns);
  const float across = (static_cast<float>(2 * x + 1 - columns)) / size,
              up = (static_cast<float>(rows - 2 * y - 1)) / size;
  return colour_of(scene, {0.0f, 0.0f, -24.0f}, unit({product(across, 0.45f), product(up, 0.45f), 1.0f}));
}

__global__ void trace(Scene scene, Vector3* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = pixel(scene, x, y, columns, rows);
}

int main(int argc, char** argv) {
  const std::string spheres_option = workload::take_option(argc, argv, "--spheres", "400");
  const std::string reflections_option = workload::take_option(argc, argv, "--reflections", "3");
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {20, 64, 320, 8, 4096}));
  const int rows = columns * 3 / 4;
  const int count = std::atoi(spheres_option.c_str()), reflections = std::atoi(reflections_option.c_str());
  if (count < 1 || count > 1 << 20 || reflections < 0) {
    std::fprintf(stderr, "%s: --spheres takes 1 to 1048576, --reflections 0 or more\n", argv[0]);
    return workload::kExitUsage;
  }
  workload::Random random(49);
  std::vector<Sphere> spheres(count);
  for (Sphere& sphere : spheres) {
    sphere.centre = {random.between(-10.0f, 10.0f), random.between(-8.0f, 8.0f), random.between(-6.0f, 12.0f)};
    sphere.radius = random.between(0.3f, 0.9f);
    sphere.colour = {random.between(0.1f, 1.0f), random.between(0.1f, 1.0f), random.between(0.1f, 1.0f)};
    sphere.mirror = random.below(2) == 0 ? 0.0f : random.between(0.3f, 0.8f);
  }
  std::vector<Node> nodes;
  build(nodes, spheres, 0, count);
  const Scene scene = {nodes.data(), spheres.data(), static_cast<int>(nodes.size()), reflections};
  std::vector<Vector3> reference(rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) reference[y * columns + x] = pixel(scene, x, y, columns, rows);

  workload::DeviceArray<Node> device_nodes(nodes);
  workload::DeviceArray<Sphere> device_spheres(spheres);
  workload::DeviceArray<Vector3> out(reference.size());
  trace<<<dim3(workload::blocks_for(columns, 8), workload::blocks_for(rows, 8)), dim3(8, 8)>>>(
      {device_nodes.get(), device_spheres.get(), scene.count, reflections}, out.get(), columns, rows);
  CHECK_LAUNCH();
  workload::Report report("ray_tracer");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
