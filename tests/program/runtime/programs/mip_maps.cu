// SPDX-License-Identifier: Apache-2.0
// A mip chain created on the device, each level by a kernel that reads the previous one through a texture and writes
// through a surface; then fetched by level and by gradients, against the host.
#include <algorithm>
#include <cmath>
#include <vector>

#include "expect.h"

texture<float, cudaTextureType2D, cudaReadModeElementType> reference;

constexpr int kSide = 32, kLevels = 6;

__global__ void reduce(cudaSurfaceObject_t to, cudaTextureObject_t from, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  // In the centre of four texels the filter returns their mean.
  const float mean = tex2D<float>(from, (x + 0.5f) / side, (y + 0.5f) / side);
  surf2Dwrite(mean, to, x * static_cast<int>(sizeof(float)), y);
}
__global__ void by_level(float* out, cudaTextureObject_t texture, const float4* at) {
  const float4 p = at[threadIdx.x];
  float pointer;
  tex2DLod(&pointer, texture, p.x, p.y, p.z);
  const float value = tex2DLod<float>(texture, p.x, p.y, p.z);
  out[threadIdx.x] = value == pointer ? value : -1000;
}
__global__ void by_gradient(float* out, cudaTextureObject_t texture, const float4* at) {
  const float4 p = at[threadIdx.x];
  out[threadIdx.x] = tex2DGrad<float>(texture, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.w));
}
__global__ void by_reference(float* out, const float4* at) {
  const float4 p = at[threadIdx.x];
  out[threadIdx.x] = tex2DLod(reference, p.x, p.y, p.z);
}
__global__ void base(float* out, cudaTextureObject_t texture, const float4* at) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void other_forms(float* out, cudaTextureObject_t line, cudaTextureObject_t solid, cudaTextureObject_t layers,
                            cudaTextureObject_t cube) {
  const float level = threadIdx.x;
  const float4 gradient = make_float4(exp2f(level) / 8, 0, 0, 0), none = make_float4(0, 0, 0, 0);
  out[8 * threadIdx.x] = tex1DLod<float>(line, 0.5f, level);
  out[8 * threadIdx.x + 1] = tex1DGrad<float>(line, 0.5f, exp2f(level) / 8, 0.0f);
  out[8 * threadIdx.x + 2] = tex3DLod<float>(solid, 0.5f, 0.5f, 0.5f, level);
  out[8 * threadIdx.x + 3] = tex3DGrad<float>(solid, 0.5f, 0.5f, 0.5f, gradient, none);
  out[8 * threadIdx.x + 4] = tex2DLayeredLod<float>(layers, 0.5f, 0.5f, 1, level);
  out[8 * threadIdx.x + 5] = tex2DLayeredGrad<float>(layers, 0.5f, 0.5f, 1, make_float2(0, 0), make_float2(0, gradient.x));
  out[8 * threadIdx.x + 6] = texCubemapLod<float>(cube, 0, 0, 1, level);
  // Half of the gradient is what moves on the face.
  out[8 * threadIdx.x + 7] = texCubemapGrad<float>(cube, 0, 0, 1, make_float4(gradient.x * 2, 0, 0, 0), none);
}

template <typename T>
static std::vector<T> download(const T* device, int n) {
  std::vector<T> host(n);
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

// The host's filter, weights in steps of 1/256.
static float fraction(float f) { return std::floor(f * 256 + 0.5f) / 256; }
static float filtered(const std::vector<float>& texels, int side, float x, float y) {
  const float fx = x * side - 0.5f, fy = y * side - 0.5f;
  const int i = static_cast<int>(std::floor(fx)), j = static_cast<int>(std::floor(fy));
  const float a = fraction(fx - i), b = fraction(fy - j);
  const auto at = [&](int u, int v) {
    return texels[std::clamp(v, 0, side - 1) * side + std::clamp(u, 0, side - 1)];
  };
  return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
}
static float at_level(const std::vector<std::vector<float>>& levels, float x, float y, float level) {
  level = std::clamp(level, 0.0f, static_cast<float>(levels.size() - 1));
  const int finer = static_cast<int>(level), coarser = std::min<int>(finer + 1, levels.size() - 1);
  const float share = fraction(level - finer);
  return (1 - share) * filtered(levels[finer], kSide >> finer, x, y) + share * filtered(levels[coarser], kSide >> coarser, x, y);
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t levels, const cudaTextureDesc& rules) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  return object;
}

