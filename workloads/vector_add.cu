// SPDX-License-Identifier: Apache-2.0
// Vector addition, one thread an element: streaming loads and stores, nothing used twice.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              elements
#include "common.h"

__global__ void vector_add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {3000, 100000, 1 << 20, 1, 1 << 26}));
  workload::Random random(1);
  std::vector<float> a(count), b(count), reference(count);
  for (int i = 0; i < count; ++i) {
    a[i] = random.between(-1.0f, 1.0f);
    b[i] = random.between(-1.0f, 1.0f);
    reference[i] = a[i] + b[i];
  }
  workload::DeviceArray<float> device_a(a), device_b(b), device_sum(count);
  vector_add<<<workload::blocks_for(count, 256), 256>>>(device_a.get(), device_b.get(), device_sum.get(), count);
  CHECK_LAUNCH();
  workload::Report report("vector_add");
  report.expect_equal("sum", device_sum.download(), reference);
  return report.finish();
}
