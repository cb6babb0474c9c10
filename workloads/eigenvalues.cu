// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric tridiagonal matrices by bisection, a block a matrix: each thread counts the eigenvalues below
// the middle of an interval, and the intervals that still hold some are compacted. Few intervals are left or wide at
// first, and some are done long before the others.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     2824
//   warp instructions: no
//   size:              matrices, of 24 to 128 rows; of at most 32 for fewer than eight
#include <algorithm>

#include "common.h"

constexpr int kBlock = 128;  // the most rows, and so the most intervals
constexpr float kNear = 8e-3f;
constexpr float kLeastPivot = 1e-10f;

// Eigenvalues below `x`: negative pivots of the decomposition of the matrix less `x` (a Sturm count). `squares` are those
// of the off-diagonal, the first of them zero.
__host__ __device__ inline int count_below(const float* diagonal, const float* squares, int rows, float x) {
  int count = 0;
  float pivot = 1.0f;
  for (int i = 0; i < rows; ++i) {
    pivot = diagonal[i] - x - squares[i] / pivot;
    if (fabsf(pivot) < kLeastPivot) pivot = -kLeastPivot;
    if (pivot < 0.0f) ++count;
  }
  return count;
}

__host__ __device__ inline float middle_of(float low, float high) { return fmaf(0.5f, high - low, low); }

__host__ __device__ inline bool is_narrow(float low, float high, float middle) {
  return high - low < kNear || middle <= low || middle >= high;
}

// Matrix `blockIdx.x` has `rows[blockIdx.x]` rows from `first[blockIdx.x]` on, and its eigenvalues lie between `lowest` and
// `highest`.
__global__ void bisect(const float* diagonals, const float* off_squares, const int* first, const int* rows,
                       const float* lowest, const float* highest, float* eigenvalues) {
  __shared__ float diagonal[kBlock], squares[kBlock];
  __shared__ float low[kBlock], high[kBlock];             // of the intervals
  __shared__ short below_low[kBlock], below_high[kBlock];  // eigenvalues below either end
  __shared__ short place[kBlock + 1];                      // of the second half of an interval that is cut
  __shared__ int active;
  const int t = threadIdx.x, start = first[blockIdx.x], count = rows[blockIdx.x];
  if (t < count) {
    diagonal[t] = diagonals[start + t];
    squares[t] = off_squares[start + t];
  }
  if (t == 0) {
    low[0] = lowest[blockIdx.x];
    high[0] = highest[blockIdx.x];
    below_low[0] = 0;
    below_high[0] = static_cast<short>(count);
    active = 1;
  }
  __syncthreads();

  int intervals = 1;
  while (intervals > 0) {
    float my_low = 0.0f, my_high = 0.0f, middle = 0.0f;
    int my_first = 0, my_last = 0, below = 0;
    bool keeps_lower = false, keeps_upper = false;
    if (t < intervals) {
      my_low = low[t];
      my_high = high[t];
      my_first = below_low[t];
      my_last = below_high[t];
      middle = middle_of(my_low, my_high);
      if (is_narrow(my_low, my_high, middle)) {
        for (int i = my_first; i < my_last; ++i) eigenvalues[start + i] = middle;
      } else {
        below = count_below(diagonal, squares, count, middle);
        below = min(max(below, my_first), my_last);
        keeps_lower = below > my_first;
        keeps_upper = below < my_last;
      }
    }
    // Where the halves go that hold eigenvalues: a prefix sum over the threads.
    place[t + 1] = static_cast<short>(keeps_lower + keeps_upper);
    if (t == 0) place[0] = 0;
    __syncthreads();
#pragma unroll 1
    for (int distance = 1; distance < kBlock; distance *= 2) {
      const short added = t + 1 > distance ? place[t + 1 - distance] : static_cast<short>(0);
      __syncthreads();
      place[t + 1] = static_cast<short>(place[t + 1] + added);
      __syncthreads();
    }
    int next = place[t];
    if (keeps_lower) {
      low[next] = my_low;
      high[next] = middle;
      below_low[next] = static_cast<short>(my_first);
      below_high[next] = static_cast<short>(below);
      ++next;
    }
    if (keeps_upper) {
      low[next] = middle;
      high[next] = my_high;
      below_low[next] = static_cast<short>(below);
      below_high[next] = static_cast<short>(my_last);
    }
    if (t == 0) active = place[kBlock];
    __syncthreads();
    intervals = active;
  }
}

// The same intervals, one after the other.
void bisect_all(const float* diagonal, const float* squares, int rows, float low, float high, int first, int last,
                float* eigenvalues) {
  const float middle = middle_of(low, high);
  if (is_narrow(low, high, middle)) {
    for (int i = first; i < last; ++i) eigenvalues[i] = middle;
    return;
  }
  const int below = std::min(std::max(count_below(diagonal, squares, rows, middle), first), last);
  if (below > first) bisect_all(diagonal, squares, rows, low, middle, first, below, eigenvalues);
  if (below < last) bisect_all(diagonal, squares, rows, middle, high, below, last, eigenvalues);
}

int main(int argc, char** argv) {
  const int matrices = static_cast<int>(workload::parse_size(argc, argv, {2, 10, 200, 1, 4096}));
  const int most = matrices < 8 ? 32 : kBlock;
  workload::Random random(83);
  std::vector<int> first, rows;
  std::vector<float> diagonal, squares, lowest, highest, reference;
  bool traces_agree = true;
  for (int matrix = 0; matrix < matrices; ++matrix) {
    const int start = static_cast<int>(diagonal.size());
    const int count = 24 + static_cast<int>(random.below(static_cast<unsigned>(most - 24 + 1)));
    first.push_back(start);
    rows.push_back(count);
    std::vector<float> off(count + 1, 0.0f);
    for (int i = 1; i < count; ++i) off[i] = random.between(0.0f, 1.0f);
    float low = 0.0f, high = 0.0f, trace = 0.0f, sum = 0.0f;
    for (int i = 0; i < count; ++i) {
      // Clusters: half of the diagonal lies near two values.
      const float value = random.below(2) == 0 ? (random.below(2) == 0 ? -2.0f : 3.0f) : random.between(-8.0f, 8.0f);
      diagonal.push_back(value);
      squares.push_back(off[i] * off[i]);
      low = std::min(low, value - off[i] - off[i + 1]);  // the circles of Gershgorin
      high = std::max(high, value + off[i] + off[i + 1]);
      trace += value;
    }
    lowest.push_back(low - 0.01f);
    highest.push_back(high + 0.01f);
    reference.resize(diagonal.size());
    bisect_all(&diagonal[start], &squares[start], count, lowest.back(), highest.back(), 0, count, &reference[start]);
    for (int i = 0; i < count; ++i) sum += reference[start + i];
    traces_agree = traces_agree && std::fabs(sum - trace) < 0.5f * kNear * static_cast<float>(count) + 0.01f;
  }
  workload::DeviceArray<float> device_diagonal(diagonal), device_squares(squares), device_low(lowest), device_high(highest);
  workload::DeviceArray<int> device_first(first), device_rows(rows);
  workload::DeviceArray<float> eigenvalues(reference.size());
  bisect<<<matrices, kBlock>>>(device_diagonal.get(), device_squares.get(), device_first.get(), device_rows.get(),
                               device_low.get(), device_high.get(), eigenvalues.get());
  CHECK_LAUNCH();
  workload::Report report("eigenvalues");
  report.expect_equal("eigenvalue", eigenvalues.download(), reference);
  report.expect_true("sum of eigenvalues, which is not the trace", traces_agree);
  return report.finish();
}
