// SPDX-License-Identifier: Apache-2.0
// Addresses beyond the 32 bits of shared and local memory: only the low 32 bits count.
#include "expect.h"

constexpr int kThreads = 32;

// An unsigned index that is meant to be negative: the sum in 64 bits lies 2^34 bytes beyond the array.
__global__ void backwards(int* out, unsigned back) {
  __shared__ int values[4 * kThreads];
  for (int i = threadIdx.x; i < 4 * kThreads; i += kThreads) values[i] = i;
  __syncthreads();
  int* middle = values + 2 * kThreads;
  out[threadIdx.x] = middle[~(threadIdx.x + back)];
}

// The same for stores and atomics, every lane with other upper bits.
__global__ void scattered(int* out) {
  __shared__ int values[kThreads];
  const unsigned lane = threadIdx.x;
  unsigned start;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(start) : "l"(values));
  const unsigned long long address =
      static_cast<unsigned long long>(lane * 0x9e3779b1u) << 32 | (start + 4 * (kThreads - 1 - lane));
  asm volatile("st.shared.u32 [%0], %1;" ::"l"(address), "r"(lane) : "memory");
  asm volatile("red.shared.add.u32 [%0], %1;" ::"l"(address + (1ull << 40)), "r"(1000) : "memory");
  __syncthreads();
  out[lane] = values[lane];
}

__global__ void local_memory(int* out, int index) {
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = 10 * i + static_cast<int>(threadIdx.x);
  int* place = own + index;
  asm volatile("" : "+l"(place)::"memory");
  unsigned long long address;
  asm("cvta.to.local.u64 %0, %1;" : "=l"(address) : "l"(place));
  int value;
  asm volatile("ld.local.u32 %0, [%1];" : "=r"(value) : "l"(address + (3ull << 32)) : "memory");
  out[threadIdx.x] = value;
}

int main() {
  int *out, host[kThreads];
  OK(cudaMalloc(&out, sizeof host));
  const auto fetch = [&] { OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); };
  backwards<<<1, kThreads>>>(out, 0);
  fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(host[i] == 2 * kThreads - 1 - i);
  scattered<<<1, kThreads>>>(out);
  fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(host[i] == 1000 + kThreads - 1 - i);
  local_memory<<<1, kThreads>>>(out, 5);
  fetch();
  for (int i = 0; i < kThreads; ++i) EXPECT(host[i] == 50 + i);
  return finish();
}
