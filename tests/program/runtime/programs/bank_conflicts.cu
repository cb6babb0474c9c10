// SPDX-License-Identifier: Apache-2.0
// A kernel that waits almost only for shared memory banks.
#include <algorithm>
#include <vector>

#include "expect.h"

constexpr int kThreads = 64, kBlocks = 4, kMostStride = 32;

// Accesses of one pass over the banks, of two, and so on to one a thread.
__global__ void strides(int* out) {
  __shared__ int cells[kThreads * kMostStride];
  const int t = threadIdx.x;
  for (int i = t; i < kThreads * kMostStride; i += kThreads) cells[i] = i;
  __syncthreads();
  int sum = blockIdx.x;
  for (int stride = 1; stride <= kMostStride; stride *= 2) {
    sum += cells[t * stride];
    __syncthreads();
    cells[(kThreads - 1 - t) * stride] = sum;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] = sum;
}

static std::vector<int> expected(int block) {
  std::vector<int> cells(kThreads * kMostStride), sums(kThreads, block);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<int>(i);
  for (int stride = 1; stride <= kMostStride; stride *= 2) {
    for (int t = 0; t < kThreads; ++t) sums[t] += cells[t * stride];
    for (int t = 0; t < kThreads; ++t) cells[(kThreads - 1 - t) * stride] = sums[t];
  }
  return sums;
}

int main() {
  int* out;
  OK(cudaMalloc(&out, kBlocks * kThreads * sizeof *out));
  strides<<<kBlocks, kThreads>>>(out);
  std::vector<int> sums(kBlocks * kThreads);
  OK(cudaMemcpy(sums.data(), out, sums.size() * sizeof *out, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; ++block) {
    const std::vector<int> want = expected(block);
    EXPECT(std::equal(want.begin(), want.end(), sums.begin() + block * kThreads));
  }
  return finish();
}
