// SPDX-License-Identifier: Apache-2.0
// Sorting networks: many short arrays of keys with values, each sorted in shared memory, first by a bitonic network, whose
// pairs have directions, then, downwards, by an odd-even merge, in which some threads have no pair.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     2048
//   warp instructions: no
//   size:              keys; padded to whole blocks
#include <algorithm>
#include <tuple>
#include <utility>

#include "common.h"

constexpr int kBlock = 128;
constexpr int kTile = 2 * kBlock;  // keys of a block: each thread compares a pair
constexpr int kLength = 128;       // keys of an array

__device__ void compare(unsigned& key_a, unsigned& value_a, unsigned& key_b, unsigned& value_b, bool ascending) {
  if ((key_a > key_b) == ascending) {
    unsigned held = key_a;
    key_a = key_b;
    key_b = held;
    held = value_a;
    value_a = value_b;
    value_b = held;
  }
}

// Arrays of `length` keys, a power of two up to kTile.
__global__ void sort_bitonic(unsigned* keys, unsigned* values, unsigned length, bool ascending) {
  __shared__ unsigned key[kTile], value[kTile];
  const int t = threadIdx.x, base = blockIdx.x * kTile + t;
  key[t] = keys[base];
  value[t] = values[base];
  key[t + kBlock] = keys[base + kBlock];
  value[t + kBlock] = values[base + kBlock];
  for (unsigned size = 2; size < length; size <<= 1) {
    const bool direction = ascending != ((t & (size / 2)) != 0);
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned low = 2 * t - (t & (stride - 1));
      compare(key[low], value[low], key[low + stride], value[low + stride], direction);
    }
  }
  // The last merge has the direction that the caller wants.
  for (unsigned stride = length / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    const unsigned low = 2 * t - (t & (stride - 1));
    compare(key[low], value[low], key[low + stride], value[low + stride], ascending);
  }
  __syncthreads();
  keys[base] = key[t];
  values[base] = value[t];
  keys[base + kBlock] = key[t + kBlock];
  values[base + kBlock] = value[t + kBlock];
}

__global__ void sort_odd_even(unsigned* keys, unsigned* values, unsigned length, bool ascending) {
  __shared__ unsigned key[kTile], value[kTile];
  const int t = threadIdx.x, base = blockIdx.x * kTile + t;
  key[t] = keys[base];
  value[t] = values[base];
  key[t + kBlock] = keys[base + kBlock];
  value[t + kBlock] = values[base + kBlock];
  for (unsigned size = 2; size <= length; size <<= 1) {
    unsigned stride = size / 2;
    const unsigned offset = t & (stride - 1);
    __syncthreads();
    unsigned low = 2 * t - (t & (stride - 1));
    compare(key[low], value[low], key[low + stride], value[low + stride], ascending);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      __syncthreads();
      low = 2 * t - (t & (stride - 1));
      if (offset >= stride) compare(key[low - stride], value[low - stride], key[low], value[low], ascending);
    }
  }
  __syncthreads();
  keys[base] = key[t];
  values[base] = value[t];
  keys[base + kBlock] = key[t + kBlock];
  values[base + kBlock] = value[t + kBlock];
}

int main(int argc, char** argv) {
  const long wanted = workload::parse_size(argc, argv, {700, 10000, 200000, 1, 1 << 22});
  const unsigned blocks = workload::blocks_for(wanted, kTile);
  const std::size_t count = std::size_t{blocks} * kTile;
  workload::Random random(82);
  std::vector<unsigned> keys(count), values(count), up_keys(count), up_values(count), down_keys(count), down_values(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = random.next() << 8 | static_cast<unsigned>(i % kLength);  // no two of an array are equal
    values[i] = static_cast<unsigned>(i);
  }
  for (std::size_t array = 0; array < count; array += kLength) {
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (std::size_t i = array; i < array + kLength; ++i) pairs.emplace_back(keys[i], values[i]);
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < kLength; ++i) {
      std::tie(up_keys[array + i], up_values[array + i]) = pairs[i];
      std::tie(down_keys[array + i], down_values[array + i]) = pairs[kLength - 1 - i];
    }
  }
  workload::DeviceArray<unsigned> bitonic_keys(keys), bitonic_values(values), merged_keys(keys), merged_values(values);
  sort_bitonic<<<blocks, kBlock>>>(bitonic_keys.get(), bitonic_values.get(), kLength, true);
  CHECK_LAUNCH();
  sort_odd_even<<<blocks, kBlock>>>(merged_keys.get(), merged_values.get(), kLength, false);
  CHECK_LAUNCH();
  workload::Report report("sorting_networks");
  report.expect_equal("key of the bitonic sort", bitonic_keys.download(), up_keys);
  report.expect_equal("value of the bitonic sort", bitonic_values.download(), up_values);
  report.expect_equal("key of the odd-even merge sort", merged_keys.download(), down_keys);
  report.expect_equal("value of the odd-even merge sort", merged_values.download(), down_values);
  return report.finish();
}
