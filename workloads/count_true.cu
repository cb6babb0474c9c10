// SPDX-License-Identifier: Apache-2.0
// How many of many booleans are true: each persistent thread adds one byte after the other, each block its threads'
// counts by a tree in shared memory. Streaming that waits for memory; four warps share a line.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     1024, dynamic
//   warp instructions: no
//   size:              booleans, a byte each
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (reduction).
#include "persistent.h"

// Each of `flags` is 0 or 1. Shared memory: a word a thread.
__global__ void count_true(const unsigned char* flags, unsigned size, unsigned* total) {
  extern __shared__ unsigned counts[];
  unsigned count = 0;
  const unsigned char* const end = flags + size;
#pragma unroll 1  // a load in flight a thread
  for (flags += workload::first_item(); flags < end; flags += workload::kPersistentThreads) count += *flags;
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
  workload::Random random(61);
  std::vector<unsigned char> flags(count);
  std::vector<unsigned> reference(1, 0);
  for (unsigned char& flag : flags) reference[0] += flag = static_cast<unsigned char>(random.below(2));
  workload::DeviceArray<unsigned char> device_flags(flags);
  workload::DeviceArray<unsigned> total(1);
  count_true<<<workload::persistent_blocks(threads, count), threads, threads * sizeof(unsigned)>>>(device_flags.get(),
                                                                                                   count, total.get());
  CHECK_LAUNCH();
  workload::Report report("count_true");
  report.expect_equal("count", total.download(), reference);
  return report.finish();
}
