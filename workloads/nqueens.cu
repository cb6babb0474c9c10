// SPDX-License-Identifier: Apache-2.0
// N queens: a thread a placement of the first rows, which most of them find impossible; the rest search on with a stack
// of their own in local memory. Very unequal work.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            96
//   shared memory:     0
//   warp instructions: no
//   size:              queens
//
// Option: --rows 3|4, rows that a placement fills.
// Source of the option: docs/sources/dynamic-warp-resizing.md, 5 (NQU).
#include "common.h"

constexpr int kBlock = 96;

// Where a thread has its stack. A program that includes this one may define it, to have the stacks elsewhere.
#ifndef QUEENS_STACK
constexpr int kMostQueens = 16;
#define QUEENS_STACK(type, name) type name[kMostQueens]
#define QUEENS_LEVEL(name, depth) name[depth]
#endif

struct Board {
  unsigned columns, left, right;  // taken columns, and diagonals as they meet the next row
};

// False where the queen at `column` is attacked.
__host__ __device__ inline bool place(Board* board, unsigned column) {
  const unsigned queen = 1u << column;
  if ((board->columns | board->left | board->right) & queen) return false;
  board->columns |= queen;
  board->left = (board->left | queen) << 1;
  board->right = (board->right | queen) >> 1;
  return true;
}

template <int kRowsGiven>
__global__ void nqueens(unsigned* solutions, unsigned* total, int queens, int placements) {
  const int placement = blockIdx.x * kBlock + threadIdx.x;
  if (placement >= placements) return;
  Board board = {0, 0, 0};
  for (int row = 0, rest = placement; row < kRowsGiven; ++row, rest /= queens)
    if (!place(&board, rest % queens)) return;
  const unsigned full = (1u << queens) - 1;
  QUEENS_STACK(Board, boards);
  QUEENS_STACK(unsigned, untried);
  unsigned count = 0;
  int depth = 0;
  QUEENS_LEVEL(boards, 0) = board;
  QUEENS_LEVEL(untried, 0) = full & ~(board.columns | board.left | board.right);
  while (depth >= 0) {
    if (QUEENS_LEVEL(untried, depth) == 0) {
      --depth;
      continue;
    }
    const unsigned queen = QUEENS_LEVEL(untried, depth) & (0u - QUEENS_LEVEL(untried, depth));
    QUEENS_LEVEL(untried, depth) ^= queen;
    const Board& last = QUEENS_LEVEL(boards, depth);
    Board next = {last.columns | queen, (last.left | queen) << 1, (last.right | queen) >> 1};
    if (next.columns == full) {
      ++count;
      continue;
    }
    ++depth;
    QUEENS_LEVEL(boards, depth) = next;
    QUEENS_LEVEL(untried, depth) = full & ~(next.columns | next.left | next.right);
  }
  solutions[placement] = count;
  if (count > 0) atomicAdd(total, count);
}

unsigned search(const Board& board, int row, int queens) {
  if (row == queens) return 1;
  unsigned count = 0;
  for (int column = 0; column < queens; ++column) {
    Board next = board;
    if (place(&next, static_cast<unsigned>(column))) count += search(next, row + 1, queens);
  }
  return count;
}

int main(int argc, char** argv) {
  const int rows_given = workload::take_choice(argc, argv, "--rows", {"3", "4"}) == 1 ? 4 : 3;
  const int queens = static_cast<int>(workload::parse_size(argc, argv, {7, 10, 12, 4, kMostQueens}));
  int placements = 1;
  for (int row = 0; row < rows_given; ++row) placements *= queens;
  std::vector<unsigned> reference(placements, 0), total(1, 0);
  for (int placement = 0; placement < placements; ++placement) {
    Board board = {0, 0, 0};
    bool possible = true;
    for (int row = 0, rest = placement; row < rows_given && possible; ++row, rest /= queens)
      possible = place(&board, static_cast<unsigned>(rest % queens));
    if (possible) total[0] += reference[placement] = search(board, rows_given, queens);
  }
  workload::DeviceArray<unsigned> solutions(placements), device_total(1);
  const auto kernel = rows_given == 4 ? nqueens<4> : nqueens<3>;
  kernel<<<workload::blocks_for(placements, kBlock), kBlock>>>(solutions.get(), device_total.get(), queens, placements);
  CHECK_LAUNCH();
  workload::Report report("nqueens");
  report.expect_equal("solutions of a placement", solutions.download(), reference);
  report.expect_equal("total", device_total.download(), total);
  return report.finish();
}
