// SPDX-License-Identifier: Apache-2.0
// Cheapest way through a grid of costs from the first row to the last, one step down and at most one aside at a time:
// dynamic programming, ten rows a launch. A block keeps its part of a row in shared memory, with a border that shrinks
// from row to row.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     2048
//   warp instructions: no
//   size:              columns; there are 31 rows
//
// Source: docs/sources/dynamic-warp-resizing.md, 5 (DYN).
#include <algorithm>

#include "common.h"

constexpr int kBlock = 256;
constexpr int kLaunches = 3, kRows = 10;  // of a launch
constexpr int kColumns = kBlock - 2 * kRows;  // that a block brings to the end of its rows

// `costs` begins with the first row of this launch.
__global__ void advance(const int* costs, const int* before, int* after, int columns) {
  __shared__ int now[kBlock];
  __shared__ int next[kBlock];
  const int thread = threadIdx.x;
  const int column = static_cast<int>(blockIdx.x) * kColumns - kRows + thread;
  const bool inside = column >= 0 && column < columns;
  const int west = column > 0 ? thread - 1 : thread, east = column < columns - 1 ? thread + 1 : thread;
  if (inside) now[thread] = before[column];
  __syncthreads();
  for (int row = 0; row < kRows; ++row) {
    const bool computed = inside && thread > row && thread < kBlock - 1 - row;
    if (computed) next[thread] = costs[row * columns + column] + min(now[thread], min(now[west], now[east]));
    __syncthreads();
    if (computed) now[thread] = next[thread];
    __syncthreads();
  }
  if (inside && thread >= kRows && thread < kBlock - kRows) after[column] = now[thread];
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {500, 8260, 100000, 1, 1 << 22}));
  constexpr int kAllRows = kLaunches * kRows;
  workload::Random random(93);
  std::vector<int> first(columns), costs(static_cast<std::size_t>(kAllRows) * columns);
  for (int& cost : first) cost = static_cast<int>(random.below(10));
  for (int& cost : costs) cost = static_cast<int>(random.below(10));
  std::vector<int> reference = first, last;
  for (int row = 0; row < kAllRows; ++row) {
    last = reference;
    for (int x = 0; x < columns; ++x)
      reference[x] = costs[static_cast<std::size_t>(row) * columns + x] +
                     std::min(last[x], std::min(last[std::max(x - 1, 0)], last[std::min(x + 1, columns - 1)]));
  }

  workload::DeviceArray<int> device_costs(costs), row_a(first), row_b(columns);
  int *before = row_a.get(), *after = row_b.get();
  for (int launch = 0; launch < kLaunches; ++launch) {
    const std::size_t row = static_cast<std::size_t>(launch) * kRows;
    advance<<<workload::blocks_for(columns, kColumns), kBlock>>>(device_costs.get() + row * columns, before, after, columns);
    CHECK_LAUNCH();
    std::swap(before, after);
  }
  workload::Report report("pathfinder");
  report.expect_equal("cost", kLaunches % 2 == 0 ? row_a.download() : row_b.download(), reference);
  return report.finish();
}
