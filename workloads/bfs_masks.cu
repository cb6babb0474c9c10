// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels with masks, two launches a level: one visits the neighbours of every node of the level,
// the other makes the nodes that were reached the next level. Threads of one level write the same distance, unordered.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              nodes
//
// Options: --graph random|small_world; --most-edges N, one more than the edges of a node (6), except for one in sixteen of
// a random graph, which has up to four times as many; --block 256|512, threads of a block.
// Sources: docs/sources/cache-conscious-and-divergence-aware.md, 5.1 (BFS); docs/sources/dynamic-warp-resizing.md, 5 (BFS).
#include "common.h"
#include "sparse.h"

__global__ void visit(const int* row_start, const int* neighbour, unsigned char* level, unsigned char* reached,
                      const unsigned char* seen, int* distances, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes && level[node]) {
    level[node] = 0;
    for (int edge = row_start[node]; edge < row_start[node + 1]; ++edge) {
      const int other = neighbour[edge];
      if (!seen[other]) {
        distances[other] = distances[node] + 1;
        reached[other] = 1;
      }
    }
  }
}

__global__ void advance(unsigned char* level, unsigned char* reached, unsigned char* seen, int* any, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes && reached[node]) {
    level[node] = 1;
    seen[node] = 1;
    *any = 1;
    reached[node] = 0;
  }
}

int main(int argc, char** argv) {
  const bool is_small_world = workload::take_choice(argc, argv, "--graph", {"random", "small_world"}) == 1;
  const unsigned most_edges = static_cast<unsigned>(workload::take_number(argc, argv, "--most-edges", 6, 2, 256));
  const unsigned block = workload::take_choice(argc, argv, "--block", {"256", "512"}) == 1 ? 512 : 256;
  const int nodes = static_cast<int>(workload::parse_size(argc, argv, {600, 6000, 200000, 2, 1 << 24}));
  const workload::SparseRows graph = is_small_world ? workload::small_world(nodes, most_edges, 84)
                                                    : workload::random_sparse_rows(nodes, most_edges, 84);
  // Nodes without an edge out of the start would make it a short search.
  int start = 0;
  while (start < nodes - 1 && graph.row_start[start + 1] - graph.row_start[start] < 4) ++start;

  std::vector<int> reference(nodes, -1), queue{start};
  reference[start] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int edge = graph.row_start[queue[head]]; edge < graph.row_start[queue[head] + 1]; ++edge) {
      const int other = graph.column[edge];
      if (reference[other] >= 0) continue;
      reference[other] = reference[queue[head]] + 1;
      queue.push_back(other);
    }

  std::vector<int> distances(nodes, -1);
  std::vector<unsigned char> first(nodes, 0);
  distances[start] = 0;
  first[start] = 1;
  workload::DeviceArray<int> row_start(graph.row_start), device_distances(distances), any(1);
  workload::DeviceArray<int> neighbour(graph.column.empty() ? std::vector<int>(1) : graph.column);
  workload::DeviceArray<unsigned char> level(first), seen(first), reached(nodes);
  const unsigned blocks = workload::blocks_for(nodes, block);
  do {
    any.upload({0});
    visit<<<blocks, block>>>(row_start.get(), neighbour.get(), level.get(), reached.get(), seen.get(),
                           device_distances.get(), nodes);
    CHECK_LAUNCH();
    advance<<<blocks, block>>>(level.get(), reached.get(), seen.get(), any.get(), nodes);
    CHECK_LAUNCH();
  } while (any.download()[0] != 0);
  workload::Report report("bfs_masks");
  report.expect_equal("distance", device_distances.download(), reference);
  return report.finish();
}
