// SPDX-License-Identifier: Apache-2.0
// Six kernels, each with one property that makes warps of resizable width gain or lose; one a run, with a check on the
// host.
//
// usage: kernels KERNEL [BLOCKS [ROUNDS [PARAMETER]]]
//   KERNEL          PARAMETER, default
//   stream          bytes of an element: 1, 4 or 8; 4    loads, arithmetic and stores of unit stride
//   flags           flags set, of 100; 10                a byte a thread: test it, leave, or clear it
//   paths           ways that eight threads may take, 1 to 17; 17   each way has an access of its own, blocks of 16
//   chase           longest chain; 24                    dependent loads, each thread a chain of its own length
//   tiles           words that a thread adds up between two barriers; 8   a tile in shared memory in each round
//   arithmetic      none                                 no memory but one store
// Source: docs/sources/dynamic-warp-resizing.md, 5 (k1 to k6, in this order).
#include "../patterns.h"

namespace {

constexpr unsigned kFactor = 1664525;
constexpr unsigned kPaths = 17, kSmallBlock = 16, kSubWarp = 8;
constexpr unsigned kChainNodes = 1u << 15;

struct Arguments {
  unsigned blocks, rounds, parameter;
};

template <class T>
__global__ void stream(const T* in, T* out, unsigned rounds, unsigned factor) {
  const unsigned threads = gridDim.x * kBlock;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x, round = 0; round < rounds; ++round, i += threads)
    out[i] = static_cast<T>(work<8>(static_cast<unsigned>(in[i]), factor, round));
}

template <class T>
int run_stream(const Arguments& given) {
  const std::size_t count = std::size_t{given.blocks} * kBlock * given.rounds;
  std::vector<T> in(count), reference(count);
  for (std::size_t i = 0; i < count; ++i) {
    in[i] = static_cast<T>(mixed(static_cast<unsigned>(i)));
    reference[i] = static_cast<T>(work<8>(static_cast<unsigned>(in[i]), kFactor, static_cast<unsigned>(i / (given.blocks * kBlock))));
  }
  workload::DeviceArray<T> device_in(in), out(count);
  stream<T><<<given.blocks, kBlock>>>(device_in.get(), out.get(), given.rounds, kFactor);
  CHECK_LAUNCH();
  workload::Report report("stream");
  report.expect_equal("element", out.download(), reference);
  return report.finish();
}

int run_stream_of(const Arguments& given) {
  if (given.parameter == 1) return run_stream<unsigned char>(given);
  return given.parameter == 8 ? run_stream<unsigned long long>(given) : run_stream<unsigned>(given);
}

// Each round looks at flags of its own.
__global__ void clear_flags(unsigned char* flags, unsigned* cleared, unsigned rounds) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x, threads = gridDim.x * kBlock;
  unsigned count = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    unsigned char* const flag = flags + round * threads + thread;
    if (*flag == 0) continue;
    *flag = 0;
    ++count;
    KEEP_BRANCH();
  }
  cleared[thread] = count;
}

int run_flags(const Arguments& given) {
  const unsigned threads = given.blocks * kBlock;
  std::vector<unsigned char> flags(std::size_t{threads} * given.rounds);
  std::vector<unsigned> reference(threads, 0);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    flags[i] = mixed(static_cast<unsigned>(i)) % 100 < given.parameter ? 1 : 0;
    reference[i % threads] += flags[i];
  }
  workload::DeviceArray<unsigned char> device_flags(flags);
  workload::DeviceArray<unsigned> cleared(threads);
  clear_flags<<<given.blocks, kBlock>>>(device_flags.get(), cleared.get(), given.rounds);
  CHECK_LAUNCH();
  workload::Report report("flags");
  report.expect_equal("cleared", cleared.download(), reference);
  report.expect_equal("flag", device_flags.download(), std::vector<unsigned char>(flags.size(), 0));
  return report.finish();
}

