// SPDX-License-Identifier: Apache-2.0
// Small kernels whose cost on a machine is what the study asks for: one a run.
//
// usage: worked_examples KERNEL THREADS [NUMBER]   one block of THREADS threads; NUMBER as the kernel says
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// Instructions that stay as they are written: in one statement, as every statement copies its operands.
#define ADD_1 "add.u32 %0, %0, 1;\n"
#define ADD_5 ADD_1 ADD_1 ADD_1 ADD_1 ADD_1
#define ADD_20 ADD_5 ADD_5 ADD_5 ADD_5
#define ADD_100 ADD_20 ADD_20 ADD_20 ADD_20 ADD_20
#define SUB_1 "sub.u32 %0, %0, 1;\n"
#define SUB_5 SUB_1 SUB_1 SUB_1 SUB_1 SUB_1
#define SUB_20 SUB_5 SUB_5 SUB_5 SUB_5
#define ADD(text, value) asm volatile(text : "+r"(value))

__device__ inline unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  return x * 0x846ca68bu;
}

// Guarded additions in a loop, each for a random half of the threads; without a branch among them.
__global__ void guarded(unsigned* out, unsigned rounds) {
  unsigned value = 0, random = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    random = mixed(random + i);
    asm volatile(
        "{ .reg .pred %%p; setp.lt.s32 %%p, %1, 0;\n @%%p add.u32 %0, %0, 1;\n @%%p add.u32 %0, %0, 3;\n"
        "  @%%p add.u32 %0, %0, 5;\n @%%p add.u32 %0, %0, 7; }"
        : "+r"(value)
        : "r"(random));
  }
  out[threadIdx.x] = value;
}

// A branch that nobody takes, for every addition.
__global__ void branches(unsigned* out, unsigned rounds) {
  unsigned value = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    ADD(ADD_1, value);
    if (value == 0xffffffffu) out[0] = value;
    asm volatile("");
  }
  out[threadIdx.x] = value;
}

// The first fetch group waits for memory at once, if `waits`; all then have much arithmetic. out: when each was done.
__global__ void head(unsigned* out, const unsigned* in, unsigned waits) {
  unsigned value = threadIdx.x;
  const unsigned warp = threadIdx.x / 32;
  if (waits != 0 && warp < 8) value += in[threadIdx.x];
  ADD(ADD_100 ADD_100 ADD_100 ADD_100, value);
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  if (threadIdx.x % 32 == 0) out[warp] = now + (value == 0);
}

// K = 20 instructions, a load that misses, K more, as in Fig. 4.6; twice, so that the second time finds its instructions in the
// cache. out: by warp when the second time began, and, 32 further, when it was over.
__global__ void figure(unsigned* out, const unsigned* in) {
  unsigned value = threadIdx.x, begin = 0, end = 0;
#pragma unroll 1
  for (unsigned round = 0; round < 2; ++round) {
    const unsigned* from = in + (round << 20) + threadIdx.x;
    __syncthreads();
    asm volatile("{ .reg .u32 %%loaded; mov.u32 %1, %%clock;\n" ADD_20
                 "ld.global.u32 %%loaded, [%3];\nadd.u32 %0, %0, %%loaded;\n" ADD_5 ADD_5 ADD_5 ADD_1 ADD_1 ADD_1 ADD_1
                 "mov.u32 %2, %%clock;\nbar.sync 0; }"  // what follows is not of the example: nobody goes on before all are there
                 : "+r"(value), "+r"(begin), "+r"(end)
                 : "l"(from));
  }
  if (threadIdx.x % 32 != 0) return;
  out[threadIdx.x / 32] = begin;
  out[32 + threadIdx.x / 32] = end + (value == 0);
}

