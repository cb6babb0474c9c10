// SPDX-License-Identifier: Apache-2.0
// CUB's block and warp collectives in a program's kernels, with several block shapes.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "reference.h"

namespace {

constexpr int kItems = 3;

template <class T, int Threads>
struct BlockResults {
  T sum, largest;
  T sorted[Threads * kItems];
  T inclusive[Threads * kItems];
  T reversed[Threads * kItems];
  int heads[Threads * kItems];
  int histogram[16];
};

template <class T, int Threads, cub::BlockReduceAlgorithm Reduce, cub::BlockScanAlgorithm Scan>
__global__ void block(const T* in, BlockResults<T, Threads>* out) {
  typedef cub::BlockLoad<T, Threads, kItems, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockStore<T, Threads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
  typedef cub::BlockReduce<T, Threads, Reduce> Reducer;
  typedef cub::BlockScan<T, Threads, Scan> Scanner;
  typedef cub::BlockRadixSort<T, Threads, kItems> Sorter;
  typedef cub::BlockExchange<T, Threads, kItems> Exchange;
  typedef cub::BlockDiscontinuity<T, Threads> Discontinuity;
  typedef cub::BlockHistogram<unsigned char, Threads, kItems, 16> Histogram;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reducer::TempStorage reduce;
    typename Scanner::TempStorage scan;
    typename Sorter::TempStorage sort;
    typename Exchange::TempStorage exchange;
    typename Discontinuity::TempStorage discontinuity;
    typename Histogram::TempStorage histogram;
  } scratch;
  __shared__ int bins[16];

  T items[kItems];
  Load(scratch.load).Load(in, items);
  __syncthreads();
  const T sum = Reducer(scratch.reduce).Sum(items);
  __syncthreads();
  const T largest = Reducer(scratch.reduce).Reduce(items, cub::Max());
  if (threadIdx.x == 0) {
    out->sum = sum;
    out->largest = largest;
  }
  __syncthreads();

  T scanned[kItems];
  Scanner(scratch.scan).InclusiveSum(items, scanned);
  __syncthreads();
  Store(scratch.store).Store(out->inclusive, scanned);
  __syncthreads();

  unsigned char samples[kItems];
  for (int i = 0; i < kItems; ++i) samples[i] = static_cast<unsigned char>(static_cast<int>(items[i]) & 15);
  Histogram(scratch.histogram).Histogram(samples, bins);
  __syncthreads();
  if (threadIdx.x < 16) out->histogram[threadIdx.x] = bins[threadIdx.x];

  Sorter(scratch.sort).Sort(items);
  __syncthreads();
  for (int i = 0; i < kItems; ++i) out->sorted[threadIdx.x * kItems + i] = items[i];
  int heads[kItems];
  Discontinuity(scratch.discontinuity).FlagHeads(heads, items, cub::Inequality());
  for (int i = 0; i < kItems; ++i) out->heads[threadIdx.x * kItems + i] = heads[i];
  __syncthreads();
  int ranks[kItems];
  for (int i = 0; i < kItems; ++i) ranks[i] = Threads * kItems - 1 - static_cast<int>(threadIdx.x * kItems + i);
  Exchange(scratch.exchange).ScatterToBlocked(items, ranks);
  __syncthreads();
  Store(scratch.store).Store(out->reversed, items);
}