// What eight threads do in a round; each case is an access at an address of its own in the program.
template <unsigned kPath>
__host__ __device__ inline unsigned on_path(unsigned path, const unsigned* table, unsigned index, unsigned factor) {
  if constexpr (kPath == kPaths) {
    return 0;
  } else {
    if (path == kPath) {
      const unsigned value = work<kPath % 5 + 1>(table[index + kPath * 64], factor, kPath);
      KEEP_BRANCH();
      return value;
    }
    return on_path<kPath + 1>(path, table, index, factor);
  }
}

__host__ __device__ inline unsigned along_paths(unsigned thread, unsigned rounds, unsigned paths, const unsigned* table, unsigned factor) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned path = mixed(thread / kSubWarp * 64 + round) % paths;
    sum += on_path<0>(path, table, (thread + round * kSmallBlock) % (kChainNodes - kPaths * 64), factor);
  }
  return sum;
}

__global__ void take_paths(unsigned* out, unsigned rounds, unsigned paths, const unsigned* table, unsigned factor) {
  const unsigned thread = blockIdx.x * kSmallBlock + threadIdx.x;
  out[thread] = along_paths(thread, rounds, paths, table, factor);
}

std::vector<unsigned> random_table() {
  std::vector<unsigned> table(kChainNodes);
  for (unsigned i = 0; i < kChainNodes; ++i) table[i] = mixed(i + 77);
  return table;
}

int run_paths(const Arguments& given) {
  const std::vector<unsigned> table = random_table();
  std::vector<unsigned> reference(std::size_t{given.blocks} * kSmallBlock);
  for (unsigned i = 0; i < reference.size(); ++i)
    reference[i] = along_paths(i, given.rounds, given.parameter, table.data(), kFactor);
  workload::DeviceArray<unsigned> device_table(table), out(reference.size());
  take_paths<<<given.blocks, kSmallBlock>>>(out.get(), given.rounds, given.parameter, device_table.get(), kFactor);
  CHECK_LAUNCH();
  workload::Report report("paths");
  report.expect_equal("sum", out.download(), reference);
  return report.finish();
}

// `next` leads from node to node, half of the time within 512 nodes.
__host__ __device__ inline unsigned chase(unsigned thread, unsigned rounds, unsigned longest, const unsigned* next) {
  unsigned node = mixed(thread) % kChainNodes, sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (unsigned left = mixed(thread * 31 + round) % longest; left != 0; --left) node = next[node];
    sum = sum * 3 + node;
  }
  return sum;
}

__global__ void follow_chains(unsigned* out, unsigned rounds, unsigned longest, const unsigned* next) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  out[thread] = chase(thread, rounds, longest, next);
}

int run_chase(const Arguments& given) {
  std::vector<unsigned> next = random_table();
  for (unsigned i = 0; i < kChainNodes; ++i)
    next[i] = (next[i] & 1) != 0 ? (next[i] >> 8) % kChainNodes : (i & ~511u) + (next[i] >> 8) % 512;
  std::vector<unsigned> reference(std::size_t{given.blocks} * kBlock);
  for (unsigned i = 0; i < reference.size(); ++i) reference[i] = chase(i, given.rounds, given.parameter, next.data());
  workload::DeviceArray<unsigned> device_next(next), out(reference.size());
  follow_chains<<<given.blocks, kBlock>>>(out.get(), given.rounds, given.parameter, device_next.get());
  CHECK_LAUNCH();
  workload::Report report("chase");
  report.expect_equal("sum", out.download(), reference);
  return report.finish();
}

__global__ void add_tiles(const unsigned* in, unsigned* out, unsigned rounds, unsigned words) {
  __shared__ unsigned tile[kBlock];
  const unsigned thread = threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    tile[thread] = in[(blockIdx.x * rounds + round) * kBlock + thread];
    __syncthreads();
#pragma unroll 1
    for (unsigned i = 0; i < words; ++i) sum = sum * 5 + tile[(thread + i) % kBlock];
    __syncthreads();
  }
  out[blockIdx.x * kBlock + thread] = sum;
}

