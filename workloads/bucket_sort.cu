// SPDX-License-Identifier: Apache-2.0
// Bucket sort of random words: blocks split them into large buckets tile by tile, then take a large bucket at a time
// into shared memory, where each thread sorts a small bucket of its own by insertion. Neighbours' buckets have
// different lengths and orders, so that the loops of threads do too.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     15416, dynamic
//   warp instructions: no
//   size:              keys
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (sort).
#include <algorithm>

#include "persistent.h"

constexpr unsigned kMostLarge = 1024;  // large buckets

// What a block of kThreads has of shared memory. A small bucket has room for kSlots keys and holds half as many on
// average; slot s of thread t's bucket is word s * kStride + t, and below the first slot there is a word 0.
template <unsigned kThreads>
struct Layout {
  static constexpr unsigned kTile = kThreads * (kThreads <= 256 ? 4 : 16);
  static constexpr unsigned kSlots = kThreads <= 256 ? 12 : 28;
  static constexpr unsigned kGroup = kThreads <= 256 ? 16 : 32;  // threads that write a small bucket
  static constexpr unsigned kStride = kThreads + 1;              // rows and columns of slots are free of bank conflicts
  static constexpr unsigned kCountWords = kMostLarge;
  static constexpr unsigned kPlaceWords = kMostLarge + kThreads;
  static constexpr unsigned kSplitWords = kTile + 2 * kMostLarge + kThreads;
  static constexpr unsigned kSortWords = (kSlots + 1) * kStride + 2 * kThreads + 1;
};

// Keys are spread over all words: large bucket and small bucket are the leading parts of the key, as fractions.
__device__ inline unsigned large_of(unsigned key, unsigned large) { return __umulhi(key, large); }
template <unsigned kThreads>
__device__ inline unsigned small_of(unsigned key, unsigned large) {
  return __umulhi(key * large, kThreads);
}

// The sum of `value` over the threads of the block before this one, right for the first `count` of them. `scratch` has
// a word a thread.
__device__ inline unsigned sum_before(unsigned value, unsigned count, unsigned* scratch) {
  const unsigned thread = workload::thread_anew();
  unsigned* const own = scratch + thread;
  unsigned sum = value;
  *own = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned distance = 1; distance < count; distance *= 2) {
    unsigned before = 0;
    if (thread >= distance) before = *(own - distance);
    __syncthreads();
    *own = sum += before;
    __syncthreads();
  }
  return sum - value;
}

// Each of `count` words becomes the sum of the words before it; words after them, up to whole shares of the threads,
// must be zero.
template <unsigned kThreads>
__device__ void make_places(unsigned* words, unsigned count, unsigned* scratch) {
  const unsigned share = (count + kThreads - 1) / kThreads;
  unsigned* const own = words + threadIdx.x * share;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < share; ++i) sum += own[i];
  unsigned place = sum_before(sum, min(count, kThreads), scratch);
#pragma unroll 1
  for (unsigned i = 0; i < share; ++i) {
    const unsigned word = own[i];
    own[i] = place;
    place += word;
  }
}

// Counts the keys of each large bucket.
template <unsigned kThreads>
__global__ void count_keys(const unsigned* keys, unsigned count, unsigned large, unsigned* counts) {
  extern __shared__ unsigned own[];
  for (unsigned i = threadIdx.x; i < large; i += kThreads) own[i] = 0;
  __syncthreads();
  for (unsigned i = workload::first_item(); i < count; i += workload::kPersistentThreads)
    atomicAdd(&own[large_of(keys[i], large)], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < large; i += kThreads) atomicAdd(&counts[i], own[i]);
}

// Where large buckets begin, and where the last of them ends; in `next`, too.
template <unsigned kThreads>
__global__ void place_buckets(const unsigned* counts, unsigned large, unsigned* starts, unsigned* next) {
  extern __shared__ unsigned places[];
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < large + kThreads - 1; i += kThreads) places[i] = i < large ? counts[i] : 0;
  __syncthreads();
  make_places<kThreads>(places, large, places + kMostLarge);
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < large; i += kThreads) starts[i] = next[i] = places[i];
  if (threadIdx.x == 0) starts[large] = places[large - 1] + counts[large - 1];
}

