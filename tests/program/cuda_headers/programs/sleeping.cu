// SPDX-License-Identifier: Apache-2.0
// Threads that sleep on either side of a branch and reconverge in between.
#include "check.h"

constexpr int kBlock = 256, kBlocks = 4, kRounds = 6;

__global__ void sleeping(int* out) {
  const int t = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  int value = 0;
  for (int round = 0; round < kRounds; ++round) {
    if ((t * 7 + round) % 5 < 2) {
      __nanosleep(100 * (t % 3 + 1));
      value += 3;
    } else if (t % 2) {
      value += round;
      __nanosleep(40);
    }
    value += __shfl_xor_sync(~0u, value, 1) & 3;
    if (t % 4 == 1) __nanosleep(5);
    __syncthreads();
  }
  out[t] = value;
}

int main() {
  Mirror<int> out(kBlock * kBlocks);
  sleeping<<<kBlocks, kBlock>>>(out.device);
  out.fetch();
  std::vector<int> values(kBlock * kBlocks);
  for (int round = 0; round < kRounds; ++round) {
    for (int t = 0; t < kBlock * kBlocks; ++t) values[t] += (t * 7 + round) % 5 < 2 ? 3 : t % 2 ? round : 0;
    for (int t = 0; t < kBlock * kBlocks; t += 2) {
      const int even = values[t], odd = values[t + 1];
      values[t] += odd & 3;
      values[t + 1] += even & 3;
    }
  }
  for (int t = 0; t < kBlock * kBlocks; ++t) expect_equal("value", out[t], values[t]);
  return finish();
}
