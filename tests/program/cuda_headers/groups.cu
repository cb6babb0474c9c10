// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of every kind, complex numbers, and the C++ library in kernels.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>

#include <complex>
#include <memory>
#include <new>
#include <utility>

namespace cg = cooperative_groups;

__device__ int sum_of(const cg::thread_group& group, int* shared, int value) {
  const int rank = static_cast<int>(group.thread_rank());
  for (int i = static_cast<int>(group.size()) / 2; i > 0; i /= 2) {
    shared[rank] = value;
    group.sync();
    if (rank < i) value += shared[rank + i];
    group.sync();
  }
  return value;
}

__global__ void blocks_and_tiles(int* out) {
  extern __shared__ int scratch[];
  cg::thread_block block = cg::this_thread_block();
  int v = sum_of(block, scratch, out[block.thread_rank()]);
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  v += warp.shfl(v, 0) + warp.shfl_up(v, 1) + warp.shfl_down(v, 2) + quad.shfl_xor(v, 1);
  v += warp.any(v > 3) + warp.all(v > 3) + static_cast<int>(quad.ballot(v)) + static_cast<int>(quad.match_any(v));
  int agreed = 0;
  v += static_cast<int>(warp.match_all(v, agreed)) + agreed + static_cast<int>(quad.meta_group_rank());
  cg::thread_group dynamic = cg::tiled_partition(block, 16);
  v += sum_of(dynamic, scratch + dynamic.thread_rank() / 16, v);
  const double2 pair = quad.shfl(make_double2(v, 1.0), 2);
  v += static_cast<int>(pair.x) + cg::reduce(warp, v, cg::plus<int>()) + cg::inclusive_scan(quad, v);
  cg::sync(block);
  quad.sync();
  out[cg::thread_rank(block)] = v + static_cast<int>(block.group_index().x + block.thread_index().y);
}

__global__ void coalesced(int* counter, int* out) {
  if (threadIdx.x % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
    const int v = active.shfl(base, 0) + static_cast<int>(active.thread_rank());
    out[v] =
        cg::reduce(active, v, cg::greater<int>()) + active.shfl_down(v, 1) + static_cast<int>(active.ballot(v & 1));
    const cg::coalesced_group same = cg::labeled_partition(active, v & 3);
    const cg::coalesced_group half = cg::binary_partition(active, v > 4);
    out[v + 1] = static_cast<int>(same.size() + half.thread_rank());
  }
}

__global__ void grid(int* out) {
  cg::grid_group all = cg::this_grid();
  out[all.thread_rank()] = static_cast<int>(all.size());
  all.sync();
  out[all.thread_rank() + 1] += static_cast<int>(all.block_rank());
}

__global__ void complex_numbers(cuComplex* a, cuDoubleComplex* b, std::complex<float>* c, std::complex<double>* d) {
  a[0] = cuCadd(make_cuDoubleComplex(1, 2), b[0]).x > 0 ? cuCmulf(a[1], a[2]) : cuCdivf(a[1], cuConjf(a[2]));
  b[0] = cuCfma(b[1], b[2], b[3]);
  b[1].x = cuCabs(b[2]) + cuCabsf(a[3]);
  c[0] = c[1] * c[2] + c[3] / c[4] - std::conj(c[5]);
  c[1] = std::exp(c[2]) + std::complex<float>(std::abs(c[3]), std::arg(c[4])) + std::norm(c[5]);
  d[0] = d[1] * d[2] + d[3] / d[4] + std::sqrt(d[1]);
}

struct Pair {
  int a, b;
};
template <class F>
__global__ void call(F f, int* out) {
  auto [x, y] = Pair{f(out[0]), 2};
  if constexpr (sizeof(F) > 1) {
    out[1] = std::move(x);
  } else {
    out[2] = y;
  }
  alignas(Pair) char storage[sizeof(Pair)];
  Pair* placed = new (storage) Pair{x, y};
  out[3] = placed->a;
}

__noinline__ __device__ int kept(int x) { return x * 3; }
__forceinline__ __device__ int melted(int x) { return x * 3; }
__global__ void qualifiers(int* __restrict__ out, const int* __restrict__ in) { out[0] = kept(in[0]) + melted(in[1]); }

int main() {
  int* data = nullptr;
  cudaMallocManaged(&data, 4096);
  const int captured = 5;
  call<<<1, 1>>>([=] __device__(int x) { return x + captured; }, data);
  call<<<1, 1>>>([=] __host__ __device__(int x) { return x; }, data);
  void* arguments[] = {&data};
  cudaLaunchCooperativeKernel(grid, dim3(2), dim3(64), arguments);
  cudaLaunchKernel(reinterpret_cast<const void*>(grid), dim3(2), dim3(64), arguments, 0, nullptr);
  int blocks = 0, size = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid, 64, 0);
  cudaOccupancyMaxPotentialBlockSize(&blocks, &size, blocks_and_tiles, 0, 0);
  cudaFuncSetAttribute(grid, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  cudaFuncSetCacheConfig(coalesced, cudaFuncCachePreferL1);
  return std::make_shared<int>(blocks) ? 0 : 1;
}
