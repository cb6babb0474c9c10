// SPDX-License-Identifier: Apache-2.0
// Generated sparse matrices, as the sparse products and the graph searches use them.
#pragma once
#include <vector>

#include "common.h"
#include "sparse_rows.h"

namespace workload {

// `rows` x `rows`. Most rows have 0 to `most` - 1 entries, one in sixteen has four times as many, so that threads that
// take a row each diverge; columns are uniform, values are whole numbers from -4 to 4.
inline SparseRows random_sparse_rows(int rows, unsigned most, unsigned seed) {
  Random random(seed);
  SparseRows matrix;
  matrix.row_start.push_back(0);
  for (int row = 0; row < rows; ++row) {
    const unsigned entries = random.below(most) * (random.below(16) == 0 ? 4 : 1);
    for (unsigned entry = 0; entry < entries; ++entry) {
      matrix.column.push_back(static_cast<int>(random.below(static_cast<unsigned>(rows))));
      matrix.value.push_back(static_cast<float>(static_cast<int>(random.below(9)) - 4));
    }
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

// A graph on a ring (a small world): each node has `most` / 3 to `most` - 1 edges to nodes at most 512 away, but one in
// 64 leads anywhere. Nodes with near numbers are reached together and have neighbours in common.
inline SparseRows small_world(int nodes, unsigned most, unsigned seed) {
  constexpr unsigned kReach = 512;
  Random random(seed);
  SparseRows graph;
  graph.row_start.push_back(0);
  for (int node = 0; node < nodes; ++node) {
    const unsigned edges = most / 3 + random.below(most - most / 3);
    for (unsigned edge = 0; edge < edges; ++edge) {
      int other = static_cast<int>(random.below(static_cast<unsigned>(nodes)));
      if (random.below(64) != 0)
        other = node + static_cast<int>(random.below(2 * kReach + 1)) - static_cast<int>(kReach);
      graph.column.push_back((other % nodes + nodes) % nodes);
    }
    graph.row_start.push_back(static_cast<int>(graph.column.size()));
  }
  return graph;
}

}  // namespace workload
