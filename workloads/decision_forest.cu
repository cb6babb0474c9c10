// SPDX-License-Identifier: Apache-2.0
// Objects in a depth picture by a forest of decision trees, one thread a pixel: each node compares the depths of two
// neighbours, so that pixels take different ways to leaves of different depth; clear cases need only a few trees.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32x4
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kTrees = 6, kDepth = 11, kClasses = 8;
constexpr int kClear = 200;  // votes for one class that end the search

// Offsets are in pixels at a depth of 256. A leaf has no children, but a class and its votes.
struct alignas(16) Node {
  short dx, dy, ex, ey;
  int threshold;
  int left;  // the right child follows; 0 for a leaf
};

struct Picture {
  const unsigned short* depth;
  int columns, rows;
};

__host__ __device__ inline int depth_at(const Picture& picture, int x, int y) {
  if (x < 0 || y < 0 || x >= picture.columns || y >= picture.rows) return 4095;  // far away
  return picture.depth[y * picture.columns + x];
}

__host__ __device__ inline unsigned classify(const Picture& picture, const Node* nodes, const int* roots, int x,
                                             int y) {
  const int depth = picture.depth[y * picture.columns + x];
  if (depth == 4095) return 0;  // background
  const float nearness = 256.0f / static_cast<float>(depth);
  unsigned long long votes = 0;  // one byte a class
  unsigned best = 0, most = 0;
  for (int tree = 0; tree < kTrees; ++tree) {
    Node node = nodes[roots[tree]];
    while (node.left != 0) {
      const int first = depth_at(picture, x + static_cast<int>(static_cast<float>(node.dx) * nearness),
                                 y + static_cast<int>(static_cast<float>(node.dy) * nearness));
      const int second = depth_at(picture, x + static_cast<int>(static_cast<float>(node.ex) * nearness),
                                  y + static_cast<int>(static_cast<float>(node.ey) * nearness));
      node = nodes[node.left + (first - second > node.threshold ? 1 : 0)];
    }
    const unsigned group = node.dx, shift = 8 * group;
    const unsigned sum = static_cast<unsigned>(votes >> shift & 255) + static_cast<unsigned>(node.dy);
    const unsigned now = sum < 255 ? sum : 255;
    votes = (votes & ~(255ull << shift)) | static_cast<unsigned long long>(now) << shift;
    if (now > most) {
      most = now;
      best = group;
    }
    if (most >= kClear) break;
  }
  return best << 8 | most;
}

__global__ void label(Picture picture, const Node* nodes, const int* roots, unsigned* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= picture.columns || y >= picture.rows) return;
  out[y * picture.columns + x] = classify(picture, nodes, roots, x, y);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 64, 400, 8, 4096}));
  const int rows = columns * 3 / 4;
  workload::Random random(47);
  // Bodies of different depth before a far background.
  std::vector<unsigned short> depth(rows * columns, 4095);
  for (int body = 0; body < rows * columns / 120; ++body) {
    const int left = static_cast<int>(random.below(columns)), top = static_cast<int>(random.below(rows));
    const int width = 4 + static_cast<int>(random.below(14)), length = 4 + static_cast<int>(random.below(14));
    const int level = 200 + static_cast<int>(random.below(800));
    for (int y = top; y < std::min(top + length, rows); ++y)
      for (int x = left; x < std::min(left + width, columns); ++x)
        depth[y * columns + x] =
            static_cast<unsigned short>(level + (x - left) * (left + width - x) / 2 + random.below(6));
  }
  std::vector<Node> nodes(1);
  std::vector<int> roots;
  for (int tree = 0; tree < kTrees; ++tree) {
    roots.push_back(static_cast<int>(nodes.size()));
    nodes.emplace_back();
    // Breadth first; branches end early at random.
    for (std::size_t i = nodes.size() - 1, level = 0, end = nodes.size(); i < nodes.size(); ++i) {
      if (i == end) {
        ++level;
        end = nodes.size();
      }
      const bool leaf = level == kDepth || (level >= 3 && random.below(6) == 0);
      Node node;
      std::memset(&node, 0, sizeof(node));
      if (leaf) {
        node.dx = static_cast<short>(random.below(kClasses));
        node.dy = static_cast<short>(10 + random.below(120));
      } else {
        const auto offset = [&] { return static_cast<short>(static_cast<int>(random.below(61)) - 30); };
        node.dx = offset();
        node.dy = offset();
        node.ex = offset();
        node.ey = offset();
        node.threshold = static_cast<int>(random.below(41)) - 20;
        node.left = static_cast<int>(nodes.size());
      }
      nodes[i] = node;
      if (!leaf) nodes.resize(nodes.size() + 2);
    }
  }

  const Picture picture = {depth.data(), columns, rows};
  std::vector<unsigned> reference(rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) reference[y * columns + x] = classify(picture, nodes.data(), roots.data(), x, y);

  workload::DeviceArray<unsigned short> device_depth(depth);
  workload::DeviceArray<Node> device_nodes(nodes);
  workload::DeviceArray<int> device_roots(roots);
  workload::DeviceArray<unsigned> out(reference.size());
  label<<<dim3(workload::blocks_for(columns, 32), workload::blocks_for(rows, 4)), dim3(32, 4)>>>(
      {device_depth.get(), columns, rows}, device_nodes.get(), device_roots.get(), out.get());
  CHECK_LAUNCH();
  workload::Report report("decision_forest");
  report.expect_equal("class and votes", out.download(), reference);
  return report.finish();
}