// Loads under half of a mask, and of a full one.
__global__ void loads(unsigned* out, const unsigned* in, unsigned rounds) {
  unsigned value = 0;
  const bool some = mixed(threadIdx.x) % 2 == 0;
  for (unsigned i = 0; i < rounds; ++i) {
    value += in[i * blockDim.x + threadIdx.x];
    if (some) {
      value += in[(i + rounds) * blockDim.x + threadIdx.x];
      asm volatile("");
    }
  }
  out[threadIdx.x] = value;
}

// Nothing diverges.
__global__ void full(unsigned* out, unsigned rounds) {
  unsigned value = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) ADD(ADD_5 ADD_1 ADD_1 ADD_1, value);
  out[threadIdx.x] = value;
}

// One random branch, then long arithmetic of all threads.
__global__ void merged(unsigned* out, unsigned rounds) {
  unsigned value = mixed(threadIdx.x);
  if (value % 2 == 0) {
    ADD(ADD_1 ADD_1 ADD_1, value);
  } else {
    ADD(ADD_5, value);
  }
  asm volatile("");
  for (unsigned i = 0; i < rounds; ++i) ADD(ADD_20 ADD_5 ADD_5 ADD_1 ADD_1, value);
  out[threadIdx.x] = value;
}

// Both ways of a random branch load lines of their own.
__global__ void split_loads(unsigned* out, const unsigned* in, unsigned rounds) {
  unsigned value = mixed(threadIdx.x);
  for (unsigned i = 0; i < rounds; ++i) {
    value = mixed(value + i);
    if (value % 2 == 0) {
      value += in[(value >> 8) % (1u << 20)];
      asm volatile("");
    } else {
      value += in[(1u << 20) + (value >> 8) % (1u << 20)];
      asm volatile("");
    }
  }
  out[threadIdx.x] = value;
}

// Every access of a warp has one line that was not used before and, if `mixes`, threads on one that is always used. What
// lies between two accesses is short beside a miss: threads that go ahead repeat it for themselves.
__global__ void some_hit(unsigned* out, const unsigned* in, unsigned mixes) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned *used = in + lane, *fresh = used + 4096 + warp * 1024;
  const unsigned others = mixes == 0 ? 0 : 3;  // a quarter of the warp at a time has its turn
  unsigned value = 0;
#pragma unroll 1
  for (unsigned turn = lane / 8; turn < lane / 8 + 24; ++turn, fresh += 33 * 1024) value += *((turn & others) == 0 ? fresh : used);
  out[threadIdx.x] = value;
}

// Loads of words `stride` apart, the same every time: hits but for the first. stride: 1 (1 line), 4 (4 lines) ...
__global__ void strided(unsigned* out, const unsigned* in, unsigned stride) {
  unsigned value = 0;
  for (unsigned i = 0; i < 64; ++i) value += in[threadIdx.x * stride + (value == 0xfffffff0u)];
  out[threadIdx.x] = value;
}

// The same in shared memory.
__global__ void banks(unsigned* out, unsigned stride) {
  __shared__ unsigned box[32 * 32];
  unsigned value = 0;
  for (unsigned i = 0; i < 16; ++i) {
    unsigned loaded;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(loaded) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(box + threadIdx.x * stride))));
    value += loaded == 12345;
  }
  out[threadIdx.x] = value;
}

__device__ inline unsigned clock_now() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  return now;
}

// One thread of each warp, in a lane of its own, goes another way in every round; both ways are as long. out: by thread when
// it had a quarter of its rounds behind it, and, 1024 further, all of them.
__global__ void rare_path(unsigned* out, unsigned rounds) {
  unsigned value = threadIdx.x, quarter = 0;
  const bool rare = threadIdx.x % 32 == threadIdx.x / 32;
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) {
    if (i == rounds / 4) quarter = clock_now();
    if (rare) {
      ADD(ADD_20, value);
    } else {
      ADD(SUB_20, value);
    }
  }
  const unsigned end = clock_now();
  out[threadIdx.x] = quarter;
  out[1024 + threadIdx.x] = end + (value == 0);
}

constexpr unsigned kMarks = 16;

