// SPDX-License-Identifier: Apache-2.0
// Sum of a vector of floats: each thread adds with a stride, each block folds a tree in shared memory, and a second
// launch adds the blocks' sums. The order of additions is fixed by the program, so the result is exact.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     512
//   warp instructions: no
//   size:              elements
#include "common.h"

constexpr int kBlock = 128;
constexpr int kMostBlocks = 64;

__global__ void block_sums(const float* in, float* sums, int count) {
  __shared__ float partial[kBlock];
  const int thread = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + thread; i < count; i += gridDim.x * kBlock) sum += in[i];
  partial[thread] = sum;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = partial[0];
}

// What block_sums does, one addition after the other.
std::vector<float> reference_sums(const std::vector<float>& in, int blocks) {
  std::vector<float> sums(blocks);
  for (int block = 0; block < blocks; ++block) {
    float partial[kBlock];
    for (int thread = 0; thread < kBlock; ++thread) {
      partial[thread] = 0.0f;
      for (std::size_t i = block * kBlock + thread; i < in.size(); i += blocks * kBlock) partial[thread] += in[i];
    }
    for (int half = kBlock / 2; half > 0; half /= 2)
      for (int thread = 0; thread < half; ++thread) partial[thread] += partial[thread + half];
    sums[block] = partial[0];
  }
  return sums;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {2500, 200000, 1 << 21, 1, 1 << 26}));
  // At least two elements a thread where there are several blocks.
  int blocks = static_cast<int>(workload::blocks_for(count, 4 * kBlock));
  if (blocks > kMostBlocks) blocks = kMostBlocks;
  workload::Random random(5);
  std::vector<float> in(count);
  for (float& value : in) value = random.between(0.0f, 1.0f);
  workload::DeviceArray<float> device_in(in), sums(blocks), total(1);
  block_sums<<<blocks, kBlock>>>(device_in.get(), sums.get(), count);
  CHECK_LAUNCH();
  block_sums<<<1, kBlock>>>(sums.get(), total.get(), blocks);
  CHECK_LAUNCH();
  const std::vector<float> reference = reference_sums(in, blocks);
  double exact = 0.0;
  for (float value : in) exact += value;
  workload::Report report("reduction");
  report.expect_equal("sum of a block", sums.download(), reference);
  report.expect_equal("total", total.download(), reference_sums(reference, 1));
  report.expect_true("total close to the sum in double precision",
                     std::fabs(total.download()[0] - exact) <= 1e-5 * exact + 1e-6);
  return report.finish();
}
