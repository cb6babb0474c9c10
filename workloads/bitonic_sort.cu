// SPDX-License-Identifier: Apache-2.0
// Bitonic sort: steps of short distance in shared memory, steps of long distance in global memory, one launch each.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     512
//   warp instructions: no
//   size:              keys; padded to a power of two
#include <algorithm>

#include "common.h"

constexpr int kBlock = 64;
constexpr int kTile = 2 * kBlock;  // keys a block sorts in shared memory: each thread compares one pair

// The lower index of pair number `pair` at `distance` (a power of two).
__device__ int lower_of_pair(int pair, int distance) { return 2 * pair - (pair & (distance - 1)); }

__device__ void order_pair(unsigned* keys, int low, int distance, bool ascending) {
  const unsigned first = keys[low], second = keys[low + distance];
  if ((first > second) == ascending) {
    keys[low] = second;
    keys[low + distance] = first;
  }
}

// Every step with a distance below kTile of the merges of `first_length` to `last_length` keys.
__global__ void merge_in_tile(unsigned* keys, int first_length, int last_length) {
  __shared__ unsigned tile[kTile];
  const int base = blockIdx.x * kTile;
  tile[threadIdx.x] = keys[base + threadIdx.x];
  tile[threadIdx.x + kBlock] = keys[base + threadIdx.x + kBlock];
  __syncthreads();
  for (int length = first_length; length <= last_length; length *= 2)
    for (int distance = min(length, kTile) / 2; distance > 0; distance /= 2) {
      const int low = lower_of_pair(threadIdx.x, distance);
      order_pair(tile, low, distance, ((base + low) & length) == 0);
      __syncthreads();
    }
  keys[base + threadIdx.x] = tile[threadIdx.x];
  keys[base + threadIdx.x + kBlock] = tile[threadIdx.x + kBlock];
}

// One step with a distance of kTile or more.
__global__ void merge_in_memory(unsigned* keys, int length, int distance) {
  const int low = lower_of_pair(blockIdx.x * kBlock + threadIdx.x, distance);
  order_pair(keys, low, distance, (low & length) == 0);
}

int main(int argc, char** argv) {
  const long count = workload::parse_size(argc, argv, {200, 4000, 60000, 1, 1 << 24});
  int padded = kTile;
  while (padded < count) padded *= 2;
  workload::Random random(8);
  std::vector<unsigned> keys(padded, 0xffffffffu);
  for (long i = 0; i < count; ++i) keys[i] = random.next();
  std::vector<unsigned> reference = keys;
  std::sort(reference.begin(), reference.end());
  workload::DeviceArray<unsigned> device_keys(keys);
  const int blocks = padded / kTile;
  merge_in_tile<<<blocks, kBlock>>>(device_keys.get(), 2, kTile);
  CHECK_LAUNCH();
  for (int length = 2 * kTile; length <= padded; length *= 2) {
    for (int distance = length / 2; distance >= kTile; distance /= 2) {
      merge_in_memory<<<blocks, kBlock>>>(device_keys.get(), length, distance);
      CHECK_LAUNCH();
    }
    merge_in_tile<<<blocks, kBlock>>>(device_keys.get(), length, length);
    CHECK_LAUNCH();
  }
  workload::Report report("bitonic_sort");
  report.expect_equal("key", device_keys.download(), reference);
  return report.finish();
}
