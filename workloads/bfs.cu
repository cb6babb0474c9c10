// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels, one thread a node and one launch a level: few threads have work, and those that do
// have unequal amounts. Claims are atomic, so that who finds a node first does not show.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              nodes
#include "common.h"
#include "sparse.h"

// Nodes of `frontier` have distance `distance`; their unseen neighbours get the next and enter `next`.
__global__ void expand(const int* row_start, const int* neighbour, unsigned char* frontier, unsigned char* next,
                       int* distances, int distance, unsigned* found, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  for (int edge = row_start[node]; edge < row_start[node + 1]; ++edge) {
    const int other = neighbour[edge];
    if (atomicCAS(&distances[other], -1, distance + 1) == -1) {
      next[other] = 1;
      atomicAdd(found, 1u);
    }
  }
}

int main(int argc, char** argv) {
  const int nodes = static_cast<int>(workload::parse_size(argc, argv, {500, 8000, 100000, 2, 1 << 24}));
  workload::SparseRows graph = workload::random_sparse_rows(nodes, 6, 10);
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
  workload::DeviceArray<int> row_start(graph.row_start), device_distances(distances);
  workload::DeviceArray<int> neighbour(graph.column.empty() ? std::vector<int>(1) : graph.column);
  workload::DeviceArray<unsigned char> flags_a(first), flags_b(nodes);
  workload::DeviceArray<unsigned> found(1);
  unsigned char *frontier = flags_a.get(), *next = flags_b.get();
  for (int distance = 0;; ++distance) {
    found.upload({0});
    expand<<<workload::blocks_for(nodes, 128), 128>>>(row_start.get(), neighbour.get(), frontier, next,
                                                      device_distances.get(), distance, found.get(), nodes);
    CHECK_LAUNCH();
    if (found.download()[0] == 0) break;
    std::swap(frontier, next);
  }
  workload::Report report("bfs");
  report.expect_equal("distance", device_distances.download(), reference);
  return report.finish();
}
