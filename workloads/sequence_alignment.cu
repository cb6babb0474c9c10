// SPDX-License-Identifier: Apache-2.0
// Needleman-Wunsch alignment of two sequences by persistent threads: they fill one anti-diagonal of the score matrix
// after the other, which lie in memory diagonal by diagonal; a barrier between two where one block has all threads, a
// launch each where several have.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              letters of each sequence
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (needleman).
#include <algorithm>

#include "persistent.h"

constexpr int kMatch = 2, kMismatch = -1, kGap = -1;

__host__ __device__ inline int score_of(int corner, int above, int left, bool same) {
  const int with_gap = (above > left ? above : left) + kGap;
  const int with_both = corner + (same ? kMatch : kMismatch);
  return with_both > with_gap ? with_both : with_gap;
}

// Where things lie in memory: a diagonal takes `pitch` words, whole lines, and the cell of row 1 begins a line.
constexpr int kLine = 32;
__host__ __device__ inline int pitch_for(int letters) { return (letters + kLine - 1) / kLine * kLine + kLine; }

// Cell (row, column), each 0 to `letters`, is in diagonal row + column, at place kLine - 1 + row. Row and column 0 are
// given. Several diagonals are for a grid of one block.
__global__ void align(const unsigned char* down, const unsigned char* across, int* scores, int letters, int diagonal,
                      int last_diagonal) {
  const int pitch = pitch_for(letters);
  int* now = scores + diagonal * pitch + kLine - 1;
  for (; diagonal <= last_diagonal; ++diagonal, now += pitch) {
    const int least = max(1, diagonal - letters), most = min(letters, diagonal - 1);
    // From the beginning of a line on.
    int row = ((least - 1) & -kLine) + 1 + static_cast<int>(workload::first_item());
#pragma unroll 1
    for (; row <= most; row += workload::kPersistentThreads) {
      if (row < least) continue;
      const bool same = down[row - 1] == across[diagonal - row - 1];
      int* const cell = now + row;
      *cell = score_of(*(cell - 1 - 2 * pitch), *(cell - 1 - pitch), *(cell - pitch), same);
    }
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const int letters = static_cast<int>(workload::parse_size(argc, argv, {16, 250, 2048, 2, 8192}));
  const int pitch = pitch_for(letters), diagonals = 2 * letters + 1;
  workload::Random random(65);
  std::vector<unsigned char> across(letters), down(letters);
  for (unsigned char& letter : across) letter = "ACGT"[random.below(4)];
  for (int i = 0; i < letters; ++i)  // mostly the same sequence
    down[i] = random.below(5) == 0 ? "ACGT"[random.below(4)] : across[(i + i / 50) % letters];

  std::vector<int> scores(static_cast<std::size_t>(diagonals) * pitch, 0);
  const auto cell = [&](int row, int column) -> int& {
    return scores[static_cast<std::size_t>(row + column) * pitch + kLine - 1 + row];
  };
  for (int i = 0; i <= letters; ++i) cell(i, 0) = cell(0, i) = i * kGap;
  workload::DeviceArray<int> device_scores(scores);
  for (int row = 1; row <= letters; ++row)
    for (int column = 1; column <= letters; ++column)
      cell(row, column) = score_of(cell(row - 1, column - 1), cell(row - 1, column), cell(row, column - 1),
                                   down[row - 1] == across[column - 1]);

  workload::DeviceArray<unsigned char> device_down(down), device_across(across);
  const unsigned blocks = workload::persistent_blocks(threads, letters);
  const int a_launch = blocks == 1 ? diagonals : 1;
  for (int diagonal = 2; diagonal < diagonals; diagonal += a_launch) {
    align<<<blocks, threads>>>(device_down.get(), device_across.get(), device_scores.get(), letters, diagonal,
                               std::min(diagonal + a_launch, diagonals) - 1);
    CHECK_LAUNCH();
  }
  workload::Report report("sequence_alignment");
  report.expect_equal("score", device_scores.download(), scores);
  return report.finish();
}
