// SPDX-License-Identifier: Apache-2.0
// Generic patterns of control flow, memory access and units, one a run, each with a check on the host.
//
// usage: patterns KERNEL [BLOCKS [ROUNDS [NUMBER]]]   blocks of 256 threads; NUMBER as the kernel says
// Source: docs/sources/branch-and-warp-interweaving.md, 5.
#include "../patterns.h"

// A pattern: what a thread computes from its number in the grid, `rounds` times.
using Pattern = unsigned (*)(unsigned thread, unsigned rounds, unsigned factor, unsigned number);

// (i) Both ways are as long.
__host__ __device__ inline unsigned balanced(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
  for (unsigned i = 0; i < rounds; ++i) {
    if (mixed(value + i) >> 31 != 0) {
      value = work<20>(value, factor, 3);
      KEEP_BRANCH();
    } else {
      value = work<20>(value, factor, 1000);
      KEEP_BRANCH();
    }
  }
  return value;
}

// (i) One way is empty.
__host__ __device__ inline unsigned if_only(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
  for (unsigned i = 0; i < rounds; ++i) {
    if (mixed(value + i) >> 31 != 0) {
      value = work<40>(value, factor, 3);
      KEEP_BRANCH();
    }
  }
  return value;
}

// (i) One way is nine times as long as the other.
__host__ __device__ inline unsigned imbalanced(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
  for (unsigned i = 0; i < rounds; ++i) {
    if (mixed(value + i) >> 31 != 0) {
      value = work<36>(value, factor, 3);
      KEEP_BRANCH();
    } else {
      value = work<4>(value, factor, 1000);
      KEEP_BRANCH();
    }
  }
  return value;
}

// (ii) The first of every `number` threads has 32 times the work of the others. number: the width of a warp
__host__ __device__ inline unsigned first_thread(unsigned thread, unsigned rounds, unsigned factor, unsigned number) {
  unsigned value = mixed(thread);
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned turns = thread % number == 0 ? 32 : 1;
#pragma unroll 1
    for (unsigned turn = 0; turn < turns; ++turn) value = work<8>(value, factor, turn);
  }
  return value;
}

// (iii) A: B or C; C: D or E, then F; B and F: G (Fig 4). B is as long as C, D or E, and F together.
__host__ __device__ inline unsigned nested(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned random = mixed(value + i);
    if (random >> 31 != 0) {  // B
      value = work<24>(value, factor, 3);
      KEEP_BRANCH();
    } else {  // C
      value = work<8>(value, factor, 1000);
      if ((random >> 30 & 1) != 0) {  // D
        value = work<8>(value, factor, 2000);
        KEEP_BRANCH();
      } else {  // E
        value = work<8>(value, factor, 3000);
        KEEP_BRANCH();
      }
      value = work<8>(value, factor, 4000);  // F
    }
    value = work<4>(value, factor, 5000);  // G
  }
  return value;
}

// (iv) A loop in a loop, with 0 to 15 turns by thread and round.
__host__ __device__ inline unsigned uneven_round(unsigned value, unsigned factor, unsigned round) {
#pragma unroll 1
  for (unsigned turns = mixed(value + round) >> 28; turns != 0; --turns) value = work<6>(value, factor, turns);
  return work<4>(value, factor, 7);
}

__host__ __device__ inline unsigned trip_counts(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) value = uneven_round(value, factor, i);
  return value;
}

// The same; on the device a barrier ends each round (barriers(), below).
__host__ __device__ inline unsigned trip_counts_barrier(unsigned thread, unsigned rounds, unsigned factor,
                                                        unsigned number) {
  return trip_counts(thread, rounds, factor, number);
}

// (v) Loops that threads leave by break, for the next round, and for good.
__host__ __device__ inline unsigned breaks(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread), i = 0, turn = 0, random = 0;
round:
  if (i == rounds) goto done;
  turn = 0;
turns:
  value = work<4>(value, factor, turn);
  random = mixed(value);
  if (random >> 29 == 0) goto next;
  if (random >> 28 == 15) goto end;
  if (random >> 21 == 1024) goto done;
  value = work<4>(value, factor, i);
  if (++turn < 24) goto turns;
end:
  value = work<8>(value, factor, i);
  KEEP_BRANCH();
next:
  value += i++;
  goto round;
done:
  return value;
}

