// SPDX-License-Identifier: Apache-2.0
// Tiles of several warps, split barriers of groups, and awbarrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_awbarrier.h>

#include "check.h"

namespace cg = cooperative_groups;

// Row 0: ranks; 1: a value stored by a neighbour in the tile; 2: sums; 3: maxima; 4, 5: scans; 6: shuffle, votes.
template <unsigned int Size>
__global__ void tiles(int* out) {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ int box[512];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<Size>(block);
  const int t = static_cast<int>(block.thread_rank()), threads = static_cast<int>(block.size());
  const int rank = static_cast<int>(tile.thread_rank()), group = static_cast<int>(tile.meta_group_rank());
  const auto put = [&](int row, int value) { out[row * threads + t] = value; };
  put(0, 10000 * group + 1000 * (tile.meta_group_size() == threads / Size) + rank);
  int found = 0;
  for (int round = 0; round < 3; ++round) {
    box[t] = 100 * round + rank;
    tile.sync();
    found += box[group * static_cast<int>(Size) + (rank + 33) % static_cast<int>(Size)];
    tile.sync();
  }
  put(1, found);
  put(2, cg::reduce(tile, t, cg::plus<int>()));
  put(3, static_cast<int>(cg::reduce(tile, 0.5 + t * (t % 2), cg::greater<double>())));
  put(4, cg::inclusive_scan(tile, rank % 5));
  put(5, cg::exclusive_scan(tile, rank % 5));
  put(6, tile.shfl(t, 37) * 100 + 10 * tile.any(rank == 40) + tile.all(t >= 64));
  const auto warp = cg::tiled_partition<32>(tile);
  put(7, cg::reduce(warp, 1, cg::plus<int>()));
}

// Halves of a tile of 256 and a whole tile, alternating; one tile works while another waits.
__global__ void nested(int* out) {
  const auto large = cg::tiled_partition<256>(cg::this_thread_block());
  const auto half = cg::tiled_partition<128>(large);
  int value = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x < 256) value = cg::reduce(half, value & 1023, cg::plus<int>()) + static_cast<int>(half.thread_rank());
    value = cg::reduce(large, value & 1023, cg::plus<int>()) + static_cast<int>(large.thread_rank());
  }
  out[threadIdx.x] = value;
}

__global__ void halves_of_barriers(int* out) {
  __shared__ int box[128];
  const cg::thread_block block = cg::this_thread_block();
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  cg::thread_block::arrival_token token = block.barrier_arrive();
  const int own = static_cast<int>(threadIdx.x) * 2;
  block.barrier_wait(static_cast<cg::thread_block::arrival_token&&>(token));
  const cg::grid_group grid = cg::this_grid();
  const unsigned int t = static_cast<unsigned int>(grid.thread_rank());
  out[t] = own + box[127 - threadIdx.x];
  cg::grid_group::arrival_token all = grid.barrier_arrive();
  const int half = own / 2;
  grid.barrier_wait(static_cast<cg::grid_group::arrival_token&&>(all));
  const int other = static_cast<volatile int*>(out)[grid.size() - 1 - t];
  grid.sync();
  out[t] = other + half;
}

// Warps 0 and 1 produce values, warp 2 sums them; every round uses the next phases of both barriers.
__global__ void producers(int* out) {
  using nvcuda::experimental::awbarrier;
  __shared__ awbarrier full, empty;
  __shared__ int box[64];
  if (threadIdx.x == 0) {
    init(&full, 96);
    init(&empty, 96);
  }
  __syncthreads();
  int sum = 0;
  unsigned int pending = 0;
  for (int round = 0; round < 5; ++round) {
    if (threadIdx.x < 64) {
      box[threadIdx.x] = round * static_cast<int>(threadIdx.x);
      awbarrier::arrival_token token = full.arrive();
      pending += token.pending_count() - 1 < 96;
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      sum += box[threadIdx.x - 64] + box[threadIdx.x - 32];
      empty.wait(empty.arrive());
    }
  }
  out[threadIdx.x] = threadIdx.x < 64 ? static_cast<int>(pending) : sum;
}

__global__ void primitives(int* out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  if (threadIdx.x >= 32) {
    // They participate in one phase only.
    const __mbarrier_token_t token = __mbarrier_arrive_and_drop(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) __nanosleep(50);
    out[threadIdx.x] = static_cast<int>(__mbarrier_token_pending_count(token) >= 1);
  } else {
    int turns = 0;
    for (int phase = 0; phase < 3; ++phase) {
      const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
      while (!__mbarrier_try_wait(&barrier, token, 100)) __nanosleep(50);
      turns += __mbarrier_test_wait_parity(&barrier, phase % 2) && !__mbarrier_test_wait_parity(&barrier, 1 - phase % 2);
      __syncwarp();
    }
    out[threadIdx.x] = turns + (__mbarrier_maximum_count() == 1048575);
  }
  __syncthreads();
  if (threadIdx.x == 0) __mbarrier_inval(&barrier);
}

template <unsigned int Size>
void check_tiles() {
  constexpr int threads = 512, size = static_cast<int>(Size);
  Mirror<int> out(8 * threads);
  tiles<Size><<<1, threads>>>(out.device);
  out.fetch();
  for (int t = 0; t < threads; ++t) {
    const int group = t / size, rank = t % size, first = group * size;
    int sum = 0, largest = 0, scan = 0;
    for (int i = first; i < first + size; ++i) {
      sum += i;
      if (i % 2 != 0) largest = i;
    }
    for (int i = 0; i < rank; ++i) scan += i % 5;
    const int expected[8] = {10000 * group + 1000 + rank,
                             300 + 3 * ((rank + 33) % size),
                             sum,
                             largest,
                             scan + rank % 5,
                             scan,
                             (first + 37) * 100 + 10 + (first >= 64),
                             32};
    for (int row = 0; row < 8; ++row) expect_equal("tile", out[row * threads + t], expected[row]);
  }
}

int main() {
  check_tiles<64>();
  check_tiles<128>();
  check_tiles<256>();
  check_tiles<512>();

  Mirror<int> in_turn(512);
  nested<<<1, 512>>>(in_turn.device);
  in_turn.fetch();
  int values[512];
  for (int t = 0; t < 512; ++t) values[t] = t;
  const auto step = [&](int from, int to, int size) {
    for (int first = from; first < to; first += size) {
      int sum = 0;
      for (int t = first; t < first + size; ++t) sum += values[t] & 1023;
      for (int t = first; t < first + size; ++t) values[t] = sum + t - first;
    }
  };
  for (int i = 0; i < 4; ++i) {
    step(0, 256, 128);
    step(0, 512, 256);
  }
  for (int t = 0; t < 512; ++t) expect_equal("nested", in_turn[t], values[t]);

  Mirror<int> halves(256);
  int* pointer = halves.device;
  void* arguments[] = {&pointer};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(halves_of_barriers), dim3(2), dim3(128), arguments);
  halves.fetch();
  for (int t = 0; t < 256; ++t) {
    const int here = t % 128, other = (255 - t) % 128;
    expect_equal("halves", halves[t], 2 * other + 127 - other + here);
  }

  Mirror<int> made(96), counted(64);
  producers<<<1, 96>>>(made.device);
  made.fetch();
  for (int t = 0; t < 96; ++t) expect_equal("producers", made[t], t < 64 ? 5 : 10 * (2 * (t - 64) + 32));
  primitives<<<1, 64>>>(counted.device);
  counted.fetch();
  for (int t = 0; t < 64; ++t) expect_equal("primitives", counted[t], t < 32 ? 4 : 1);
  return finish();
}
