// SPDX-License-Identifier: Apache-2.0
// Every kind of atomic operation on few contended words, in shared and in global memory, a compare-and-swap loop, and a
// lock that one thread of each block takes. All are chosen so that the final words do not show the order.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     16
//   warp instructions: no
//   size:              threads
#include <algorithm>

#include "common.h"

constexpr int kBlock = 64;
constexpr unsigned kWrap = 100;  // atomicInc and atomicDec count 0 to kWrap

struct Words {
  int add, subtract, least, greatest;
  unsigned unsigned_least, unsigned_greatest, all_bits, any_bits, parity, up, down, capped;
  unsigned block_sum, block_most, locked_count;
  float float_add;
  unsigned long long long_add, long_greatest, long_swapped;
  double double_add;
};

// Adds to *word, but never beyond `cap`. The first guess at what it holds is as good as any.
__device__ void add_capped(unsigned* word, unsigned amount, unsigned cap) {
  unsigned seen = 0, before;
  do {
    before = seen;
    seen = atomicCAS(word, before, min(before + amount, cap));
  } while (seen != before);
}

__global__ void atomics(const unsigned* in, unsigned* exchanged, Words* words, int* lock, int count) {
  __shared__ unsigned block_sum, block_most;
  if (threadIdx.x == 0) block_sum = block_most = 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < count) {
    const unsigned value = in[i];
    const int centred = static_cast<int>(value) - (1 << 15);
    atomicAdd(&words->add, centred);
    atomicSub(&words->subtract, centred);
    atomicMin(&words->least, centred);
    atomicMax(&words->greatest, centred);
    atomicMin(&words->unsigned_least, value);
    atomicMax(&words->unsigned_greatest, value);
    atomicAnd(&words->all_bits, value | 1u);
    atomicOr(&words->any_bits, value & 0xaaaau);
    atomicXor(&words->parity, value);
    atomicInc(&words->up, kWrap);
    atomicDec(&words->down, kWrap);
    add_capped(&words->capped, value % 8, 1000);
    atomicAdd(&words->float_add, static_cast<float>(value % 16));
    atomicAdd(&words->long_add, static_cast<unsigned long long>(value) << 20);
    atomicMax(&words->long_greatest, static_cast<unsigned long long>(value) << 32 | value);
    if (value % 64 == 5) atomicCAS(&words->long_swapped, 0ull, 0x100000005ull);
    atomicAdd(&words->double_add, static_cast<double>(value) * 0.25);
    exchanged[i] = value + 1;
    exchanged[i] = atomicExch(&exchanged[i], 7u) + 1;
    atomicAdd(&block_sum, value);
    atomicMax(&block_most, value);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    // Volatile: the words were written by other blocks, and a first-level cache may hold them as they were.
    volatile Words* common = words;
    const unsigned sum = common->block_sum, most = common->block_most, taken = common->locked_count;
    common->block_sum = sum + block_sum;
    common->block_most = max(most, block_most);
    common->locked_count = taken + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {450, 5000, 50000, 1, 1 << 20}));
  const unsigned blocks = workload::blocks_for(count, kBlock);
  workload::Random random(20);
  std::vector<unsigned> in(count), exchanged(count);
  for (unsigned& value : in) value = random.below(1 << 16);

  Words start;
  std::memset(&start, 0, sizeof(start));
  start.least = 1 << 30;
  start.greatest = -(1 << 30);
  start.unsigned_least = start.all_bits = 0xffffffffu;
  Words end = start;
  for (int i = 0; i < count; ++i) {
    const unsigned value = in[i];
    const int centred = static_cast<int>(value) - (1 << 15);
    end.add += centred;
    end.subtract -= centred;
    end.least = std::min(end.least, centred);
    end.greatest = std::max(end.greatest, centred);
    end.unsigned_least = std::min(end.unsigned_least, value);
    end.unsigned_greatest = std::max(end.unsigned_greatest, value);
    end.all_bits &= value | 1u;
    end.any_bits |= value & 0xaaaau;
    end.parity ^= value;
    end.up = end.up >= kWrap ? 0 : end.up + 1;
    end.down = end.down == 0 || end.down > kWrap ? kWrap : end.down - 1;
    end.capped = std::min(end.capped + value % 8, 1000u);
    end.float_add += static_cast<float>(value % 16);
    end.long_add += static_cast<unsigned long long>(value) << 20;
    end.long_greatest = std::max(end.long_greatest, static_cast<unsigned long long>(value) << 32 | value);
    if (value % 64 == 5) end.long_swapped = 0x100000005ull;
    end.double_add += value * 0.25;
    end.block_sum += value;
    end.block_most = std::max(end.block_most, value);
    exchanged[i] = value + 2;
  }
  end.locked_count = blocks;

  workload::DeviceArray<unsigned> device_in(in), device_exchanged(count);
  workload::DeviceArray<Words> words(std::vector<Words>(1, start));
  workload::DeviceArray<int> lock(1);
  atomics<<<blocks, kBlock>>>(device_in.get(), device_exchanged.get(), words.get(), lock.get(), count);
  CHECK_LAUNCH();
  workload::Report report("atomics");
  report.expect_equal("the common words", words.download(), std::vector<Words>(1, end));
  report.expect_equal("exchanged word", device_exchanged.download(), exchanged);
  report.expect_equal("the lock", lock.download(), std::vector<int>(1, 0));
  return report.finish();
}
