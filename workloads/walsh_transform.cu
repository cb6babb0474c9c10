// SPDX-License-Identifier: Apache-2.0
// Fast Walsh transform: butterflies of long distance in global memory, one launch each, then the short ones in shared
// memory. Whole numbers keep every sum exact.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     1024
//   warp instructions: no
//   size:              elements; rounded up to a power of two, at least 256
#include "common.h"

constexpr int kBlock = 128;
constexpr int kTile = 2 * kBlock;

// The lower index of butterfly number `pair` at `distance` (a power of two).
__host__ __device__ inline int lower_of_pair(int pair, int distance) { return 2 * pair - (pair & (distance - 1)); }

__device__ void butterfly(float* data, int low, int distance) {
  const float a = data[low], b = data[low + distance];
  data[low] = a + b;
  data[low + distance] = a - b;
}

__global__ void walsh_in_memory(float* data, int distance) {
  butterfly(data, lower_of_pair(blockIdx.x * kBlock + threadIdx.x, distance), distance);
}

__global__ void walsh_in_tile(float* data) {
  __shared__ float tile[kTile];
  float* block = data + blockIdx.x * kTile;
  tile[threadIdx.x] = block[threadIdx.x];
  tile[threadIdx.x + kBlock] = block[threadIdx.x + kBlock];
  __syncthreads();
  for (int distance = kBlock; distance > 0; distance /= 2) {
    butterfly(tile, lower_of_pair(threadIdx.x, distance), distance);
    __syncthreads();
  }
  block[threadIdx.x] = tile[threadIdx.x];
  block[threadIdx.x + kBlock] = tile[threadIdx.x + kBlock];
}

int main(int argc, char** argv) {
  const long asked = workload::parse_size(argc, argv, {1024, 16384, 262144, 1, 1 << 22});
  int count = kTile;
  while (count < asked) count *= 2;
  workload::Random random(18);
  std::vector<float> data(count);
  for (float& value : data) value = static_cast<float>(static_cast<int>(random.below(9)) - 4);
  workload::DeviceArray<float> device(data);
  for (int distance = count / 2; distance >= kTile; distance /= 2) {
    walsh_in_memory<<<count / kTile, kBlock>>>(device.get(), distance);
    CHECK_LAUNCH();
  }
  walsh_in_tile<<<count / kTile, kBlock>>>(device.get());
  CHECK_LAUNCH();
  // The reference goes the other way, from short distances to long ones.
  for (int distance = 1; distance < count; distance *= 2)
    for (int pair = 0; pair < count / 2; ++pair) {
      float* low = &data[lower_of_pair(pair, distance)];
      const float a = low[0], b = low[distance];
      low[0] = a + b;
      low[distance] = a - b;
    }
  workload::Report report("walsh_transform");
  report.expect_equal("coefficient", device.download(), data);
  return report.finish();
}
