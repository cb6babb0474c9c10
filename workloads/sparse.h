// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows, as the sparse products and the graph search use it.
#pragma once
#include <vector>

#include "common.h"

namespace workload {

struct SparseRows {
  std::vector<int> row_start;  // rows + 1 entries
  std::vector<int> column;
  std::vector<float> value;
};

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

}  // namespace workload
