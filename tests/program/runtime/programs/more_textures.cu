// SPDX-License-Identifier: Apache-2.0
// Gathers, sRGB textures, seamless cube maps.
#include <cmath>
#include <vector>

#include "expect.h"

texture<float2, cudaTextureType2D, cudaReadModeElementType> gather_reference;

__global__ void gathers(float4* out, cudaTextureObject_t texture, float x, float y) {
  out[0] = tex2Dgather<float4>(texture, x, y);
  out[1] = tex2Dgather<float4>(texture, x, y, 1);
  out[2] = tex2Dgather(gather_reference, x, y, 1);
  tex2Dgather(&out[3], texture, x, y, 0);
}
__global__ void colours(float4* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}
__global__ void around(float* out, cudaTextureObject_t texture, int n) {
  const float angle = 6.2831853f * threadIdx.x / n;
  out[threadIdx.x] = texCubemap<float>(texture, cosf(angle), 0.3f, sinf(angle));
}

template <typename T>
static std::vector<T> download(const void* device, int n) {
  std::vector<T> host(n);
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}
static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& rules) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  return object;
}

int main() {
  void* out = nullptr;
  OK(cudaMalloc(&out, 4096));

  // Four by four pairs: 10 y + x and its negative.
  float2 pairs[4][4];
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) pairs[y][x] = make_float2(10.0f * y + x, -10.0f * y - x);
  }
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  OK(cudaMallocArray(&array, &format, 4, 4, cudaArrayTextureGather));
  OK(cudaMemcpy2DToArray(array, 0, 0, pairs, sizeof pairs[0], sizeof pairs[0], 4, cudaMemcpyHostToDevice));
  cudaTextureObject_t texture = texture_of(array, {});
  OK(cudaBindTextureToArray(gather_reference, array));
  gathers<<<1, 1>>>(static_cast<float4*>(out), texture, 1.75f, 2.0f);
  const auto four = download<float4>(out, 4);
  // Texels (1,2), (2,2), (2,1), (1,1).
  EXPECT(four[0].x == 21 && four[0].y == 22 && four[0].z == 12 && four[0].w == 11);
  EXPECT(four[1].x == -21 && four[1].w == -11 && four[2].y == -22 && four[2].z == -12);
  EXPECT(four[3].x == 21 && four[3].w == 11);
  OK(cudaDestroyTextureObject(texture));

  uchar4 pixels[4] = {{0, 10, 128, 128}, {255, 188, 64, 0}, {1, 2, 3, 4}, {200, 100, 50, 25}};
  cudaArray_t image = nullptr;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  OK(cudaMallocArray(&image, &bytes, 4, 1));
  OK(cudaMemcpy2DToArray(image, 0, 0, pixels, sizeof pixels, sizeof pixels, 1, cudaMemcpyHostToDevice));
  cudaTextureDesc rules = {};
  rules.readMode = cudaReadModeNormalizedFloat;
  rules.sRGB = 1;
  texture = texture_of(image, rules);
  colours<<<1, 4>>>(static_cast<float4*>(out), texture);
  const auto seen = download<float4>(out, 4);
  const auto linear = [](unsigned char c) {
    const double f = c / 255.0;
    return static_cast<float>(f <= 0.04045 ? f / 12.92 : std::pow((f + 0.055) / 1.055, 2.4));
  };
  for (int i = 0; i < 4; ++i) {
    EXPECT(std::fabs(seen[i].x - linear(pixels[i].x)) < 1e-6f && std::fabs(seen[i].y - linear(pixels[i].y)) < 1e-6f);
    EXPECT(std::fabs(seen[i].z - linear(pixels[i].z)) < 1e-6f && seen[i].w == pixels[i].w / 255.0f);
  }
  OK(cudaDestroyTextureObject(texture));

  // A cube whose texels are the x of their direction: filtered across edges, it has no steps.
  constexpr int kSide = 8, kDirections = 256;
  std::vector<float> faces;
  for (int face = 0; face < 6; ++face) {
    for (int j = 0; j < kSide; ++j) {
      for (int i = 0; i < kSide; ++i) {
        const float s = (2 * i + 1.0f) / kSide - 1;
        const float x[] = {1, -1, s, s, s, -s};
        const float t = (2 * j + 1.0f) / kSide - 1;
        faces.push_back(x[face] / std::sqrt(1 + s * s + t * t));
      }
    }
  }
  const cudaChannelFormatDesc single = cudaCreateChannelDesc<float>();
  cudaArray_t cube = nullptr;
  OK(cudaMalloc3DArray(&cube, &single, {kSide, kSide, 6}, cudaArrayCubemap));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(faces.data(), kSide * sizeof(float), kSide, kSide);
  copy.dstArray = cube;
  copy.extent = make_cudaExtent(kSide, kSide, 6);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  float largest[2] = {0, 0};
  for (int seamless = 0; seamless < 2; ++seamless) {
    rules = {};
    rules.normalizedCoords = 1;
    rules.filterMode = cudaFilterModeLinear;
    rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
    rules.seamlessCubemap = seamless;
    texture = texture_of(cube, rules);
    around<<<1, kDirections>>>(static_cast<float*>(out), texture, kDirections);
    const auto ring = download<float>(out, kDirections);
    for (int i = 0; i < kDirections; ++i)
      largest[seamless] = std::fmax(largest[seamless], std::fabs(ring[i] - ring[(i + 1) % kDirections]));
    OK(cudaDestroyTextureObject(texture));
  }
  EXPECT(largest[1] < 0.04f && largest[0] > 2 * largest[1]);

  // A gather needs an array made for it.
  texture = texture_of(image, {});
  gathers<<<1, 1>>>(static_cast<float4*>(out), texture, 1, 1);
  EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
  return finish();
}