int run_tiles(const Arguments& given) {
  std::vector<unsigned> in(std::size_t{given.blocks} * given.rounds * kBlock), reference(std::size_t{given.blocks} * kBlock, 0);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = mixed(i);
  for (unsigned block = 0; block < given.blocks; ++block)
    for (unsigned thread = 0; thread < kBlock; ++thread)
      for (unsigned round = 0; round < given.rounds; ++round)
        for (unsigned i = 0; i < given.parameter; ++i) {
          unsigned& sum = reference[block * kBlock + thread];
          sum = sum * 5 + in[(block * given.rounds + round) * kBlock + (thread + i) % kBlock];
        }
  workload::DeviceArray<unsigned> device_in(in), out(reference.size());
  add_tiles<<<given.blocks, kBlock>>>(device_in.get(), out.get(), given.rounds, given.parameter);
  CHECK_LAUNCH();
  workload::Report report("tiles");
  report.expect_equal("sum", out.download(), reference);
  return report.finish();
}

__host__ __device__ inline unsigned compute(unsigned thread, unsigned rounds, unsigned factor) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) value = work<16>(value, factor, i);
  return value;
}

__global__ void arithmetic(unsigned* out, unsigned rounds, unsigned factor) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  out[thread] = compute(thread, rounds, factor);
}

int run_arithmetic(const Arguments& given) {
  std::vector<unsigned> reference(std::size_t{given.blocks} * kBlock);
  for (unsigned i = 0; i < reference.size(); ++i) reference[i] = compute(i, given.rounds, kFactor);
  workload::DeviceArray<unsigned> out(reference.size());
  arithmetic<<<given.blocks, kBlock>>>(out.get(), given.rounds, kFactor);
  CHECK_LAUNCH();
  workload::Report report("arithmetic");
  report.expect_equal("value", out.download(), reference);
  return report.finish();
}

}  // namespace

int main(int argc, char** argv) {
  struct Named {
    const char* name;
    int (*run)(const Arguments&);
    unsigned blocks, rounds, parameter, least, most;
  };
  const Named kernels[] = {{"stream", run_stream_of, 64, 4, 4, 1, 8},     {"flags", run_flags, 64, 8, 10, 0, 100},
                           {"paths", run_paths, 512, 6, 17, 1, kPaths},   {"chase", run_chase, 64, 2, 16, 1, 4096},
                           {"tiles", run_tiles, 64, 4, 4, 1, kBlock},     {"arithmetic", run_arithmetic, 64, 3, 1, 1, 1}};
  for (const Named& named : kernels) {
    if (argc < 2 || argc > 5 || std::strcmp(argv[1], named.name) != 0) continue;
    const auto number_at = [&](int place, unsigned otherwise) {
      return argc > place ? static_cast<unsigned>(std::strtoul(argv[place], nullptr, 10)) : otherwise;
    };
    const Arguments given{number_at(2, named.blocks), number_at(3, named.rounds), number_at(4, named.parameter)};
    const bool is_size = named.run != run_stream_of || given.parameter == 1 || given.parameter == 4 || given.parameter == 8;
    if (given.blocks == 0 || given.blocks > 4096 || given.rounds == 0 || given.rounds > 1024 || given.parameter < named.least ||
        given.parameter > named.most || !is_size) {
      std::fprintf(stderr, "kernels: 1 to 4096 blocks, 1 to 1024 rounds; the parameter of %s is %s\n", named.name,
                   named.run == run_stream_of ? "1, 4 or 8" : (std::to_string(named.least) + " to " + std::to_string(named.most)).c_str());
      return workload::kExitUsage;
    }
    return named.run(given);
  }
  std::fprintf(stderr, "usage: kernels KERNEL [BLOCKS [ROUNDS [PARAMETER]]]   kernels:");
  for (const Named& named : kernels) std::fprintf(stderr, " %s", named.name);
  std::fprintf(stderr, "\n");
  return workload::kExitUsage;
}
