// SPDX-License-Identifier: Apache-2.0
// Stream compaction by tickets: each element kept goes where a returned atomic value says, and floats are summed by
// atomics. Where an element lands, and the last bits of the sum, depend on the order of threads.
//
//   order dependent:   yes
//   digest:            none
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              elements
#include <algorithm>

#include "common.h"

__global__ void compact(const unsigned* in, unsigned* kept, unsigned* tickets, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned value = in[i];
  if (value % 3 != 0) return;
  kept[atomicAdd(tickets, 1u)] = value;
  atomicAdd(sum, 1.0f / static_cast<float>(value + 1));
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {1500, 20000, 500000, 1, 1 << 24}));
  workload::Random random(21);
  std::vector<unsigned> in(count), reference;
  double reference_sum = 0.0;
  for (unsigned& value : in) {
    value = random.below(10000);
    if (value % 3 != 0) continue;
    reference.push_back(value);
    reference_sum += 1.0 / (value + 1);
  }
  std::sort(reference.begin(), reference.end());
  workload::DeviceArray<unsigned> device_in(in), kept(count), tickets(1);
  workload::DeviceArray<float> sum(1);
  compact<<<workload::blocks_for(count, 128), 128>>>(device_in.get(), kept.get(), tickets.get(), sum.get(), count);
  CHECK_LAUNCH();
  workload::Report report("compaction");
  const unsigned found = tickets.download()[0];
  report.expect_true("number of elements kept", found == reference.size());
  std::vector<unsigned> result = kept.download();
  result.resize(std::min<std::size_t>(found, result.size()));
  report.add(result);
  std::sort(result.begin(), result.end());
  report.expect_true("elements kept", result == reference);
  report.expect_near("sum", sum.download(), std::vector<float>(1, static_cast<float>(reference_sum)), 1e-4, 1e-6);
  return report.finish();
}
