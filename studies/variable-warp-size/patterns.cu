// SPDX-License-Identifier: Apache-2.0
// Generic patterns of control flow and memory access by which warps of different width are compared, one a run, each
// with a check on the host.
//
// usage: patterns KERNEL [BLOCKS [ROUNDS]]   blocks of 256 threads
// Source: docs/sources/variable-warp-size.md, 5.3.
#include "../patterns.h"

constexpr unsigned kRowWords = 32, kTableRows = 8192, kHotRows = 64;  // 1 MB, of which 8 KB are hot

// What a pattern reads besides its thread's number: the grid's threads, rounds, the factor, the table.
struct Given {
  unsigned threads, rounds, factor;
  const unsigned* table;
};
using Pattern = unsigned (*)(unsigned thread, const Given& given);

// (a) Uniform loads: each 32 threads read one row of the table, all of them another in each round.
__host__ __device__ inline unsigned stream(unsigned thread, const Given& given) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < given.rounds; ++i) {
    const unsigned word = (thread + i * given.threads) % (kTableRows * kRowWords);
    value = work<4>(value, given.factor, given.table[word]);
  }
  return value;
}

// (b) Both ways of a branch in each round, by a bit of the thread's number. Bit 2 is the parity of the slice of four
// threads: gangs split. Bit 0 is the parity of the lane: every four threads are mixed alike, and no gang splits.
template <unsigned kBit>
__host__ __device__ inline unsigned parity(unsigned thread, const Given& given) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < given.rounds; ++i) {
    if ((thread >> kBit & 1) != 0) {
      value = work<20>(value, given.factor, 3);
      KEEP_BRANCH();
    } else {
      value = work<20>(value, given.factor, 1000);
      KEEP_BRANCH();
    }
  }
  return value;
}

// (c) In each round a loop of 0 to 15 turns, by thread and round.
__host__ __device__ inline unsigned trip_counts(unsigned thread, const Given& given) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < given.rounds; ++i) {
#pragma unroll 1
    for (unsigned turns = mixed(value + i) >> 28; turns != 0; --turns) value = work<6>(value, given.factor, turns);
    value = work<4>(value, given.factor, 7);
  }
  return value;
}

// (d) Half of each 32 threads exits after the first round; the other half goes on.
__host__ __device__ inline unsigned half_exits(unsigned thread, const Given& given) {
  unsigned value = work<20>(mixed(thread), given.factor, 3);
  if ((thread & 16) != 0) return value;
#pragma unroll 1
  for (unsigned i = 1; i < given.rounds; ++i) value = work<20>(value, given.factor, i);
  return value;
}

// (e) In each round every four threads read a row of their own: for one in four a row that nobody has read, for the
// others one of the hot ones.
__host__ __device__ inline unsigned mixed_rows(unsigned thread, const Given& given) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < given.rounds; ++i) {
    const unsigned random = mixed(thread / 4 + i * given.threads);
    const unsigned row = random >> 30 == 0 ? (random & (kTableRows - 1)) : (random & (kHotRows - 1));
    value = work<8>(value, given.factor, given.table[row * kRowWords + thread % kRowWords]);
  }
  return value;
}

template <Pattern pattern>
__global__ void every_thread(unsigned* out, Given given) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  out[thread] = pattern(thread, given);
}

int main(int argc, char** argv) {
  struct Named {
    const char* name;
    Pattern pattern;
    void (*kernel)(unsigned*, Given);
    unsigned rounds;  // by default
  };
  const Named kernels[] = {{"stream", stream, every_thread<stream>, 24},
                           {"slice_parity", parity<2>, every_thread<parity<2>>, 20},
                           {"lane_parity", parity<0>, every_thread<parity<0>>, 20},
                           {"trip_counts", trip_counts, every_thread<trip_counts>, 10},
                           {"half_exits", half_exits, every_thread<half_exits>, 20},
                           {"mixed_rows", mixed_rows, every_thread<mixed_rows>, 16}};
  const auto number_at = [&](int place, unsigned otherwise) {
    return argc > place ? static_cast<unsigned>(std::strtoul(argv[place], nullptr, 10)) : otherwise;
  };
  for (const Named& named : kernels) {
    if (argc < 2 || argc > 4 || std::strcmp(argv[1], named.name) != 0) continue;
    const unsigned blocks = number_at(2, 12), rounds = number_at(3, named.rounds);
    if (blocks == 0 || blocks > 4096 || rounds == 0 || rounds > 4096) {
      std::fprintf(stderr, "patterns: 1 to 4096 blocks, 1 to 4096 rounds\n");
      return workload::kExitUsage;
    }
    std::vector<unsigned> table(kTableRows * kRowWords), reference(std::size_t{blocks} * kBlock);
    for (unsigned i = 0; i < table.size(); ++i) table[i] = mixed(i);
    Given given{blocks * kBlock, rounds, 1664525, table.data()};
    for (unsigned i = 0; i < reference.size(); ++i) reference[i] = named.pattern(i, given);
    workload::DeviceArray<unsigned> device_table(table), out(reference.size());
    given.table = device_table.get();
    named.kernel<<<blocks, kBlock>>>(out.get(), given);
    CHECK_LAUNCH();
    workload::Report report(named.name);
    report.expect_equal("thread", out.download(), reference);
    return report.finish();
  }
  std::fprintf(stderr, "usage: patterns KERNEL [BLOCKS [ROUNDS]]   kernels:");
  for (const Named& named : kernels) std::fprintf(stderr, " %s", named.name);
  std::fprintf(stderr, "\n");
  return workload::kExitUsage;
}
