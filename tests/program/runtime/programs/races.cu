// SPDX-License-Identifier: Apache-2.0
// Kernels of several warps with ordered and unordered accesses. The first argument selects one; names ending in "_race"
// are the same kernel without the synchronisation.
#include <cuda/barrier>

#include "expect.h"

constexpr int kThreads = 128, kBlocks = 6;

// One shared array is used for two sums; a barrier is needed between reading the first and writing the second.
template <bool kBarrier>
__device__ int total(int value) {
  __shared__ int part[kThreads / 32];
  if (kBarrier) __syncthreads();
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += part[i];
  return sum;
}
template <bool kBarrier>
__global__ void reuse(int* out) {
  const int first = total<kBarrier>(1);
  out[threadIdx.x] = total<kBarrier>(first);
}

template <bool kBarrier>
__global__ void reduction(int* out) {
  __shared__ int sum[kThreads];
  sum[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sum[threadIdx.x] += sum[threadIdx.x + step];
    if (kBarrier || step <= 1) __syncthreads();
  }
  if (threadIdx.x == 0) *out = sum[0];
}

template <int kBuffers>
__global__ void buffers(int* out) {
  __shared__ int tile[kBuffers][kThreads];
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    tile[round % kBuffers][threadIdx.x] = round;
    __syncthreads();
    sum += tile[round % kBuffers][kThreads - 1 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

// Warp 0 hands a value to warp 1 through a flag.
template <bool kFence>
__global__ void flag(int* out) {
  __shared__ int box[1];
  __shared__ volatile int full[1];
  if (threadIdx.x == 0) full[0] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    box[0] = 7;
    if (kFence) __threadfence_block();
    full[0] = 1;
  }
  if (threadIdx.x == 32) {
    while (full[0] == 0) {
    }
    __threadfence_block();
    out[0] = box[0];
  }
}

// Warp 0 fills a buffer, warp 1 reads it; two named barriers hand it over. It must be read before it is handed back.
template <bool kRead>
__global__ void producer(int* out) {
  __shared__ int box[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < 4; ++round) {
      if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      box[lane] = round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
  } else if (threadIdx.x < 64) {
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      if (!kRead && round < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
      sum += box[31 - lane];
      if (kRead && round < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
    out[lane] = sum;
  }
}

__device__ unsigned shared_address(const void* place) { return static_cast<unsigned>(__cvta_generic_to_shared(place)); }
__device__ void copy_async(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}

// The next tile is copied while this one is read backwards, between a wait and a barrier before and a barrier behind.
enum class Pipeline { right, no_barrier, no_wait };
template <Pipeline kHow>
__global__ void pipeline(int* out, const int* in) {
  __shared__ int tile[2][kThreads];
  constexpr int kRounds = 4;
  int sum = 0;
  copy_async(&tile[0][threadIdx.x], in);
  for (int round = 0; round < kRounds; ++round) {
    if (round + 1 < kRounds) copy_async(&tile[(round + 1) % 2][threadIdx.x], in + (round + 1) % kBlocks);
    if (kHow != Pipeline::no_wait && round + 1 < kRounds) asm volatile("cp.async.wait_group 1;" ::: "memory");
    if (kHow != Pipeline::no_wait && round + 1 == kRounds) asm volatile("cp.async.wait_all;" ::: "memory");
    if (kHow != Pipeline::no_barrier) __syncthreads();
    sum += tile[round % 2][kThreads - 1 - threadIdx.x];
    if (kHow != Pipeline::no_barrier) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Warp 0 fills a buffer and warp 1 reads it, each waiting for the other at an mbarrier object.
template <bool kGiveBack>
__global__ void mbarriers(int* out) {
  __shared__ unsigned long long objects[2];
  __shared__ int box[32];
  const unsigned full = shared_address(&objects[0]), empty = shared_address(&objects[1]);
  const auto arrive = [](unsigned object) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(object) : "memory");
  };
  const auto wait = [](unsigned object, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(object), "r"(parity)
          : "memory");
    }
  };
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(full) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(empty) : "memory");
  }
  __syncthreads();
  int sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      if (round > 0) wait(empty, (round - 1) % 2);
      box[lane] = round;
      arrive(full);
    } else if (threadIdx.x < 64) {
      wait(full, round % 2);
      if (!kGiveBack) arrive(empty);
      sum += box[31 - lane];
      if (kGiveBack) arrive(empty);
    }
  }
  if (threadIdx.x >= 32 && threadIdx.x < 64) out[lane] = sum;
}

