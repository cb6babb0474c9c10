// SPDX-License-Identifier: Apache-2.0
// A picture through the texture path: a filter whose weights lie in constant memory and whose pixels come from a
// clamped texture, a table looked up in a linear texture, and an enlargement by bilinear sampling at exact fractions.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            16x8
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kRadius = 2;
constexpr int kTaps = 2 * kRadius + 1;
constexpr int kTones = 64;

__constant__ float weights[kTaps * kTaps];

// Whole numbers throughout: the sum is exact, and its low bits choose a tone.
__global__ void blur(cudaTextureObject_t picture, cudaTextureObject_t tones, float* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  float sum = 0.0f;
  for (int dy = -kRadius; dy <= kRadius; ++dy)
    for (int dx = -kRadius; dx <= kRadius; ++dx)
      sum = fmaf(weights[(dy + kRadius) * kTaps + dx + kRadius],
                 tex2D<float>(picture, static_cast<float>(x + dx) + 0.5f, static_cast<float>(y + dy) + 0.5f), sum);
  out[y * columns + x] = sum + tex1Dfetch<float>(tones, static_cast<int>(sum) % kTones);
}

// Twice the columns and rows; samples fall a quarter of a pixel from pixel centres, zero lies outside the picture.
__global__ void enlarge(cudaTextureObject_t picture, float* out, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] =
      tex2D<float>(picture, 0.5f * (static_cast<float>(x) + 0.5f), 0.5f * (static_cast<float>(y) + 0.5f));
}

cudaTextureObject_t make_texture(const cudaResourceDesc& resource, cudaTextureAddressMode outside,
                                 cudaTextureFilterMode filter) {
  cudaTextureDesc description;
  std::memset(&description, 0, sizeof(description));
  description.addressMode[0] = description.addressMode[1] = outside;
  description.filterMode = filter;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 120, 640, 4, 4096}));
  const int rows = columns * 3 / 4;
  workload::Random random(23);
  std::vector<float> picture(rows * columns), filter(kTaps * kTaps), tones(kTones);
  for (float& pixel : picture) pixel = static_cast<float>(random.below(256));
  for (float& weight : filter) weight = static_cast<float>(1 + random.below(4));
  for (float& tone : tones) tone = static_cast<float>(random.below(1000));

  std::vector<float> blurred(rows * columns), enlarged(4 * rows * columns);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      int sum = 0;
      for (int dy = -kRadius; dy <= kRadius; ++dy)
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
          const int from_x = std::min(std::max(x + dx, 0), columns - 1),
                    from_y = std::min(std::max(y + dy, 0), rows - 1);
          sum += static_cast<int>(filter[(dy + kRadius) * kTaps + dx + kRadius] * picture[from_y * columns + from_x]);
        }
      blurred[y * columns + x] = static_cast<float>(sum) + tones[sum % kTones];
    }
  for (int y = 0; y < 2 * rows; ++y)
    for (int x = 0; x < 2 * columns; ++x) {
      // Weights in sixteenths: nine for the nearest pixel, three and three, one for the farthest.
      const int near_x = x / 2, near_y = y / 2, far_x = near_x + (x % 2 == 0 ? -1 : 1),
                far_y = near_y + (y % 2 == 0 ? -1 : 1);
      const auto pixel = [&](int px, int py) {
        return px < 0 || py < 0 || px >= columns || py >= rows ? 0.0f : picture[py * columns + px];
      };
      enlarged[y * 2 * columns + x] = (9.0f * pixel(near_x, near_y) + 3.0f * pixel(far_x, near_y) +
                                       3.0f * pixel(near_x, far_y) + pixel(far_x, far_y)) /
                                      16.0f;
    }

  CHECK_CUDA(cudaMemcpyToSymbol(weights, filter.data(), filter.size() * sizeof(float)));
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK_CUDA(cudaMallocArray(&array, &channel, columns, rows));
  CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, picture.data(), columns * sizeof(float), columns * sizeof(float), rows,
                                 cudaMemcpyHostToDevice));
  workload::DeviceArray<float> device_tones(tones), device_blurred(blurred.size()), device_enlarged(enlarged.size());
  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureObject_t clamped = make_texture(resource, cudaAddressModeClamp, cudaFilterModePoint);
  const cudaTextureObject_t smooth = make_texture(resource, cudaAddressModeBorder, cudaFilterModeLinear);
  std::memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = device_tones.get();
  resource.res.linear.desc = channel;
  resource.res.linear.sizeInBytes = tones.size() * sizeof(float);
  const cudaTextureObject_t table = make_texture(resource, cudaAddressModeClamp, cudaFilterModePoint);

  const dim3 block(16, 8);
  blur<<<dim3(workload::blocks_for(columns, 16), workload::blocks_for(rows, 8)), block>>>(
      clamped, table, device_blurred.get(), columns, rows);
  CHECK_LAUNCH();
  enlarge<<<dim3(workload::blocks_for(2 * columns, 16), workload::blocks_for(2 * rows, 8)), block>>>(
      smooth, device_enlarged.get(), 2 * columns, 2 * rows);
  CHECK_LAUNCH();
  for (cudaTextureObject_t texture : {clamped, smooth, table}) CHECK_CUDA(cudaDestroyTextureObject(texture));
  CHECK_CUDA(cudaFreeArray(array));
  workload::Report report("convolution");
  report.expect_equal("blurred pixel", device_blurred.download(), blurred);
  report.expect_equal("enlarged pixel", device_enlarged.download(), enlarged);
  return report.finish();
}
