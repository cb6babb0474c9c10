// SPDX-License-Identifier: Apache-2.0
// Warp synchronisation: convergent, divergent, at several places, with exited threads; barriers that reduce, count.
#include <vector>

#include "expect.h"

constexpr unsigned kAll = 0xffffffffu;

__global__ void sum_by_shuffle(int* out) {
  int value = threadIdx.x;
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(kAll, value, distance);
  out[threadIdx.x] = value;
}
// Each side of the branch executes its own shuffle that names all threads: they meet at two instructions.
__global__ void meet_at_two_places(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x % 2 == 0) {
    value = __shfl_sync(kAll, value + 100, 1);
    value += 1000;
  } else {
    value = __shfl_sync(kAll, value + 200, 0);
    value += 2000;
  }
  out[threadIdx.x] = value;
}
// Even threads write, odd ones read after the warp barrier, each on its own path.
__global__ void hand_over(int* out) {
  __shared__ int box[32];
  if (threadIdx.x % 2 == 0) {
    box[threadIdx.x] = threadIdx.x * 3;
    __syncwarp();
    out[threadIdx.x] = -1;
  } else {
    __syncwarp();
    out[threadIdx.x] = box[threadIdx.x - 1];
  }
}
__global__ void vote_after_exit(unsigned* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __ballot_sync(kAll, threadIdx.x % 3 == 0);
}
// Groups of equal key use their own masks at one instruction.
__global__ void groups(int* out) {
  const int key = threadIdx.x % 5;
  const unsigned peers = __match_any_sync(kAll, key);
  const int leader = __ffs(peers) - 1;
  out[threadIdx.x] = __shfl_sync(peers, static_cast<int>(threadIdx.x) * 10, leader) + __popc(peers) * 10000;
}
__global__ void counting_barriers(int* out) {
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  const int every = __syncthreads_and(threadIdx.x < 1000);
  const int none = __syncthreads_or(threadIdx.x > 1000);
  out[threadIdx.x] = count * 100 + every * 10 + none;
}
// Warps 0 and 1 produce, warps 2 and 3 consume, over named barriers.
__global__ void producers(int* out) {
  __shared__ int box[64];
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 64) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      box[threadIdx.x] = threadIdx.x + round * 1000;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[round * 64 + threadIdx.x - 64] = box[threadIdx.x - 64];
    }
  }
}
// A thread count is in whole warps, even if the block's last warp is partial.
__global__ void counted_in_warps(int* out) {
  __shared__ int box[100];
  box[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 3, 128;" ::: "memory");
  out[threadIdx.x] = box[99 - threadIdx.x];
}
// Threads exit at different times; the barrier waits for the remaining ones.
__global__ void early_exit(int* out) {
  for (int round = 0; round < 8; ++round) {
    if (static_cast<int>(threadIdx.x) % 8 < round) return;
    __syncthreads();
    atomicAdd(&out[round], 1);
  }
}
__global__ void clocks(long long* out) {
  const long long before = clock64();
  int x = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 100; ++i) x = x * 7 + 1;
  out[threadIdx.x] = clock64() - before + (x == 12345);
}
// One thread of a warp waits for another: both must make progress.
__global__ void in_turn(volatile int* turn, int* order) {
  while (*turn != static_cast<int>(31 - threadIdx.x)) {
  }
  order[*turn] = threadIdx.x;
  __threadfence();
  *turn = *turn + 1;
}
// Blocks that are resident together wait for each other.
__global__ void grid_barrier(int* arrived, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
    }
    out[blockIdx.x] = 1;
  }
}

template <typename T>
static std::vector<T> download(const T* device, int n) {
  std::vector<T> host(n);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  OK(cudaMemset(const_cast<T*>(device), 0, n * sizeof(T)));
  return host;
}

// "meet": without the kernels in which threads of a warp poll for each other.
int main(int argc, char** argv) {
  int* out = nullptr;
  OK(cudaMalloc(&out, 65536));
  OK(cudaMemset(out, 0, 65536));
  sum_by_shuffle<<<1, 32>>>(out);
  for (int value : download(out, 32)) EXPECT(value == 496);
  meet_at_two_places<<<1, 32>>>(out);
  auto host = download(out, 32);
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == (i % 2 == 0 ? 201 + 1000 : 100 + 2000));
  hand_over<<<1, 32>>>(out);
  host = download(out, 32);
  for (int i = 1; i < 32; i += 2) EXPECT(host[i] == (i - 1) * 3);
  vote_after_exit<<<1, 32>>>(reinterpret_cast<unsigned*>(out));
  EXPECT(download(reinterpret_cast<unsigned*>(out), 32)[4] == 0x49249u);
  groups<<<1, 32>>>(out);
  host = download(out, 32);
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == i % 5 * 10 + (i % 5 < 2 ? 7 : 6) * 10000);
  counting_barriers<<<1, 100>>>(out);
  for (int value : download(out, 100)) EXPECT(value == 3410);
  producers<<<1, 128>>>(out);
  host = download(out, 256);
  for (int i = 0; i < 256; ++i) EXPECT(host[i] == i % 64 + i / 64 * 1000);
  counted_in_warps<<<1, 100>>>(out);
  host = download(out, 100);
  for (int i = 0; i < 100; ++i) EXPECT(host[i] == 99 - i);
  early_exit<<<1, 256>>>(out);
  host = download(out, 8);
  for (int round = 0; round < 8; ++round) EXPECT(host[round] == 256 - 32 * round);
  clocks<<<1, 32>>>(reinterpret_cast<long long*>(out));
  for (long long value : download(reinterpret_cast<long long*>(out), 32)) EXPECT(value > 100);
  if (argc > 1) return finish();
  in_turn<<<1, 32>>>(out, out + 64);
  host = download(out, 96);
  for (int i = 0; i < 32; ++i) EXPECT(host[64 + i] == 31 - i);
  int blocks = 0, multiprocessors = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_barrier, 64, 0));
  OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  grid_barrier<<<blocks * multiprocessors, 64>>>(out, out + 16);
  host = download(out, 16 + blocks * multiprocessors);
  for (int i = 0; i < blocks * multiprocessors; ++i) EXPECT(host[16 + i] == 1);
  return finish();
}
