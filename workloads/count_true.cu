// SPDX-License-Identifier: Apache-2.0
// How many of many booleans are true: each persistent thread counts four at a time, each block adds its threads' counts
// by a tree in shared memory. Few instructions a load: streaming that waits for memory.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     1024, dynamic
//   warp instructions: no
//   size:              booleans, a byte each
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: spec/large-warps-and-database-search.md, 5.1 (reduction).
#include "persistent.h"

// A word of `flags` holds four booleans, each 0 or 1. Shared memory: a word a thread.
__global__ void count_true(const unsigned* flags, unsigned words, unsigned* total) {
  extern __shared__ unsigned counts[];
  unsigned count = 0;
  for (unsigned i = workload::first_item(); i < words; i += workload::kPersistentThreads) count += __popc(flags[i]);
  counts[threadIdx.x] = count;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) counts[threadIdx.x] += counts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(total, counts[0]);
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto count = static_cast<unsigned>(workload::parse_size(argc, argv, {30000, 1000000, 33554432, 1, 1 << 28}));
  const unsigned words = (count + 3) / 4;
  workload::Random random(61);
  std::vector<unsigned> flags(words, 0), reference(1, 0);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned flag = random.next() >> 23;
    flags[i / 4] |= flag << i % 4 * 8;
    reference[0] += flag;
  }
  workload::DeviceArray<unsigned> device_flags(flags), total(1);
  count_true<<<workload::persistent_blocks(threads, words), threads, threads * sizeof(unsigned)>>>(device_flags.get(),
                                                                                                   words, total.get());
  CHECK_LAUNCH();
  workload::Report report("count_true");
  report.expect_equal("count", total.download(), reference);
  return report.finish();
}
