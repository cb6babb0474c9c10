// SPDX-License-Identifier: Apache-2.0
// Haar wavelet transform of a signal: a block does nine levels of its part in shared memory, half of the threads
// dropping out at each, and further launches do what the blocks leave.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     2048
//   warp instructions: no
//   size:              elements; padded to a power of two
#include <algorithm>

#include "common.h"

constexpr int kBlock = 256;
constexpr float kRoot = 0.70710678f;  // of one half

// `count` elements (a power of two, at least 2) in parts of 2 * kBlock. The differences of each level go to `out`, those
// of the first to its upper half; the last sum of a part goes to `sums`.
__global__ void transform(const float* in, float* out, float* sums, int count) {
  __shared__ float part[2 * kBlock];
  const int t = threadIdx.x, part_size = min(count, 2 * kBlock), threads = part_size / 2;
  const float* own = in + blockIdx.x * part_size;
  if (t < threads) {
    part[t] = own[t];
    part[t + threads] = own[t + threads];
  }
  __syncthreads();
  for (int left = threads, level = count / 2; left > 0; left /= 2, level /= 2) {
    float first = 0.0f, second = 0.0f;
    if (t < left) {
      first = part[2 * t];
      second = part[2 * t + 1];
    }
    __syncthreads();
    if (t < left) {
      part[t] = (first + second) * kRoot;
      out[level + blockIdx.x * left + t] = (first - second) * kRoot;
    }
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

int main(int argc, char** argv) {
  const long wanted = workload::parse_size(argc, argv, {2500, 50000, 1000000, 1, 1 << 24});
  int count = 2;
  while (count < wanted) count *= 2;
  workload::Random random(88);
  std::vector<float> signal(count, 0.0f), reference(count);
  for (long i = 0; i < wanted; ++i) signal[i] = random.between(-1.0f, 1.0f);
  std::vector<float> level = signal;
  for (int left = count / 2; left > 0; left /= 2)
    for (int i = 0; i < left; ++i) {
      const float first = level[2 * i], second = level[2 * i + 1];
      reference[left + i] = (first - second) * kRoot;
      level[i] = (first + second) * kRoot;
    }
  reference[0] = level[0];

  workload::DeviceArray<float> in(signal), out(count);
  const std::size_t parts = workload::blocks_for(count, 2 * kBlock);
  workload::DeviceArray<float> sums_a(parts), sums_b(parts);
  const float* from = in.get();
  float *to = sums_a.get(), *other = sums_b.get();
  for (int left = count; left > 1;) {
    const unsigned blocks = workload::blocks_for(left, 2 * kBlock);
    transform<<<blocks, kBlock>>>(from, out.get(), to, left);
    CHECK_LAUNCH();
    from = to;
    std::swap(to, other);
    left = static_cast<int>(blocks);
  }
  CHECK_CUDA(cudaMemcpy(out.get(), from, sizeof(float), cudaMemcpyDeviceToDevice));
  workload::Report report("haar_wavelet");
  report.expect_equal("element", out.download(), reference);
  return report.finish();
}
