// SPDX-License-Identifier: Apache-2.0
// Full table scan: the row numbers of a column whose values lie below a bound. Each warp collects them in shared
// memory, one behind the other, and writes whole lines to places that an atomic reserves, so that their order depends
// on the order of threads.
//
//   order dependent:   yes
//   digest:            none
//   blocks:            256
//   shared memory:     8192
//   warp instructions: yes
//   size:              rows; rounded up to whole rounds of the block
//
// Options: --variant base|cond_acc, by ballots or by the instruction of heddle.h; --selectivity N, one of N rows passes
// (a power of two, 2 to 1024); --skip no|yes, nothing is collected where no row of a warp passes; --threads 256|1024;
// --counts yes prints how often that is so.
// Source: docs/sources/large-warps-and-database-search.md, 5.3.
#include <heddle.h>

#include <algorithm>

#include "common.h"

constexpr unsigned kAll = 0xffffffffu;
constexpr unsigned kRoom = 256;   // words of a warp's buffer
constexpr unsigned kFlush = 224;  // of them written at once: 7 lines

struct Conditional {
  static __device__ unsigned collect(unsigned* place, bool passes, unsigned row, unsigned) {
    return __cond_acc_shared_sync(kAll, place, passes, row);
  }
};
struct Ballots {
  static __device__ unsigned collect(unsigned* place, bool passes, unsigned row, unsigned before) {
    const unsigned bits = __ballot_sync(kAll, passes);
    if (passes) place[__popc(bits & before)] = row;
    return __popc(bits);
  }
};

__device__ unsigned reserve(unsigned* counter, unsigned words, unsigned lane) {
  unsigned first = 0;
  if (lane == 0) first = atomicAdd(counter, words);
  return __shfl_sync(kAll, first, 0);
}

template <class Collector, bool kSkip, unsigned kThreads>
__global__ void full_table_scan(const unsigned* column, unsigned rows, unsigned bound, unsigned* output,
                                unsigned* counter) {
  __shared__ unsigned buffers[kThreads / 32][kRoom];
  const unsigned lane = threadIdx.x & 31, before = (1u << lane) - 1;
  unsigned* const buffer = buffers[threadIdx.x >> 5];
  unsigned found = 0, row = threadIdx.x;
  do {
    const bool passes = column[row] < bound;
    if (!kSkip || __any_sync(kAll, passes)) {
      found += Collector::collect(buffer + found, passes, row, before);
      if (found > kFlush) {
        const unsigned first = reserve(counter, kFlush, lane);
        unsigned j = lane;
        do {
          output[first + j] = buffer[j];
          j += 32;
        } while (j < kFlush);
        const unsigned left = found - kFlush;
        if (lane < left) buffer[lane] = buffer[kFlush + lane];
        found = left;
      }
    }
    row += kThreads;
  } while (row < rows);
  const unsigned full = found & 0xffe0u;
  unsigned first = reserve(counter, full, lane);
  unsigned j = lane;
  for (; j < full; j += 32) output[first + j] = buffer[j];
  __syncthreads();  // whole lines of all warps first: they stay aligned
  first = reserve(counter, found - full, lane);
  if (j < found) output[first + lane] = buffer[j];
}

using Kernel = void (*)(const unsigned*, unsigned, unsigned, unsigned*, unsigned*);
template <unsigned kThreads>
Kernel kernel_for(bool conditional, bool skip) {
  if (conditional)
    return skip ? full_table_scan<Conditional, true, kThreads> : full_table_scan<Conditional, false, kThreads>;
  return skip ? full_table_scan<Ballots, true, kThreads> : full_table_scan<Ballots, false, kThreads>;
}

int main(int argc, char** argv) {
  const bool conditional = workload::take_choice(argc, argv, "--variant", {"base", "cond_acc"}) == 1;
  const std::vector<std::string> selectivities{"2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"};
  const std::size_t selectivity = 1 + workload::take_choice(argc, argv, "--selectivity", selectivities);
  const bool skip = workload::take_choice(argc, argv, "--skip", {"no", "yes"}) == 1;
  const unsigned threads = workload::take_choice(argc, argv, "--threads", {"256", "1024"}) == 1 ? 1024 : 256;
  const bool counts = workload::take_choice(argc, argv, "--counts", {"no", "yes"}) == 1;
  const auto asked = static_cast<unsigned>(workload::parse_size(argc, argv, {4096, 131072, 4194304, 1, 1 << 28}));
  const unsigned rows = (asked + threads - 1) / threads * threads;
  const unsigned bound = 1u << (32 - selectivity);

  workload::Random random(53);
  std::vector<unsigned> column(rows), reference;
  unsigned empty = 0;
  for (unsigned row = 0; row < rows; ++row) {
    if (row % 32 == 0 && row != 0 && (reference.empty() || reference.back() < row - 32)) ++empty;
    column[row] = random.next() << 8 | random.next() >> 16;
    if (column[row] < bound) reference.push_back(row);
  }
  if (reference.empty() || reference.back() < rows - 32) ++empty;

  workload::DeviceArray<unsigned> device_column(column), output(rows), counter(1);
  (threads == 1024 ? kernel_for<1024>(conditional, skip) : kernel_for<256>(conditional, skip))<<<1, threads>>>(
      device_column.get(), rows, bound, output.get(), counter.get());
  CHECK_LAUNCH();

  workload::Report report("full_table_scan");
  const unsigned found = counter.download()[0];
  report.expect_true("number of rows", found == reference.size());
  std::vector<unsigned> result = output.download();
  result.resize(std::min<std::size_t>(found, result.size()));
  report.add(result);
  std::sort(result.begin(), result.end());
  report.expect_true("rows", result == reference);
  // Rounds of a warp over its rows, those of them in which no row passes, rows that pass, and how many rows a warp may
  // hold: one round more than what it does not yet write.
  if (counts) std::printf("counts rounds=%u empty=%u found=%u most=%u\n", rows / 32, empty, found, kFlush + 32);
  return report.finish();
}
