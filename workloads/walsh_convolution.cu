// SPDX-License-Identifier: Apache-2.0
// Dyadic convolution of a signal with a kernel: Walsh transforms of both, products, and the transform back. A transform
// goes through global memory with four elements a thread and a launch for each two bits of the index, then through
// shared memory for the low bits. Whole numbers keep every sum exact.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128, 256
//   shared memory:     2048
//   warp instructions: no
//   size:              elements; rounded up to 512, 2,048, 8,192, 32,768, ...
//
// Option: --tile-threads 128|512, threads of a block that transforms a tile of four times as many elements.
// Source: docs/sources/dynamic-warp-resizing.md, 5 (FWAL).
#include "common.h"

constexpr int kBlock = 256;

struct Four {
  int first, distance;  // indices first + i * distance
};

// Elements of butterfly number `group` whose members are `distance` apart, a power of two.
__host__ __device__ inline Four four_of(int group, int distance) {
  const int low = group & (distance - 1);
  return {4 * (group - low) + low, distance};
}

// Two levels of butterflies.
__device__ void butterflies(float* data, Four at) {
  float* const p = data + at.first;
  const float a = p[0], b = p[at.distance], c = p[2 * at.distance], d = p[3 * at.distance];
  const float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
  p[0] = ac + bd;
  p[at.distance] = ac - bd;
  p[2 * at.distance] = a_c + b_d;
  p[3 * at.distance] = a_c - b_d;
}

__global__ void transform_in_memory(float* data, int distance, int groups) {
  const int group = blockIdx.x * kBlock + threadIdx.x;
  if (group < groups) butterflies(data, four_of(group, distance));
}

template <int kThreads>
__global__ void transform_in_tile(float* data) {
  constexpr int kTile = 4 * kThreads;
  __shared__ float tile[kTile];
  float* const part = data + static_cast<std::size_t>(blockIdx.x) * kTile;
  const int thread = threadIdx.x;
  for (int i = thread; i < kTile; i += kThreads) tile[i] = part[i];
  for (int distance = kThreads; distance > 1; distance /= 4) {
    __syncthreads();
    butterflies(tile, four_of(thread, distance));
  }
  // A tile has an odd number of index bits; the last one is left.
  __syncthreads();
  for (int pair = thread; pair < kTile / 2; pair += kThreads) {
    const float a = tile[2 * pair], b = tile[2 * pair + 1];
    tile[2 * pair] = a + b;
    tile[2 * pair + 1] = a - b;
  }
  __syncthreads();
  for (int i = thread; i < kTile; i += kThreads) part[i] = tile[i];
}

// 1 / count is exact.
__global__ void multiply(float* signal, const float* kernel, float scale, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < count) signal[i] = signal[i] * kernel[i] * scale;
}

void transform(float* data, int count, int tile_threads) {
  const int groups = count / 4;
  for (int distance = groups; distance > tile_threads; distance /= 4) {
    transform_in_memory<<<workload::blocks_for(groups, kBlock), kBlock>>>(data, distance, groups);
    CHECK_LAUNCH();
  }
  const unsigned tiles = static_cast<unsigned>(groups / tile_threads);
  if (tile_threads == 512) {
    transform_in_tile<512><<<tiles, 512>>>(data);
  } else {
    transform_in_tile<128><<<tiles, 128>>>(data);
  }
  CHECK_LAUNCH();
}

void transform_on_host(std::vector<float>& data) {
  for (std::size_t distance = 1; distance < data.size(); distance *= 2)
    for (std::size_t i = 0; i < data.size(); ++i) {
      if ((i & distance) != 0) continue;
      const float a = data[i], b = data[i + distance];
      data[i] = a + b;
      data[i + distance] = a - b;
    }
}

int main(int argc, char** argv) {
  const int tile_threads = workload::take_choice(argc, argv, "--tile-threads", {"128", "512"}) == 1 ? 512 : 128;
  const long asked = workload::parse_size(argc, argv, {2048, 8192, 131072, 1, 1 << 21});
  int count = 4 * tile_threads;
  while (count < asked) count *= 4;
  workload::Random random(96);
  std::vector<float> signal(count), kernel(count, 0.0f);
  for (float& value : signal) value = static_cast<float>(static_cast<int>(random.below(9)) - 4);
  for (int i = 0; i < 16; ++i) kernel[random.below(static_cast<std::uint32_t>(count))] = static_cast<float>(random.below(3));
  workload::DeviceArray<float> device_signal(signal), device_kernel(kernel);
  transform(device_signal.get(), count, tile_threads);
  transform(device_kernel.get(), count, tile_threads);
  const float scale = 1.0f / static_cast<float>(count);
  multiply<<<workload::blocks_for(count, kBlock), kBlock>>>(device_signal.get(), device_kernel.get(), scale, count);
  CHECK_LAUNCH();
  transform(device_signal.get(), count, tile_threads);

  transform_on_host(signal);
  transform_on_host(kernel);
  for (int i = 0; i < count; ++i) signal[i] = signal[i] * kernel[i] * scale;
  transform_on_host(signal);
  workload::Report report("walsh_convolution");
  report.expect_equal("element", device_signal.download(), signal);
  return report.finish();
}