// Puts keys into their large buckets, in any order: a tile is ordered in shared memory, room for its keys is reserved
// in each bucket, and runs of keys are written.
template <unsigned kThreads>
__global__ void split(const unsigned* keys, unsigned count, unsigned large, unsigned* next, unsigned* buckets) {
  extern __shared__ unsigned tile[];
  constexpr unsigned kTile = Layout<kThreads>::kTile;
  unsigned *const places = tile + kTile, *const moves = places + kMostLarge, *const scratch = moves + kMostLarge;
  for (unsigned first = blockIdx.x * kTile; first < count; first += workload::kPersistentThreads / kThreads * kTile) {
    const unsigned end = min(first + kTile, count);
    unsigned thread = workload::thread_anew();
#pragma unroll 1
    for (unsigned i = thread; i < large + kThreads - 1; i += kThreads) places[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = first + thread; i < end; i += kThreads) atomicAdd(&places[large_of(keys[i], large)], 1u);
    __syncthreads();
#pragma unroll 1
    for (unsigned i = thread; i < large; i += kThreads) moves[i] = atomicAdd(&next[i], places[i]);
    make_places<kThreads>(places, large, scratch);
    __syncthreads();
    thread = workload::thread_anew();
#pragma unroll 1
    for (unsigned i = thread; i < large; i += kThreads) moves[i] -= places[i];
    __syncthreads();
    thread = workload::thread_anew();
#pragma unroll 1
    for (unsigned i = first + thread; i < end; i += kThreads) {
      const unsigned key = keys[i];
      tile[atomicAdd(&places[large_of(key, large)], 1u)] = key;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned i = thread; i < end - first; i += kThreads) {
      const unsigned key = tile[i];
      buckets[moves[large_of(key, large)] + i] = key;
    }
    __syncthreads();
  }
}

// Sorts large buckets. `work` has three parts of `count` words: the buckets, the sorted keys, and what finds its small
// bucket full; that is inserted where the sorted keys lie. Behind them is where the buckets begin, and the last ends.
template <unsigned kThreads>
__global__ void sort_buckets(unsigned* work, unsigned count, unsigned large) {
  extern __shared__ unsigned words[];
  constexpr unsigned kSlots = Layout<kThreads>::kSlots, kStride = Layout<kThreads>::kStride;
  constexpr unsigned kGroup = Layout<kThreads>::kGroup;
  unsigned *const slots = words + kStride, *const places = slots + kSlots * kStride, *const scratch = places + kThreads;
  unsigned* const spared = scratch + kThreads;
#pragma unroll 1
  for (unsigned bucket = blockIdx.x; bucket < large; bucket += workload::kPersistentThreads / kThreads) {
    const unsigned* const starts = work + 3 * count + bucket;
    unsigned thread = workload::thread_anew();
    words[thread] = places[thread] = 0;
    if (thread == 0) *spared = starts[0];
    __syncthreads();
#pragma unroll 1
    for (unsigned i = starts[0] + thread, end = starts[1]; i < end; i += kThreads) {
      const unsigned key = work[i], small = small_of<kThreads>(key, large);
      const unsigned slot = atomicAdd(&places[small], 1u);
      if (slot < kSlots) {
        slots[slot * kStride + small] = key;
        KEEP_BRANCH();
      } else {
        work[count + count + atomicAdd(spared, 1u)] = key;
        KEEP_BRANCH();
      }
    }
    __syncthreads();
    thread = workload::thread_anew();
    const unsigned own = places[thread];
    unsigned *next_place = slots + thread, *const top = next_place + min(own, kSlots) * kStride;
#pragma unroll 1
    for (; next_place != top; next_place += kStride) {
      unsigned* place = next_place;
      const unsigned key = *place;
#pragma unroll 1
      for (unsigned before; (before = *(place - kStride)) > key; place -= kStride) *place = before;
      *place = key;
    }
    const unsigned before = sum_before(own, kThreads, scratch);
    places[workload::thread_anew()] = count + starts[0] + before;
    __syncthreads();
    // Neighbouring threads write the keys of one small bucket after the other.
    thread = workload::thread_anew();
    const unsigned lane = thread % kGroup;
#pragma unroll 1
    for (unsigned small = thread - lane, last = small + kGroup - 1; small <= last; ++small) {
      const unsigned place = places[small] + lane;
      const unsigned next = small + 1 < kThreads ? places[small + 1] : count + starts[1];
      if (lane < kSlots && place < next) work[place] = slots[lane * kStride + small];
    }
    __syncthreads();
    if (own > kSlots) {
      thread = workload::thread_anew();
      unsigned top = places[thread] + kSlots;
#pragma unroll 1
      for (unsigned i = count + count + starts[0]; top < places[thread] + own; ++i) {
        const unsigned key = work[i];
        if (small_of<kThreads>(key, large) != thread) continue;
        unsigned place = top++;
#pragma unroll 1
        for (; place > places[thread] && work[place - 1] > key; --place) work[place] = work[place - 1];
        work[place] = key;
      }
    }
    __syncthreads();
  }
}

