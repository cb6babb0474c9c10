// SPDX-License-Identifier: Apache-2.0
// Look-ups in an unbalanced binary tree whose nodes hold addresses of nodes: each load waits for the one before, and
// each thread follows its own path to its own depth.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              keys in the tree; twice as many look-ups
#include "common.h"

struct Node {
  unsigned key;
  int value;
  Node* child[2];  // smaller keys, larger keys
};

// Gives the value of each wanted key, or -1, and the number of nodes looked at.
__global__ void tree_search(const Node* root, const unsigned* wanted, int* values, int* visited, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned key = wanted[i];
  const Node* node = root;
  int value = -1, nodes = 0;
  while (node != nullptr) {
    ++nodes;
    const unsigned here = node->key;
    if (here == key) {
      value = node->value;
      break;
    }
    node = node->child[key > here];
  }
  values[i] = value;
  visited[i] = nodes;
}

int main(int argc, char** argv) {
  const int keys = static_cast<int>(workload::parse_size(argc, argv, {250, 5000, 100000, 1, 1 << 22}));
  const int count = 2 * keys;
  workload::Random random(19);
  // Children as node numbers first: 0, the root, is nobody's child.
  std::vector<unsigned> key{random.next()};
  std::vector<int> smaller{0}, larger{0};
  for (int i = 1; i < keys; ++i) {
    const unsigned fresh = random.next();
    int node = 0;
    while (key[node] != fresh) {
      std::vector<int>& side = fresh > key[node] ? larger : smaller;
      if (side[node] == 0) {
        side[node] = static_cast<int>(key.size());
        key.push_back(fresh);
        smaller.push_back(0);
        larger.push_back(0);
        break;
      }
      node = side[node];
    }
  }
  std::vector<unsigned> wanted(count);
  std::vector<int> values(count, -1), visited(count, 0);
  for (int i = 0; i < count; ++i) {
    wanted[i] = i % 2 == 0 ? key[random.below(static_cast<unsigned>(key.size()))] : random.next();
    for (int node = 0;;) {
      ++visited[i];
      if (key[node] == wanted[i]) {
        values[i] = node;
        break;
      }
      node = wanted[i] > key[node] ? larger[node] : smaller[node];
      if (node == 0) break;
    }
  }
  workload::DeviceArray<Node> tree(key.size());
  std::vector<Node> nodes(key.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].key = key[i];
    nodes[i].value = static_cast<int>(i);
    nodes[i].child[0] = smaller[i] == 0 ? nullptr : tree.get() + smaller[i];
    nodes[i].child[1] = larger[i] == 0 ? nullptr : tree.get() + larger[i];
  }
  tree.upload(nodes);
  workload::DeviceArray<unsigned> device_wanted(wanted);
  workload::DeviceArray<int> device_values(count), device_visited(count);
  tree_search<<<workload::blocks_for(count, 128), 128>>>(tree.get(), device_wanted.get(), device_values.get(),
                                                         device_visited.get(), count);
  CHECK_LAUNCH();
  workload::Report report("tree_search");
  report.expect_equal("value", device_values.download(), values);
  report.expect_equal("nodes visited", device_visited.download(), visited);
  return report.finish();
}
