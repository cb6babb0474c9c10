// SPDX-License-Identifier: Apache-2.0
// Warps that poll flags set by earlier warps, and then read uncached data: each must get its data while others poll.
// The argument is the number of warps.
#include "expect.h"

constexpr int kLine = 32;  // integers

template <bool kCached>
__global__ void in_turn(int* ready, const int* data, int* sum, int warps) {
  const int warp = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (warp >= warps) return;
  const int before = warp - 1 - lane;
  if (before >= 0) {
    int set = 0;
    while (set == 0) {
      // A load that may hit in the L1, or one that looks in the L2.
      asm volatile("{ .reg .b64 a; cvta.to.global.u64 a, %1; \n\t"
                   " ld.global.ca.s32 %0, [a]; }" : "=r"(set) : "l"(ready + before * kLine) : "memory");
      if (!kCached) set = *reinterpret_cast<volatile int*>(ready + before * kLine);
    }
  }
  __syncwarp();
  int value = data[(warp * 32 + lane) * kLine];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (lane == 0) {
    sum[warp] = value;
    __threadfence();
    *reinterpret_cast<volatile int*>(ready + warp * kLine) = 1;
  }
}

template <bool kCached>
void test(int warps) {
  int *ready, *data, *sum;
  OK(cudaMalloc(&ready, warps * kLine * sizeof(int)));
  OK(cudaMalloc(&data, warps * 32 * kLine * sizeof(int)));
  OK(cudaMalloc(&sum, warps * sizeof(int)));
  OK(cudaMemset(ready, 0, warps * kLine * sizeof(int)));
  OK(cudaMemset(data, 1, warps * 32 * kLine * sizeof(int)));
  in_turn<kCached><<<(warps + 7) / 8, 256>>>(ready, data, sum, warps);
  OK(cudaDeviceSynchronize());
  int last = 0;
  OK(cudaMemcpy(&last, sum + warps - 1, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == 32 * 0x01010101);
}

int main(int argc, char** argv) {
  const int warps = argc > 1 ? atoi(argv[1]) : 64;
  test<true>(warps);
  test<false>(warps);
  return finish();
}
