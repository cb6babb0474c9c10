// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows.
#pragma once
#include <vector>

namespace workload {

struct SparseRows {
  std::vector<int> row_start;  // rows + 1 entries
  std::vector<int> column;
  std::vector<float> value;
};

}  // namespace workload
