// SPDX-License-Identifier: Apache-2.0
// Objects in a depth picture by a forest of decision trees, one thread a pixel: a median against noise; then tree after
// tree in shared memory, each node of which compares the depths of two neighbours, so that pixels come to leaves of
// different depth, neighbours mostly to the same; at last the commonest class around a pixel.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32x4
//   shared memory:     4080 (a tree)
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kTrees = 4, kClasses = 8;
constexpr int kNodes = 255;  // of a tree
constexpr int kDeepest = 20;
constexpr int kBackground = 4095;
constexpr int kBlockColumns = 32, kBlockRows = 4;

// Offsets are in pixels at a depth of 256. A leaf has no children, but votes, four bits a class.
struct alignas(16) Node {
  short dx, dy, ex, ey;
  int threshold;  // votes of a leaf
  int left;       // the right child follows; 0 for a leaf
};

struct Picture {
  const unsigned short* depth;
  int columns, rows;
};

struct Votes {
  unsigned even, odd;  // classes, a byte each
};

__host__ __device__ __forceinline__ int depth_at(const Picture& picture, int x, int y) {
  if (x < 0 || y < 0 || x >= picture.columns || y >= picture.rows) return kBackground;
  return picture.depth[y * picture.columns + x];
}

__host__ __device__ __forceinline__ int nearest(int at, int count) { return at < 0 ? 0 : at < count ? at : count - 1; }

__host__ __device__ __forceinline__ void sort(int& low, int& high) {
  const int smaller = low < high ? low : high;
  high = low < high ? high : low;
  low = smaller;
}

// The median of a pixel and its eight neighbours, by a network of exchanges.
__host__ __device__ __forceinline__ unsigned short median(const Picture& picture, int x, int y) {
  int v[9];
  for (int i = 0; i < 9; ++i)
    v[i] =
        picture.depth[nearest(y + i / 3 - 1, picture.rows) * picture.columns + nearest(x + i % 3 - 1, picture.columns)];
  sort(v[1], v[2]), sort(v[4], v[5]), sort(v[7], v[8]);
  sort(v[0], v[1]), sort(v[3], v[4]), sort(v[6], v[7]);
  sort(v[1], v[2]), sort(v[4], v[5]), sort(v[7], v[8]);
  sort(v[0], v[3]), sort(v[5], v[8]), sort(v[4], v[7]);
  sort(v[3], v[6]), sort(v[1], v[4]), sort(v[2], v[5]);
  sort(v[4], v[7]), sort(v[4], v[2]), sort(v[6], v[4]);
  sort(v[4], v[2]);
  return static_cast<unsigned short>(v[4]);
}

// The way down a tree; adds the votes of its leaf.
__host__ __device__ __forceinline__ void vote(const Picture& picture, const Node* nodes, int x, int y, float nearness,
                                              Votes& votes) {
  Node node = nodes[0];
  while (node.left != 0) {
    const int first = depth_at(picture, x + static_cast<int>(static_cast<float>(node.dx) * nearness),
                               y + static_cast<int>(static_cast<float>(node.dy) * nearness));
    const int second = depth_at(picture, x + static_cast<int>(static_cast<float>(node.ex) * nearness),
                                y + static_cast<int>(static_cast<float>(node.ey) * nearness));
    node = nodes[node.left + (first - second > node.threshold ? 1 : 0)];
  }
  const unsigned found = static_cast<unsigned>(node.threshold);
  votes.even += found & 0x0f0f0f0fu;
  votes.odd += found >> 4 & 0x0f0f0f0fu;
}

// The class with most votes, and the votes.
__host__ __device__ __forceinline__ unsigned winner(const Votes& votes) {
  unsigned best = 0, most = 0;
  for (int i = 0; i < kClasses; ++i) {
    const unsigned now = (i % 2 == 0 ? votes.even : votes.odd) >> (4 * (i & ~1)) & 255u;
    best = now > most ? static_cast<unsigned>(i) : best;
    most = now > most ? now : most;
  }
  return best << 8 | most;
}

__host__ __device__ __forceinline__ float nearness_of(int depth) { return 256.0f / static_cast<float>(depth); }

__host__ __device__ __forceinline__ unsigned commonest(const unsigned* labels, int columns, int rows, int x, int y) {
  Votes votes = {0, 0};
  for (int i = 0; i < 9; ++i) {
    const unsigned label = labels[nearest(y + i / 3 - 1, rows) * columns + nearest(x + i % 3 - 1, columns)];
    const unsigned group = label >> 8, vote = (label & 255u) == 0 ? 0u : i == 4 ? 2u : 1u;
    votes.even += (group & 1u) == 0 ? vote << (4 * (group & 6u)) : 0u;
    votes.odd += (group & 1u) != 0 ? vote << (4 * (group & 6u)) : 0u;
  }
  return winner(votes);
}

__global__ void denoise(Picture picture, unsigned short* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < picture.columns && y < picture.rows) out[y * picture.columns + x] = median(picture, x, y);
}

