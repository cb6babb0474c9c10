// SPDX-License-Identifier: Apache-2.0
// A mixture of everything that traces show: loads from many rows, loops of different lengths, barriers, shared memory,
// atomics, blocks that start and end.
#include "expect.h"

__global__ void gather(const int* from, int* to, int* sum, int count) {
  __shared__ int part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = 0;
  for (int step = 0; step < threadIdx.x % 5 + 1; ++step) value += from[(i * 97 + step * 1031) % count];
  part[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x % 2 == 0) value += part[threadIdx.x + 1];
  __syncthreads();
  to[i] = value;
  if (threadIdx.x == 0) atomicAdd(sum, 1);
}

int main() {
  constexpr int kCount = 1 << 16, kBlocks = 24, kThreads = 128;
  int *from, *to, *sum;
  OK(cudaMalloc(&from, kCount * sizeof *from));
  OK(cudaMalloc(&to, kBlocks * kThreads * sizeof *to));
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMemset(from, 1, kCount * sizeof *from));
  OK(cudaMemset(sum, 0, sizeof *sum));
  for (int launch = 0; launch < 2; ++launch) gather<<<kBlocks, kThreads>>>(from, to, sum, kCount);
  int host = 0;
  OK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 2 * kBlocks);
  return finish();
}
