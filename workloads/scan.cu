// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sum: shuffles within 32 threads, shared memory within a block, a scan of the blocks' totals, and a
// last kernel that adds what precedes each block.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     20
//   warp instructions: yes
//   size:              elements
#include "common.h"

constexpr int kBlock = 128;
constexpr int kWarps = kBlock / 32;
constexpr unsigned kAll = 0xffffffffu;

__device__ int scan_in_warp(int value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(kAll, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

// The sum of `value` over this thread and those before it in the block. `warp_totals` has kWarps entries and is free
// again after the next barrier.
__device__ int scan_in_block(int value, int* warp_totals) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = scan_in_warp(value);
  if (lane == 31) warp_totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int total = scan_in_warp(lane < kWarps ? warp_totals[lane] : 0);
    if (lane < kWarps) warp_totals[lane] = total;
  }
  __syncthreads();
  return warp == 0 ? value : value + warp_totals[warp - 1];
}

__global__ void scan_blocks(const int* in, int* out, int* block_totals, int count) {
  __shared__ int warp_totals[kWarps];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int sum = scan_in_block(i < count ? in[i] : 0, warp_totals);
  if (i < count) out[i] = sum;
  if (threadIdx.x == kBlock - 1) block_totals[blockIdx.x] = sum;
}

// One block walks over all totals and carries the sum of what it has seen.
__global__ void scan_totals(int* totals, int count) {
  __shared__ int warp_totals[kWarps];
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int first = 0; first < count; first += kBlock) {
    const int i = first + threadIdx.x;
    const int sum = scan_in_block(i < count ? totals[i] : 0, warp_totals) + carry;
    if (i < count) totals[i] = sum;
    __syncthreads();
    if (threadIdx.x == kBlock - 1) carry = sum;
    __syncthreads();
  }
}

__global__ void add_preceding(int* out, const int* totals, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (blockIdx.x > 0 && i < count) out[i] += totals[blockIdx.x - 1];
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {900, 60000, 1000000, 1, 1 << 26}));
  const int blocks = static_cast<int>(workload::blocks_for(count, kBlock));
  workload::Random random(6);
  std::vector<int> in(count), reference(count);
  int sum = 0;
  for (int i = 0; i < count; ++i) reference[i] = sum += in[i] = static_cast<int>(random.below(100)) - 30;
  workload::DeviceArray<int> device_in(in), out(count), totals(blocks);
  scan_blocks<<<blocks, kBlock>>>(device_in.get(), out.get(), totals.get(), count);
  CHECK_LAUNCH();
  scan_totals<<<1, kBlock>>>(totals.get(), blocks);
  CHECK_LAUNCH();
  add_preceding<<<blocks, kBlock>>>(out.get(), totals.get(), count);
  CHECK_LAUNCH();
  workload::Report report("scan");
  report.expect_equal("prefix sum", out.download(), reference);
  return report.finish();
}
