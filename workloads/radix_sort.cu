// SPDX-License-Identifier: Apache-2.0
// Radix sort of records with keys of eight bits by digits of four bits: counts of each block's digits, a scan of the
// counts, and a pass in which each block orders its keys by the digit in shared memory, bit by bit, then moves keys and
// values, of which there are four words a record, to their places.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     2112
//   warp instructions: no
//   size:              keys; padded to whole blocks
#include <algorithm>

#include "common.h"

constexpr unsigned kThreads = 256, kPerThread = 2, kBlockKeys = kThreads * kPerThread;
constexpr unsigned kBits = 4, kDigits = 1u << kBits, kKeyBits = 8;
constexpr unsigned kValueWords = 4;  // of a record, each word of all records in an array

// counts[digit * blocks + block]
__global__ void count_digits(const unsigned* keys, unsigned shift, unsigned* counts) {
  __shared__ unsigned mine[kDigits];
  if (threadIdx.x < kDigits) mine[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = 0; i < kPerThread; ++i)
    atomicAdd(&mine[keys[blockIdx.x * kBlockKeys + i * kThreads + threadIdx.x] >> shift & (kDigits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// Exclusive sum over the block of `value`; `total` is that of all. Every thread of the block comes here. Zeros lie
// below the sums, so that no thread has to ask whether there is one before it.
__device__ unsigned scanned(unsigned value, unsigned* zeros_and_sums, unsigned* total) {
  unsigned* sums = zeros_and_sums + kThreads;
  zeros_and_sums[threadIdx.x] = 0;
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const unsigned before = (sums + threadIdx.x)[-static_cast<int>(distance)];
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  *total = sums[kThreads - 1];
  const unsigned result = sums[threadIdx.x] - value;
  __syncthreads();
  return result;
}

// One block: counts become the places where the keys of each digit and block begin.
__global__ void scan_counts(unsigned* counts, unsigned entries) {
  __shared__ unsigned sums[2 * kThreads];
  unsigned before = 0;
  for (unsigned first = 0; first < entries; first += kThreads) {
    const unsigned at = first + threadIdx.x;
    unsigned total;
    const unsigned place = scanned(at < entries ? counts[at] : 0, sums, &total);
    if (at < entries) counts[at] = before + place;
    before += total;
  }
}

__global__ void move_records(const unsigned* in, unsigned* out, const unsigned* values, unsigned* moved, unsigned shift,
                             const unsigned* places, unsigned count) {
  __shared__ unsigned keys[kBlockKeys];  // and in the upper half where in the block they come from
  __shared__ unsigned starts[kDigits];
  static_assert(kBlockKeys >= 2 * kThreads, "sums and the zeros below them lie where the keys do");
  unsigned* sums = keys;
  // Thread t has keys 2t and 2t + 1 while it orders them.
  const unsigned first = blockIdx.x * kBlockKeys;
  unsigned key[kPerThread];
  for (unsigned i = 0; i < kPerThread; ++i) {
    const unsigned at = kPerThread * threadIdx.x + i;
    key[i] = in[first + at] | at << 16;
  }
  for (unsigned bit = shift; bit < shift + kBits; ++bit) {
    unsigned zero[kPerThread];
    for (unsigned i = 0; i < kPerThread; ++i) zero[i] = ~key[i] >> bit & 1;
    unsigned zeros;
    const unsigned before = scanned(zero[0] + zero[1], sums, &zeros);
    for (unsigned i = 0; i < kPerThread; ++i) {
      const unsigned zeros_before = before + (i == 0 ? 0 : zero[0]);
      keys[zero[i] != 0 ? zeros_before : zeros + kPerThread * threadIdx.x + i - zeros_before] = key[i];
    }
    __syncthreads();
    for (unsigned i = 0; i < kPerThread; ++i) key[i] = keys[kPerThread * threadIdx.x + i];
    __syncthreads();
  }
  for (unsigned i = 0; i < kPerThread; ++i) keys[kPerThread * threadIdx.x + i] = key[i];
  __syncthreads();
  // Where each digit begins among the block's keys: as many are smaller. Of digits that no key has, it does not matter.
  if (threadIdx.x < kDigits) {
    unsigned smaller = 0;
    for (unsigned step = kBlockKeys / 2; step > 0; step /= 2)
      smaller += (keys[smaller + step - 1] >> shift & (kDigits - 1)) < threadIdx.x ? step : 0;
    starts[threadIdx.x] = smaller;
  }
  __syncthreads();
  for (unsigned i = 0; i < kPerThread; ++i) {
    const unsigned at = i * kThreads + threadIdx.x, mine = keys[at], digit = mine >> shift & (kDigits - 1);
    const unsigned from = first + (mine >> 16), to = places[digit * gridDim.x + blockIdx.x] + at - starts[digit];
    out[to] = mine & ((1u << kKeyBits) - 1);
    for (unsigned word = 0; word < kValueWords; ++word) moved[word * count + to] = values[word * count + from];
  }
}

int main(int argc, char** argv) {
  const long size = workload::parse_size(argc, argv, {700, 8192, 200000, 1, 1 << 26});
  const unsigned blocks = workload::blocks_for(size, kBlockKeys), count = blocks * kBlockKeys;
  workload::Random random(65);
  std::vector<unsigned> keys(count);
  for (unsigned& key : keys) key = random.next() >> (24 - kKeyBits);
  std::vector<unsigned> values(kValueWords * count);
  for (unsigned& value : values) value = random.next();
  workload::DeviceArray<unsigned> first(keys), second(count), first_values(values), second_values(values.size());
  workload::DeviceArray<unsigned> counts(blocks * kDigits);
  unsigned *in = first.get(), *out = second.get(), *from = first_values.get(), *to = second_values.get();
  for (unsigned shift = 0; shift < kKeyBits; shift += kBits) {
    count_digits<<<blocks, kThreads>>>(in, shift, counts.get());
    CHECK_LAUNCH();
    scan_counts<<<1, kThreads>>>(counts.get(), blocks * kDigits);
    CHECK_LAUNCH();
    move_records<<<blocks, kThreads>>>(in, out, from, to, shift, counts.get(), count);
    CHECK_LAUNCH();
    std::swap(in, out);
    std::swap(from, to);
  }
  std::vector<unsigned> order(count), sorted(count), sorted_values(values.size());
  for (unsigned i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  for (unsigned i = 0; i < count; ++i) {
    sorted[i] = keys[order[i]];
    for (unsigned word = 0; word < kValueWords; ++word)
      sorted_values[word * count + i] = values[word * count + order[i]];
  }
  static_assert(kKeyBits / kBits % 2 == 0, "the last pass puts the records where they were");
  workload::Report report("radix_sort");
  report.expect_equal("key", first.download(), sorted);
  report.expect_equal("value", first_values.download(), sorted_values);
  return report.finish();
}
