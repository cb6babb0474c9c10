// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over spheres, which rays go through without a stack.
#pragma once
#include <algorithm>

#include "vector3.h"

namespace workload {

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

__host__ __device__ inline bool hits_box(const Node& node, const Vector3& from, const Vector3& inverse, float nearest) {
  const Vector3 a = node.low - from, b = node.high - from;
  const float ax = product(a.x, inverse.x), bx = product(b.x, inverse.x);
  const float ay = product(a.y, inverse.y), by = product(b.y, inverse.y);
  const float az = product(a.z, inverse.z), bz = product(b.z, inverse.z);
  const float enter = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
  const float leave = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), nearest));
  return enter <= leave;
}

// Appends the tree over spheres [first, last), halved along its longest axis.
inline void build(std::vector<Node>& nodes, std::vector<Sphere>& spheres, int first, int last) {
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

}  // namespace workload
