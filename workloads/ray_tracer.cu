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
#include <algorithm>

#include "vector3.h"

using workload::product;
using workload::unit;
using workload::Vector3;

// Nodes lie in depth-first order: a ray that hits a box goes on with the next node, one that misses skips the subtree.
struct alignas(16) Node {
  Vector3 low;
  int skip;
  Vector3 high;
  int sphere;  // of a leaf, else -1
};

struct alignas(16) Sphere {
  Vector3 centre;
  float radius;
  Vector3 colour;
  float mirror;  // share of the light that is reflected; 0 ends a ray
};

struct Scene {
  const Node* nodes;
  const Sphere* spheres;
  int count;        // of nodes
  int reflections;  // of a ray, at most
};

__host__ __device__ inline bool hits_box(const Node& node, const Vector3& from, const Vector3& inverse, float nearest) {
  const Vector3 a = node.low - from, b = node.high - from;
  const float ax = product(a.x, inverse.x), bx = product(b.x, inverse.x);
  const float ay = product(a.y, inverse.y), by = product(b.y, inverse.y);
  const float az = product(a.z, inverse.z), bz = product(b.z, inverse.z);
  const float enter = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
  const float leave = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), nearest));
  return enter <= leave;
}

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

// Appends the tree over spheres [first, last), halved along its longest axis.
void build(std::vector<Node>& nodes, std::vector<Sphere>& spheres, int first, int last) {
  const std::size_t self = nodes.size();
  Node node = {{1.0e9f, 1.0e9f, 1.0e9f}, 0, {-1.0e9f, -1.0e9f, -1.0e9f}, last - first == 1 ? first : -1};
  for (int i = first; i < last; ++i) {
    const Sphere& each = spheres[i];
    const Vector3 radius = {each.radius, each.radius, each.radius};
    const Vector3 low = each.centre - radius, high = each.centre + radius;
    node.low = {std::min(node.low.x, low.x), std::min(node.low.y, low.y), std::min(node.low.z, low.z)};
    node.high = {std::max(node.high.x, high.x), std::max(node.high.y, high.y), std::max(node.high.z, high.z)};
  }
  nodes.push_back(node);
  if (last - first > 1) {
    const Vector3 size = node.high - node.low;
    const auto key = [&](const Sphere& sphere) {
      return size.x >= size.y && size.x >= size.z ? sphere.centre.x
             : size.y >= size.z                   ? sphere.centre.y
                                                  : sphere.centre.z;
    };
    const int middle = (first + last) / 2;
    std::stable_sort(spheres.begin() + first, spheres.begin() + last,
                     [&](const Sphere& a, const Sphere& b) { return key(a) < key(b); });
    build(nodes, spheres, first, middle);
    build(nodes, spheres, middle, last);
  }
  nodes[self].skip = static_cast<int>(nodes.size());
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
