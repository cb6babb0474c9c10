// SPDX-License-Identifier: Apache-2.0
// Several streams, each copying a part of the input in, smoothing it through dynamically sized shared memory, and
// copying the result out; events time the whole and hold back a last kernel that adds up the parts.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     288, dynamic
//   warp instructions: no
//   size:              elements of a part
#include <algorithm>

#include "common.h"

constexpr int kStreams = 3;
constexpr int kBlock = 64;
constexpr int kMostRadius = 4;  // stream s smooths over s + 2 elements each way

// out[i] = sum of in[i - radius .. i + radius], zero outside. Needs kBlock + 2 * radius words of shared memory.
__global__ void smooth(const int* in, int* out, int count, int radius) {
  extern __shared__ int window[];
  const int first = blockIdx.x * kBlock - radius;
  for (int i = threadIdx.x; i < kBlock + 2 * radius; i += kBlock)
    window[i] = first + i >= 0 && first + i < count ? in[first + i] : 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;
  int sum = 0;
  for (int offset = 0; offset <= 2 * radius; ++offset) sum += window[threadIdx.x + offset];
  out[i] = sum;
}

// Parts lie one after the other.
__global__ void add_parts(const int* parts, int* total, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;
  int sum = 0;
  for (int part = 0; part < kStreams; ++part) sum += parts[part * count + i];
  total[i] = sum;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 10000, 200000, 1, 1 << 22}));
  const std::size_t part_bytes = count * sizeof(int);
  const unsigned blocks = workload::blocks_for(count, kBlock);
  // Page-locked, so that the copies may overlap the kernels.
  int *in = nullptr, *out = nullptr;
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&in), kStreams * part_bytes));
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&out), kStreams * part_bytes));
  workload::Random random(25);
  for (int i = 0; i < kStreams * count; ++i) in[i] = static_cast<int>(random.below(1000)) - 400;

  workload::DeviceArray<int> device_in(kStreams * count), device_out(kStreams * count), total(count);
  cudaStream_t streams[kStreams], last;
  cudaEvent_t ready[kStreams], start, stop;
  CHECK_CUDA(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop));
  CHECK_CUDA(cudaEventRecord(start, last));
  for (int s = 0; s < kStreams; ++s) {
    CHECK_CUDA(cudaStreamCreate(&streams[s]));
    CHECK_CUDA(cudaEventCreateWithFlags(&ready[s], cudaEventDisableTiming));
    const int first = s * count, radius = std::min(s + 2, kMostRadius);
    CHECK_CUDA(cudaMemcpyAsync(device_in.get() + first, in + first, part_bytes, cudaMemcpyHostToDevice, streams[s]));
    smooth<<<blocks, kBlock, (kBlock + 2 * radius) * sizeof(int), streams[s]>>>(
        device_in.get() + first, device_out.get() + first, count, radius);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(ready[s], streams[s]));
    CHECK_CUDA(cudaMemcpyAsync(out + first, device_out.get() + first, part_bytes, cudaMemcpyDeviceToHost, streams[s]));
    CHECK_CUDA(cudaStreamWaitEvent(last, ready[s], 0));
  }
  add_parts<<<blocks, kBlock, 0, last>>>(device_out.get(), total.get(), count);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaEventRecord(stop, last));
  CHECK_CUDA(cudaEventSynchronize(stop));
  float milliseconds = -1.0f;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  for (int s = 0; s < kStreams; ++s) {
    CHECK_CUDA(cudaStreamSynchronize(streams[s]));
    CHECK_CUDA(cudaStreamDestroy(streams[s]));
    CHECK_CUDA(cudaEventDestroy(ready[s]));
  }

  std::vector<int> parts(kStreams * count, 0), sums(count, 0);
  for (int s = 0; s < kStreams; ++s)
    for (int i = 0; i < count; ++i) {
      const int radius = std::min(s + 2, kMostRadius);
      int sum = 0;
      for (int j = std::max(0, i - radius); j <= std::min(count - 1, i + radius); ++j) sum += in[s * count + j];
      parts[s * count + i] = sum;
      sums[i] += sum;
    }
  workload::Report report("streams");
  report.expect_equal("smoothed part", std::vector<int>(out, out + kStreams * count), parts);
  report.expect_equal("sum of the parts", total.download(), sums);
  report.expect_true("time between the events is not negative", milliseconds >= 0.0f);
  CHECK_CUDA(cudaStreamDestroy(last));
  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaEventDestroy(stop));
  CHECK_CUDA(cudaFreeHost(in));
  CHECK_CUDA(cudaFreeHost(out));
  return report.finish();
}