// (v) Both ways of a branch lead back to the loop's head, which lies at a lower address than the second way: threads of the
// first way do the head again before the others get there. In PTX, as compilers may join the ways behind it.
#define STEP_1 "mad.lo.u32 %0, %0, %2, 3;\n"
#define STEP_6 STEP_1 STEP_1 STEP_1 STEP_1 STEP_1 STEP_1
__global__ void back_to_head(unsigned* out, unsigned rounds, unsigned factor, unsigned) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  unsigned value = mixed(thread), left = rounds;
  asm volatile("{ .reg .pred %%is_last, %%is_high;\n"
               "HEAD:\n" STEP_6 STEP_6 STEP_6 STEP_6
               "sub.u32 %1, %1, 1;\n"
               "setp.eq.u32 %%is_last, %1, 0;\n"
               "@%%is_last bra DONE;\n"
               "setp.lt.s32 %%is_high, %0, 0;\n"
               "@%%is_high bra HIGH;\n" STEP_1 STEP_1
               "bra.uni HEAD;\n"
               "HIGH:\n"
               "mad.lo.u32 %0, %0, %2, 1000;\n"
               "mad.lo.u32 %0, %0, %2, 1000;\n"
               "bra.uni HEAD;\n"
               "DONE: }"
               : "+r"(value), "+r"(left)
               : "r"(factor));
  out[thread] = value;
}

__host__ __device__ inline unsigned backward(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned value = mixed(thread);
  for (unsigned left = rounds;; --left) {
    for (unsigned i = 0; i < 24; ++i) value = value * factor + 3;
    if (left == 1) return value;
    const unsigned added = value >> 31 != 0 ? 1000 : 3;
    value = (value * factor + added) * factor + added;
  }
}

template <Pattern pattern>
__global__ void every_thread(unsigned* out, unsigned rounds, unsigned factor, unsigned number) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  out[thread] = pattern(thread, rounds, factor, number);
}

__global__ void barriers(unsigned* out, unsigned rounds, unsigned factor, unsigned) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  unsigned value = mixed(thread);
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) {
    value = uneven_round(value, factor, i);
    __syncthreads();
  }
  out[thread] = value;
}

// (vi) Loads of `number` lines of 128 bytes by 64 threads, from a table of 32 KB; the next address depends on what came.
constexpr unsigned kLineWords = 32, kTableLines = 256;

__host__ __device__ inline unsigned table_index(unsigned thread, unsigned number, unsigned round) {
  const unsigned line = (thread % number + round * 64) % kTableLines;
  return line * kLineWords + thread % 64 / number % kLineWords;
}

// Small values, so that their sum stays below 2^20.
__host__ __device__ inline unsigned table_value(unsigned index) { return mixed(index) >> 26; }

__global__ void gather(unsigned* out, const unsigned* table, unsigned rounds, unsigned factor, unsigned number) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  unsigned value = mixed(thread), sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) {
    sum += table[table_index(thread, number, i) + (sum >> 31)];
    value = work<2>(value, factor, sum);
  }
  out[thread] = value;
}

__host__ __device__ inline unsigned gathered(unsigned thread, unsigned rounds, unsigned factor, unsigned number) {
  unsigned value = mixed(thread), sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    sum += table_value(table_index(thread, number, i));
    value = work<2>(value, factor, sum);
  }
  return value;
}

// (vii) For eight multiply-adds four loads from shared memory and one reciprocal: what 64, 32 and 8 lanes do in eight
// cycles. Four chains of each, so that no latency shows. The branch of the loop and its counter are 3 of 106.
#define MAD_4                      \
  "mad.lo.u32 %0, %0, %9, 1;\n"    \
  "mad.lo.u32 %1, %1, %9, 3;\n"    \
  "mad.lo.u32 %2, %2, %9, 5;\n"    \
  "mad.lo.u32 %3, %3, %9, 7;\n"
#define LOAD(word, offset) "ld.shared.u32 %%word" #word ", [%10+" #offset "];\n"
#define MIX_8(reciprocal) MAD_4 LOAD(0, 0) LOAD(1, 128) reciprocal MAD_4 LOAD(2, 256) LOAD(3, 384)
#define MIX_32                      \
  MIX_8("rcp.approx.f32 %4, %4;\n") \
  MIX_8("rcp.approx.f32 %5, %5;\n") \
  MIX_8("rcp.approx.f32 %6, %6;\n") \
  MIX_8("rcp.approx.f32 %7, %7;\n")