// The same with libcu++: writers arrive, readers wait.
template <bool kWait>
__global__ void cuda_barrier(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(Barrier) __shared__ char place[sizeof(Barrier)];
  __shared__ int box[kThreads];
  Barrier& barrier = *reinterpret_cast<Barrier*>(place);
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  box[threadIdx.x] = threadIdx.x;
  auto token = barrier.arrive();
  if (kWait) barrier.wait(static_cast<Barrier::arrival_token&&>(token));
  out[threadIdx.x] = box[kThreads - 1 - threadIdx.x];
}

// Thread 0 clears a counter that all threads count in.
template <bool kBarrier>
__global__ void counter(int* out) {
  __shared__ int count[1];
  if (threadIdx.x == 0) count[0] = 0;
  if (kBarrier) __syncthreads();
  atomicAdd(count, 1);
  __syncthreads();
  out[threadIdx.x] = count[0];
}

// The last block to finish adds up what all blocks stored.
template <bool kFence>
__global__ void last_block(int* out, int* parts, unsigned* done) {
  __shared__ bool last[1];
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    if (kFence) __threadfence();
    last[0] = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last[0] && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < kBlocks; ++i) sum += parts[i];
    *out = sum;
  }
}

// Blocks that are not ordered write one place.
__global__ void overlap(int* out) { out[threadIdx.x] = blockIdx.x; }

// Many threads find the same thing.
__global__ void same_value(int* out, const int* in) {
  __shared__ int found[1];
  if (threadIdx.x == 0) found[0] = 0;
  __syncthreads();
  if (in[threadIdx.x % kBlocks] != 9) found[0] = 1;
  __syncthreads();
  out[threadIdx.x] = found[0];
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int *out, *parts;
  unsigned* done;
  OK(cudaMalloc(&out, kThreads * sizeof *out));
  OK(cudaMalloc(&parts, kBlocks * sizeof *parts));
  OK(cudaMalloc(&done, sizeof *done));
  OK(cudaMemset(parts, 0, kBlocks * sizeof *parts));
  OK(cudaMemset(done, 0, sizeof *done));
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("reuse")) reuse<true><<<1, kThreads>>>(out);
  if (is("reuse_race")) reuse<false><<<1, kThreads>>>(out);
  if (is("reduction")) reduction<true><<<1, kThreads>>>(out);
  if (is("reduction_race")) reduction<false><<<1, kThreads>>>(out);
  if (is("buffers")) buffers<2><<<1, kThreads>>>(out);
  if (is("buffers_race")) buffers<1><<<1, kThreads>>>(out);
  if (is("flag")) flag<true><<<1, kThreads>>>(out);
  if (is("flag_race")) flag<false><<<1, kThreads>>>(out);
  if (is("producer")) producer<true><<<1, kThreads>>>(out);
  if (is("producer_race")) producer<false><<<1, kThreads>>>(out);
  if (is("pipeline")) pipeline<Pipeline::right><<<1, kThreads>>>(out, parts);
  if (is("pipeline_race")) pipeline<Pipeline::no_barrier><<<1, kThreads>>>(out, parts);
  if (is("pipeline_early_race")) pipeline<Pipeline::no_wait><<<1, kThreads>>>(out, parts);
  if (is("mbarriers")) mbarriers<true><<<1, kThreads>>>(out);
  if (is("mbarriers_race")) mbarriers<false><<<1, kThreads>>>(out);
  if (is("cuda_barrier")) cuda_barrier<true><<<1, kThreads>>>(out);
  if (is("cuda_barrier_race")) cuda_barrier<false><<<1, kThreads>>>(out);
  if (is("counter")) counter<true><<<1, kThreads>>>(out);
  if (is("counter_race")) counter<false><<<1, kThreads>>>(out);
  if (is("last_block")) last_block<true><<<kBlocks, kThreads>>>(out, parts, done);
  if (is("last_block_race")) last_block<false><<<kBlocks, kThreads>>>(out, parts, done);
  if (is("overlap_race")) overlap<<<kBlocks, 32>>>(out);
  if (is("same_value")) same_value<<<1, kThreads>>>(out, parts);
  OK(cudaDeviceSynchronize());
  return finish();
}