template <unsigned kThreads>
std::vector<unsigned> sort(const std::vector<unsigned>& unsorted) {
  using Shared = Layout<kThreads>;
  const auto bytes = [](unsigned words) { return words * sizeof(unsigned); };
  const auto count = static_cast<unsigned>(unsorted.size());
  const unsigned large = std::min(workload::blocks_for(count, Shared::kSlots / 2 * kThreads), kMostLarge);
  workload::DeviceArray<unsigned> counts(large), next(large), work(3 * unsorted.size() + large + 1);
  const workload::DeviceArray<unsigned> keys(unsorted);
  const unsigned blocks = workload::persistent_blocks(kThreads, count);
  count_keys<kThreads><<<blocks, kThreads, bytes(Shared::kCountWords)>>>(keys.get(), count, large, counts.get());
  CHECK_LAUNCH();
  place_buckets<kThreads>
      <<<1, kThreads, bytes(Shared::kPlaceWords)>>>(counts.get(), large, work.get() + 3 * count, next.get());
  CHECK_LAUNCH();
  workload::allow_shared(split<kThreads>, bytes(Shared::kSplitWords));
  const unsigned tiles = workload::blocks_for(count, Shared::kTile);
  split<kThreads><<<workload::persistent_blocks(kThreads, tiles * kThreads), kThreads, bytes(Shared::kSplitWords)>>>(
      keys.get(), count, large, next.get(), work.get());
  CHECK_LAUNCH();
  workload::allow_shared(sort_buckets<kThreads>, bytes(Shared::kSortWords));
  sort_buckets<kThreads>
      <<<workload::persistent_blocks(kThreads, large * kThreads), kThreads, bytes(Shared::kSortWords)>>>(work.get(),
                                                                                                         count, large);
  CHECK_LAUNCH();
  const std::vector<unsigned> result = work.download();
  return std::vector<unsigned>(result.begin() + count, result.begin() + 2 * count);
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto count = static_cast<unsigned>(workload::parse_size(argc, argv, {200, 30000, 1048576, 1, 1 << 20}));
  workload::Random random(70);
  std::vector<unsigned> keys(count);
  for (unsigned& key : keys) key = random.next() << 8 | random.next() >> 16;
  const std::vector<unsigned> sorted = (threads == 256 ? sort<256> : threads == 512 ? sort<512> : sort<1024>)(keys);
  std::sort(keys.begin(), keys.end());
  workload::Report report("bucket_sort");
  report.expect_equal("key", sorted, keys);
  return report.finish();
}
