// SPDX-License-Identifier: Apache-2.0
// Exclusive prefix sums of parts of 512 elements, one block a part: up a tree in shared memory and down again, with a
// barrier a level, at which half of the threads drop out or come back. No exchange within a warp.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     2048
//   warp instructions: no
//   size:              elements; rounded up to whole parts
//
// Source: docs/sources/dynamic-warp-resizing.md, 5 (SC).
#include "common.h"

constexpr int kBlock = 256, kPart = 2 * kBlock;

__global__ void scan_parts(const int* in, int* out, int* totals) {
  __shared__ int sums[kPart];
  const int thread = threadIdx.x, first = blockIdx.x * kPart;
  sums[thread] = in[first + thread];
  sums[thread + kBlock] = in[first + thread + kBlock];
  int distance = 1;
  for (int threads = kBlock; threads > 0; threads /= 2) {
    __syncthreads();
    if (thread < threads) sums[distance * (2 * thread + 2) - 1] += sums[distance * (2 * thread + 1) - 1];
    distance *= 2;
  }
  if (thread == 0) {
    totals[blockIdx.x] = sums[kPart - 1];
    sums[kPart - 1] = 0;
  }
  for (int threads = 1; threads <= kBlock; threads *= 2) {
    distance /= 2;
    __syncthreads();
    if (thread < threads) {
      const int left = distance * (2 * thread + 1) - 1, right = distance * (2 * thread + 2) - 1;
      const int sum = sums[left];
      sums[left] = sums[right];
      sums[right] += sum;
    }
  }
  __syncthreads();
  out[first + thread] = sums[thread];
  out[first + thread + kBlock] = sums[thread + kBlock];
}

int main(int argc, char** argv) {
  const long asked = workload::parse_size(argc, argv, {1200, 32768, 524288, 1, 1 << 24});
  const unsigned parts = workload::blocks_for(asked, kPart);
  workload::Random random(95);
  std::vector<int> in(parts * kPart), reference(in.size()), totals(parts);
  for (unsigned part = 0; part < parts; ++part) {
    int sum = 0;
    for (int i = 0; i < kPart; ++i) {
      in[part * kPart + i] = static_cast<int>(random.below(100)) - 30;
      reference[part * kPart + i] = sum;
      sum += in[part * kPart + i];
    }
    totals[part] = sum;
  }
  workload::DeviceArray<int> device_in(in), out(in.size()), device_totals(parts);
  scan_parts<<<parts, kBlock>>>(device_in.get(), out.get(), device_totals.get());
  CHECK_LAUNCH();
  workload::Report report("block_scan");
  report.expect_equal("prefix sum", out.download(), reference);
  report.expect_equal("total", device_totals.download(), totals);
  return report.finish();
}