__global__ void mix(unsigned* out, unsigned rounds, unsigned factor, unsigned) {
  __shared__ unsigned words[kBlock + 128];
  words[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 128) words[kBlock + threadIdx.x] = threadIdx.x;
  __syncthreads();
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  unsigned a = mixed(thread), b = a + 1, c = a + 2, d = a + 3, last = 0;
  float e = 1.25f, f = 1.5f, g = 1.75f, h = 3.0f;
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i)
    asm volatile("{ .reg .u32 %%word<4>;\n" MIX_32 MIX_32 "mov.u32 %8, %%word3; }"
                 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+f"(e), "+f"(f), "+f"(g), "+f"(h), "=r"(last)
                 : "r"(factor), "r"(address));
  // An even number of reciprocals leaves about what there was.
  const bool near = fabsf(e - 1.25f) + fabsf(f - 1.5f) + fabsf(g - 1.75f) + fabsf(h - 3.0f) < 1e-3f;
  const bool right = rounds == 0 || last == (threadIdx.x + 96 < kBlock ? threadIdx.x + 96 : threadIdx.x + 96 - kBlock);
  out[thread] = near && right ? a ^ b ^ c ^ d : 0;
}

__host__ __device__ inline unsigned mixture(unsigned thread, unsigned rounds, unsigned factor, unsigned) {
  unsigned a = mixed(thread), b = a + 1, c = a + 2, d = a + 3;
  for (unsigned i = 0; i < rounds * 16; ++i) {
    a = a * factor + 1;
    b = b * factor + 3;
    c = c * factor + 5;
    d = d * factor + 7;
  }
  return a ^ b ^ c ^ d;
}

int main(int argc, char** argv) {
  struct Named {
    const char* name;
    Pattern pattern;
    void (*kernel)(unsigned*, unsigned, unsigned, unsigned);  // nullptr: gather
    unsigned rounds, number;                                  // by default
  };
  const Named kernels[] = {{"balanced", balanced, every_thread<balanced>, 40, 0},
                           {"if_only", if_only, every_thread<if_only>, 40, 0},
                           {"imbalanced", imbalanced, every_thread<imbalanced>, 40, 0},
                           {"first_thread", first_thread, every_thread<first_thread>, 20, 64},
                           {"nested", nested, every_thread<nested>, 30, 0},
                           {"trip_counts", trip_counts, every_thread<trip_counts>, 20, 0},
                           {"trip_counts_barrier", trip_counts_barrier, barriers, 20, 0},
                           {"breaks", breaks, every_thread<breaks>, 20, 0},
                           {"backward", backward, back_to_head, 40, 0},
                           {"gather", gathered, nullptr, 60, 16},
                           {"mix", mixture, mix, 20, 0}};
  const auto number_at = [&](int place, unsigned otherwise) {
    return argc > place ? static_cast<unsigned>(std::strtoul(argv[place], nullptr, 10)) : otherwise;
  };
  for (const Named& named : kernels) {
    if (argc < 2 || argc > 5 || std::strcmp(argv[1], named.name) != 0) continue;
    const unsigned blocks = number_at(2, 8), rounds = number_at(3, named.rounds), number = number_at(4, named.number);
    const bool wants_number = named.number != 0;
    if (blocks == 0 || blocks > 4096 || rounds == 0 || rounds > 4096 || (wants_number && (number == 0 || number > 64))) {
      std::fprintf(stderr, "patterns: 1 to 4096 blocks, 1 to 4096 rounds, a number from 1 to 64\n");
      return workload::kExitUsage;
    }
    constexpr unsigned kFactor = 1664525;
    std::vector<unsigned> table(kTableLines * kLineWords), reference(std::size_t{blocks} * kBlock);
    for (unsigned i = 0; i < table.size(); ++i) table[i] = table_value(i);
    for (unsigned i = 0; i < reference.size(); ++i) reference[i] = named.pattern(i, rounds, kFactor, number);
    workload::DeviceArray<unsigned> device_table(table), out(reference.size());
    if (named.kernel == nullptr) {
      gather<<<blocks, kBlock>>>(out.get(), device_table.get(), rounds, kFactor, number);
    } else {
      named.kernel<<<blocks, kBlock>>>(out.get(), rounds, kFactor, number);
    }
    CHECK_LAUNCH();
    workload::Report report(named.name);
    report.expect_equal("thread", out.download(), reference);
    return report.finish();
  }
  std::fprintf(stderr, "usage: patterns KERNEL [BLOCKS [ROUNDS [NUMBER]]]   kernels:");
  for (const Named& named : kernels) std::fprintf(stderr, " %s", named.name);
  std::fprintf(stderr, "\n");
  return workload::kExitUsage;
}
