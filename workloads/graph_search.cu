// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by persistent threads that take nodes from a queue, one launch a level: neighbours lie anywhere,
// so that nearly every lane loads a line of its own. Claims are atomic; who finds a node first does not show.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              nodes
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (bfs).
#include <algorithm>

#include "persistent.h"
#include "sparse.h"

// The `count` nodes of `queue` have distance `distance`; their unseen neighbours get the next and enter `next`.
__global__ void expand(const int* row_start, const int* neighbour, const int* queue, unsigned count, int* next,
                       unsigned* next_count, int* distances, int distance) {
  for (unsigned i = workload::first_item(); i < count; i += workload::kPersistentThreads) {
    const int node = queue[i], end = row_start[node + 1];
    for (int edge = row_start[node]; edge < end; ++edge) {
      const int other = neighbour[edge];
      if (atomicCAS(&distances[other], -1, distance + 1) == -1) next[atomicAdd(next_count, 1u)] = other;
    }
  }
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const int nodes = static_cast<int>(workload::parse_size(argc, argv, {700, 20000, 1048576, 2, 1 << 24}));
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

  std::vector<int> distances(nodes, -1), first(nodes, 0);
  distances[start] = 0;
  first[0] = start;
  workload::DeviceArray<int> row_start(graph.row_start), device_distances(distances);
  workload::DeviceArray<int> neighbour(graph.column.empty() ? std::vector<int>(1) : graph.column);
  workload::DeviceArray<int> queue_a(first), queue_b(nodes);
  workload::DeviceArray<unsigned> found(1);
  int *now = queue_a.get(), *next = queue_b.get();
  unsigned count = 1;
  for (int distance = 0; count > 0; ++distance) {
    found.upload({0});
    expand<<<workload::persistent_blocks(threads, count), threads>>>(row_start.get(), neighbour.get(), now, count, next,
                                                                     found.get(), device_distances.get(), distance);
    CHECK_LAUNCH();
    count = found.download()[0];
    std::swap(now, next);
  }
  workload::Report report("graph_search");
  report.expect_equal("distance", device_distances.download(), reference);
  return report.finish();
}