// What a thread does in a round is drawn anew each time, so that all have about as much to do. Ways:
enum Uneven : unsigned {
  trip_counts,  // a loop of 0 to 7 turns
  biased,       // one time in sixteen much, else little
  nested,       // little behind three branches, or much behind none
};

__device__ inline void uneven_round(unsigned kind, unsigned random, unsigned& value) {
  if (kind == trip_counts) {
#pragma unroll 1
    for (unsigned turns = random % 8; turns != 0; --turns) ADD(ADD_5 ADD_5, value);
  } else if (kind == biased) {
    if (random % 16 == 0) {
      ADD(ADD_100, value);
    } else {
      ADD(ADD_5, value);
    }
  } else if (random % 2 == 0) {
    ADD(ADD_1, value);
    if (random % 4 == 0) {
      ADD(ADD_1 ADD_1, value);
      if (random % 8 == 0) ADD(ADD_5, value);
      ADD(SUB_1, value);
    }
    ADD(SUB_1 SUB_1, value);
  } else {
    ADD(ADD_20 ADD_20, value);
  }
}

// kMarks times `rounds` rounds that are uneven in a way of `kind`. out: by mark and thread when the rounds up to there were
// behind it.
__global__ void drift(unsigned* out, unsigned rounds, unsigned kind) {
  unsigned value = threadIdx.x, random = mixed(threadIdx.x);
#pragma unroll 1
  for (unsigned mark = 0; mark < kMarks; ++mark) {
#pragma unroll 1
    for (unsigned i = 0; i < rounds; ++i) {
      random = mixed(random + i);
      uneven_round(kind, random >> 8, value);
    }
    out[1024 * mark + threadIdx.x] = clock_now() + (value == 0);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* name = argv[1];
  const unsigned threads = static_cast<unsigned>(std::atoi(argv[2]));
  const unsigned number = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0;
  unsigned *out = nullptr, *in = nullptr;
  cudaMalloc(&out, 4 * 1024 * kMarks);
  cudaMemset(out, 0, 4 * 1024 * kMarks);
  cudaMalloc(&in, 4u << 21);
  cudaMemset(in, 0, 4u << 21);
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  const bool is_drift = is("trip_counts") || is("biased") || is("nested");
  if (is("guarded")) guarded<<<1, threads>>>(out, number);
  else if (is("branches")) branches<<<1, threads>>>(out, number);
  else if (is("head")) head<<<1, threads>>>(out, in, number);
  else if (is("figure")) figure<<<1, threads>>>(out, in);
  else if (is("loads")) loads<<<1, threads>>>(out, in, number);
  else if (is("full")) full<<<1, threads>>>(out, number);
  else if (is("merged")) merged<<<1, threads>>>(out, number);
  else if (is("split_loads")) split_loads<<<1, threads>>>(out, in, number);
  else if (is("some_hit")) some_hit<<<1, threads>>>(out, in, number);
  else if (is("strided")) strided<<<1, threads>>>(out, in, number);
  else if (is("rare_path")) rare_path<<<1, threads>>>(out, number);
  else if (is("trip_counts")) drift<<<1, threads>>>(out, number, trip_counts);
  else if (is("biased")) drift<<<1, threads>>>(out, number, biased);
  else if (is("nested")) drift<<<1, threads>>>(out, number, nested);
  else if (is("banks")) banks<<<1, threads>>>(out, number);
  else return 2;
  std::vector<unsigned> result(is_drift ? 1024 * kMarks : 2048);
  if (cudaMemcpy(result.data(), out, 4 * result.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  if (is_drift) {
    // By mark, when the first thread was there and when the last.
    for (auto mark = result.begin(); mark != result.end(); mark += 1024) {
      const auto [first, last] = std::minmax_element(mark, mark + 1024);
      std::printf("%u %u ", *first, *last);
    }
  } else {
    for (const unsigned word : result) std::printf("%u ", word);
  }
  std::printf("\n");
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
