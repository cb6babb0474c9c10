// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: atomics on a block's own bins in shared memory, which skewed data makes collide, then on the
// common ones in global memory.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     256
//   warp instructions: no
//   size:              bytes of input
#include "common.h"

constexpr int kBins = 64;
constexpr int kBlock = 128;
constexpr int kMostBlocks = 64;

__global__ void histogram(const unsigned char* in, unsigned* bins, int count) {
  __shared__ unsigned own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += kBlock) own[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < count; i += gridDim.x * kBlock)
    atomicAdd(&own[in[i] % kBins], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kBlock)
    if (own[bin] > 0) atomicAdd(&bins[bin], own[bin]);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {2500, 100000, 2000000, 1, 1 << 26}));
  unsigned blocks = workload::blocks_for(count, 4 * kBlock);
  if (blocks > kMostBlocks) blocks = kMostBlocks;
  workload::Random random(7);
  std::vector<unsigned char> in(count);
  std::vector<unsigned> reference(kBins, 0);
  for (unsigned char& value : in) {
    // The smaller of two: low bins are the crowded ones.
    const unsigned first = random.below(256), second = random.below(256);
    value = static_cast<unsigned char>(first < second ? first / 4 : second / 4);
    ++reference[value % kBins];
  }
  workload::DeviceArray<unsigned char> device_in(in);
  workload::DeviceArray<unsigned> bins(kBins);
  histogram<<<blocks, kBlock>>>(device_in.get(), bins.get(), count);
  CHECK_LAUNCH();
  workload::Report report("histogram");
  report.expect_equal("bin", bins.download(), reference);
  return report.finish();
}