template <class T, int Threads, cub::BlockReduceAlgorithm Reduce, cub::BlockScanAlgorithm Scan>
void blocks(const char* type) {
  const std::string what = std::string(type) + ", " + std::to_string(Threads) + " threads: ";
  constexpr int n = Threads * kItems;
  typedef BlockResults<T, Threads> Results;
  std::vector<T> host = values<T>(n, 70);
  T* in = nullptr;
  Results* out = nullptr;
  cudaMalloc(&in, n * sizeof(T));
  cudaMalloc(&out, sizeof(Results));
  cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  block<T, Threads, Reduce, Scan><<<1, Threads>>>(in, out);
  std::vector<Results> results(1);
  const cudaError_t error = cudaMemcpy(results.data(), out, sizeof(Results), cudaMemcpyDeviceToHost);
  expect(error == cudaSuccess, what + cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);

  const Results& got = results[0];
  const auto as_vector = [](const T* values) { return std::vector<T>(values, values + n); };
  expect(got.sum == std::accumulate(host.begin(), host.end(), T(0)), what + "sum");
  expect(got.largest == *std::max_element(host.begin(), host.end()), what + "largest");
  std::vector<T> expected(n);
  std::partial_sum(host.begin(), host.end(), expected.begin());
  expect_same(what + "scan", as_vector(got.inclusive), expected);
  std::vector<int> bins(16);
  for (T value : host) ++bins[static_cast<int>(value) & 15];
  expect_same(what + "histogram", std::vector<int>(got.histogram, got.histogram + 16), bins);
  std::sort(host.begin(), host.end());
  expect_same(what + "sort", as_vector(got.sorted), host);
  std::vector<int> heads(n);
  for (int i = 0; i < n; ++i) heads[i] = i == 0 || host[i] != host[i - 1];
  expect_same(what + "heads", std::vector<int>(got.heads, got.heads + n), heads);
  std::reverse(host.begin(), host.end());
  expect_same(what + "exchange", as_vector(got.reversed), host);
}

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

template <int Lanes>
__global__ void warp(const int* in, int* sums, int* scans, int* sorted) {
  typedef cub::WarpReduce<int, Lanes> Reducer;
  typedef cub::WarpScan<int, Lanes> Scanner;
  typedef cub::WarpMergeSort<int, 1, Lanes> Sorter;
  constexpr int kWarps = 64 / Lanes;
  __shared__ union {
    typename Reducer::TempStorage reduce[kWarps];
    typename Scanner::TempStorage scan[kWarps];
    typename Sorter::TempStorage sort[kWarps];
  } scratch;
  const int mine = threadIdx.x / Lanes;
  int item[1] = {in[threadIdx.x]};
  const int sum = Reducer(scratch.reduce[mine]).Sum(item[0]);
  if (threadIdx.x % Lanes == 0) sums[mine] = sum;
  __syncthreads();
  int scanned = 0;
  Scanner(scratch.scan[mine]).ExclusiveSum(item[0], scanned);
  scans[threadIdx.x] = scanned;
  __syncthreads();
  Sorter(scratch.sort[mine]).Sort(item, Less());
  sorted[threadIdx.x] = item[0];
}

template <int Lanes>
void warps() {
  const std::string what = "warps of " + std::to_string(Lanes) + ": ";
  const std::vector<int> host = values<int>(64, 1000);
  int* memory = nullptr;
  cudaMalloc(&memory, 4 * 64 * sizeof(int));
  cudaMemcpy(memory, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
  warp<Lanes><<<1, 64>>>(memory, memory + 64, memory + 128, memory + 192);
  std::vector<int> got(256);
  const cudaError_t error = cudaMemcpy(got.data(), memory, 256 * sizeof(int), cudaMemcpyDeviceToHost);
  expect(error == cudaSuccess, what + cudaGetErrorString(error));
  cudaFree(memory);
  for (int first = 0; first < 64; first += Lanes) {
    std::vector<int> part(host.begin() + first, host.begin() + first + Lanes);
    expect(got[64 + first / Lanes] == std::accumulate(part.begin(), part.end(), 0), what + "sum");
    for (int i = 0; i < Lanes; ++i) {
      expect(got[128 + first + i] == std::accumulate(part.begin(), part.begin() + i, 0), what + "scan");
    }
    std::sort(part.begin(), part.end());
    expect_same(what + "sort", std::vector<int>(got.begin() + 192 + first, got.begin() + 192 + first + Lanes), part);
  }
}

}  // namespace

int main() {
  blocks<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::BLOCK_SCAN_WARP_SCANS>("int");
  blocks<double, 64, cub::BLOCK_REDUCE_RAKING, cub::BLOCK_SCAN_RAKING>("double");
  blocks<float, 160, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, cub::BLOCK_SCAN_RAKING_MEMOIZE>("float");
  warps<32>();
  warps<8>();
  return finish();
}