// Levels whose texels all hold the level number.
static cudaMipmappedArray_t plain_levels(cudaExtent extent, unsigned flags) {
  cudaMipmappedArray_t levels = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  OK(cudaMallocMipmappedArray(&levels, &format, extent, 4, flags));
  for (unsigned l = 0; l < 4; ++l) {
    cudaArray_t level = nullptr;
    OK(cudaGetMipmappedArrayLevel(&level, levels, l));
    cudaExtent size;
    OK(cudaArrayGetInfo(nullptr, &size, nullptr, level));
    const size_t rows = std::max<size_t>(size.height, 1), slices = std::max<size_t>(size.depth, 1);
    std::vector<float> texels(size.width * rows * slices, static_cast<float>(l));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), size.width * sizeof(float), size.width, rows);
    copy.dstArray = level;
    copy.extent = make_cudaExtent(size.width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
  }
  return levels;
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t chain = nullptr;
  OK(cudaMallocMipmappedArray(&chain, &format, {kSide, kSide, 0}, 99, cudaArraySurfaceLoadStore));
  cudaArray_t level = nullptr;
  OK(cudaGetMipmappedArrayLevel(&level, chain, kLevels - 1));
  EXPECT_CODE(cudaGetMipmappedArrayLevel(&level, chain, kLevels), cudaErrorInvalidValue);

  std::vector<std::vector<float>> host(1, std::vector<float>(kSide * kSide));
  for (int i = 0; i < kSide * kSide; ++i) host[0][i] = static_cast<float>((i * 37) % 101);
  OK(cudaGetMipmappedArrayLevel(&level, chain, 0));
  OK(cudaMemcpy2DToArray(level, 0, 0, host[0].data(), kSide * 4, kSide * 4, kSide, cudaMemcpyHostToDevice));
  EXPECT_CODE(cudaFreeArray(level), cudaErrorInvalidValue);
  for (int l = 1; l < kLevels; ++l) {
    const int side = kSide >> l;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    OK(cudaGetMipmappedArrayLevel(&resource.res.array.array, chain, l - 1));
    cudaTextureDesc rules = {};
    rules.normalizedCoords = 1;
    rules.filterMode = cudaFilterModeLinear;
    rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t from = 0;
    OK(cudaCreateTextureObject(&from, &resource, &rules, nullptr));
    OK(cudaGetMipmappedArrayLevel(&resource.res.array.array, chain, l));
    cudaSurfaceObject_t to = 0;
    OK(cudaCreateSurfaceObject(&to, &resource));
    const dim3 block(8, 8), grid((side + 7) / 8, (side + 7) / 8);
    reduce<<<grid, block>>>(to, from, side);
    OK(cudaDeviceSynchronize());
    cudaResourceDesc told = {};
    OK(cudaGetSurfaceObjectResourceDesc(&told, to));
    EXPECT(told.res.array.array == resource.res.array.array);
    OK(cudaDestroySurfaceObject(to));
    OK(cudaDestroyTextureObject(from));
    std::vector<float> seen(side * side);
    OK(cudaMemcpy2DFromArray(seen.data(), side * 4, resource.res.array.array, 0, 0, side * 4, side, cudaMemcpyDeviceToHost));
    host.emplace_back(side * side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const float* above = &host[l - 1][2 * y * 2 * side + 2 * x];
        host[l][y * side + x] = (above[0] + above[1] + above[2 * side] + above[2 * side + 1]) / 4;
        EXPECT(std::fabs(host[l][y * side + x] - seen[y * side + x]) < 1e-3f);
      }
    }
  }

  constexpr int kPoints = 96;
  std::vector<float4> points;
  for (int i = 0; i < kPoints; ++i)
    points.push_back(make_float4((i * 13 % 97) / 97.0f, (i * 29 % 89) / 89.0f, i * 0.07f - 0.3f, 0));
  float4* at = nullptr;
  float* out = nullptr;
  OK(cudaMalloc(&at, kPoints * sizeof(float4)));
  OK(cudaMalloc(&out, kPoints * sizeof(float)));
  OK(cudaMemcpy(at, points.data(), kPoints * sizeof(float4), cudaMemcpyHostToDevice));

  cudaTextureDesc rules = {};
  rules.normalizedCoords = 1;
  rules.filterMode = rules.mipmapFilterMode = cudaFilterModeLinear;
  rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
  rules.maxMipmapLevelClamp = 99;
  rules.maxAnisotropy = 8;
  cudaTextureObject_t texture = texture_of(chain, rules);
  by_level<<<1, kPoints>>>(out, texture, at);
  auto seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) EXPECT(std::fabs(seen[i] - at_level(host, points[i].x, points[i].y, points[i].z)) < 2e-3f);
  base<<<1, kPoints>>>(out, texture, at);
  seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) EXPECT(std::fabs(seen[i] - at_level(host, points[i].x, points[i].y, 0)) < 2e-3f);

  // Gradients: the longer one in texels, its logarithm.
  std::vector<float4> sloped = points;
  for (int i = 0; i < kPoints; ++i) {
    sloped[i].z = std::exp2(i * 0.05f) / kSide;
    sloped[i].w = std::exp2(2.5f) / kSide;
  }
  OK(cudaMemcpy(at, sloped.data(), kPoints * sizeof(float4), cudaMemcpyHostToDevice));
  by_gradient<<<1, kPoints>>>(out, texture, at);
  seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) {
    // The level is sometimes close to a step of its weight.
    const float expected = at_level(host, points[i].x, points[i].y, std::fmax(i * 0.05f, 2.5f));
    EXPECT(std::fabs(seen[i] - expected) < 0.3f);
  }
  OK(cudaDestroyTextureObject(texture));

  // Bias, limits and the nearest level.
  OK(cudaMemcpy(at, points.data(), kPoints * sizeof(float4), cudaMemcpyHostToDevice));
  rules.mipmapFilterMode = cudaFilterModePoint;
  rules.mipmapLevelBias = 0.5f;
  rules.minMipmapLevelClamp = 1;
  rules.maxMipmapLevelClamp = 3;
  texture = texture_of(chain, rules);
  by_level<<<1, kPoints>>>(out, texture, at);
  seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) {
    const float wanted = std::floor(std::clamp(points[i].z + 0.5f, 1.0f, 3.0f) + 0.5f);
    EXPECT(std::fabs(seen[i] - at_level(host, points[i].x, points[i].y, wanted)) < 2e-3f);
  }
  OK(cudaDestroyTextureObject(texture));

  // Levels 2 and 3 alone.
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = chain;
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = kSide / 4;
  view.firstMipmapLevel = 2, view.lastMipmapLevel = 3;
  rules = {};
  rules.normalizedCoords = 1;
  rules.filterMode = cudaFilterModeLinear;
  rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
  OK(cudaCreateTextureObject(&texture, &resource, &rules, &view));
  base<<<1, kPoints>>>(out, texture, at);
  seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) EXPECT(std::fabs(seen[i] - at_level(host, points[i].x, points[i].y, 2)) < 2e-3f);
  OK(cudaDestroyTextureObject(texture));

  // A reference; and levels need normalised coordinates.
  reference.normalized = true;
  reference.filterMode = reference.mipmapFilterMode = cudaFilterModeLinear;
  reference.maxMipmapLevelClamp = 10;
  OK(cudaBindTextureToMipmappedArray(reference, chain));
  by_reference<<<1, kPoints>>>(out, at);
  seen = download(out, kPoints);
  for (int i = 0; i < kPoints; ++i) EXPECT(std::fabs(seen[i] - at_level(host, points[i].x, points[i].y, points[i].z)) < 2e-3f);
  rules.normalizedCoords = 0;
  EXPECT_CODE(cudaCreateTextureObject(&texture, &resource, &rules, nullptr), cudaErrorInvalidValue);
  cudaGetLastError();

  // The other shapes.
  rules = {};
  rules.normalizedCoords = 1;
  rules.filterMode = rules.mipmapFilterMode = cudaFilterModeLinear;
  for (auto& mode : rules.addressMode) mode = cudaAddressModeClamp;
  rules.maxMipmapLevelClamp = 10;
  const cudaTextureObject_t line = texture_of(plain_levels({8, 0, 0}, 0), rules), solid = texture_of(plain_levels({8, 8, 8}, 0), rules),
                            layers = texture_of(plain_levels({8, 8, 2}, cudaArrayLayered), rules),
                            cube = texture_of(plain_levels({8, 8, 6}, cudaArrayCubemap), rules);
  other_forms<<<1, 4>>>(out, line, solid, layers, cube);
  seen = download(out, 32);
  for (int i = 0; i < 32; ++i) EXPECT(std::fabs(seen[i] - static_cast<float>(i / 8)) < 1e-3f);
  OK(cudaFreeMipmappedArray(chain));
  EXPECT_CODE(cudaFreeMipmappedArray(chain), cudaErrorInvalidValue);
  return finish();
}