__global__ void label(Picture picture, const Node* trees, unsigned* out) {
  __shared__ Node nodes[kNodes];
  const int x = blockIdx.x * kBlockColumns + threadIdx.x, y = blockIdx.y * kBlockRows + threadIdx.y;
  const int depth = depth_at(picture, x, y);
  Votes votes = {0, 0};
  for (int tree = 0; tree < kTrees; ++tree) {
    for (int i = threadIdx.y * kBlockColumns + threadIdx.x; i < kNodes; i += kBlockColumns * kBlockRows)
      nodes[i] = trees[tree * kNodes + i];
    __syncthreads();
    if (depth != kBackground) vote(picture, nodes, x, y, nearness_of(depth), votes);
    __syncthreads();
  }
  if (x < picture.columns && y < picture.rows) out[y * picture.columns + x] = winner(votes);
}

__global__ void smooth(const unsigned* labels, int columns, int rows, unsigned* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) out[y * columns + x] = commonest(labels, columns, rows, x, y);
}

// Grows a tree: leaves are split until there are as many nodes as a tree has, some sooner than others.
void grow(Node* nodes, workload::Random& random) {
  std::vector<int> leaves{0}, depth(kNodes, 0);
  const auto end = [&](Node& node) {
    std::memset(&node, 0, sizeof(node));
    for (int i = 0; i < kClasses; ++i) node.threshold |= static_cast<int>(random.below(i == 0 ? 8 : 12) / 2) << (4 * i);
  };
  end(nodes[0]);
  for (int count = 1; count + 2 <= kNodes;) {
    // Half of the time the newest, so that some ways are long.
    const unsigned last = static_cast<unsigned>(leaves.size()) - 1;
    const unsigned which = random.below(2) == 0 ? last : random.below(last + 1);
    const int leaf = leaves[which];
    if (depth[leaf] == kDeepest) {
      std::swap(leaves[which], leaves[random.below(last + 1)]);
      continue;
    }
    const auto offset = [&] { return static_cast<short>(static_cast<int>(random.below(61)) - 30); };
    Node& node = nodes[leaf];
    node.dx = offset(), node.dy = offset(), node.ex = offset(), node.ey = offset();
    node.threshold = static_cast<int>(random.below(41)) - 20;
    node.left = count;
    for (int child = count; child < count + 2; ++child) {
      end(nodes[child]);
      depth[child] = depth[leaf] + 1;
    }
    leaves[which] = count;
    leaves.push_back(count + 1);
    count += 2;
  }
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 64, 400, 8, 4096}));
  const int rows = columns * 3 / 4, pixels = rows * columns;
  workload::Random random(47);
  // Bodies of different depth before a far background.
  std::vector<unsigned short> depth(pixels, kBackground), clean(pixels);
  for (int body = 0; body < std::max(pixels / 200, 3); ++body) {
    const int left = static_cast<int>(random.below(columns)), top = static_cast<int>(random.below(rows));
    const int width = 5 + static_cast<int>(random.below(14)), length = 5 + static_cast<int>(random.below(14));
    const int level = 200 + static_cast<int>(random.below(800));
    for (int y = top; y < std::min(top + length, rows); ++y)
      for (int x = left; x < std::min(left + width, columns); ++x)
        depth[y * columns + x] =
            static_cast<unsigned short>(level + (x - left) * (left + width - x) / 2 + random.below(6));
  }
  std::vector<Node> nodes(kTrees * kNodes);
  for (int tree = 0; tree < kTrees; ++tree) grow(&nodes[tree * kNodes], random);

  std::vector<unsigned> labels(pixels), classes(pixels);
  const Picture noisy = {depth.data(), columns, rows}, picture = {clean.data(), columns, rows};
  const auto each_pixel = [&](const auto& set) {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) set(x, y, y * columns + x);
  };
  each_pixel([&](int x, int y, int pixel) { clean[pixel] = median(noisy, x, y); });
  each_pixel([&](int x, int y, int pixel) {
    Votes votes = {0, 0};
    for (int tree = 0; tree < kTrees && clean[pixel] != kBackground; ++tree)
      vote(picture, &nodes[tree * kNodes], x, y, nearness_of(clean[pixel]), votes);
    labels[pixel] = winner(votes);
  });
  each_pixel([&](int x, int y, int pixel) { classes[pixel] = commonest(labels.data(), columns, rows, x, y); });

  workload::DeviceArray<unsigned short> device_depth(depth), device_clean(pixels);
  workload::DeviceArray<Node> device_nodes(nodes);
  workload::DeviceArray<unsigned> device_labels(pixels), out(pixels);
  const dim3 blocks(workload::blocks_for(columns, kBlockColumns), workload::blocks_for(rows, kBlockRows));
  const dim3 threads(kBlockColumns, kBlockRows);
  denoise<<<blocks, threads>>>({device_depth.get(), columns, rows}, device_clean.get());
  label<<<blocks, threads>>>({device_clean.get(), columns, rows}, device_nodes.get(), device_labels.get());
  smooth<<<blocks, threads>>>(device_labels.get(), columns, rows, out.get());
  CHECK_LAUNCH();
  workload::Report report("decision_forest");
  report.expect_equal("label", device_labels.download(), labels);
  report.expect_equal("class", out.download(), classes);
  return report.finish();
}
