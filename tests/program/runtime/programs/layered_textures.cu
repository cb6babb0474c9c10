// SPDX-License-Identifier: Apache-2.0
// Layered textures, cube maps and array views against values computed on the host.
#include <cmath>
#include <vector>

#include "expect.h"

texture<float, cudaTextureType1DLayered, cudaReadModeElementType> rows_reference;
texture<float, cudaTextureType2DLayered, cudaReadModeElementType> layers_reference;
texture<uchar4, cudaTextureTypeCubemap, cudaReadModeNormalizedFloat> cube_reference;
texture<float, cudaTextureTypeCubemapLayered, cudaReadModeElementType> cubes_reference;

constexpr int kWidth = 8, kHeight = 4, kLayers = 3;

__global__ void layered(float* out, cudaTextureObject_t texture, int layers) {
  for (int layer = -1; layer <= layers; ++layer) {
    float by_pointer;
    tex2DLayered(&by_pointer, texture, threadIdx.x + 0.5f, 1.5f, layer);
    const float value = tex2DLayered<float>(texture, threadIdx.x + 0.5f, 1.5f, layer);
    out[(layer + 1) * kWidth + threadIdx.x] = by_pointer == value ? value : -1;
  }
}
__global__ void layered_filtered(float* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x + 1.25f, 2.0f, 1);
}
__global__ void rows(float* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex1DLayered<float>(texture, threadIdx.x % kWidth, threadIdx.x / kWidth);
}
__global__ void references(float* out) {
  const float x = threadIdx.x + 0.5f;
  out[threadIdx.x] = tex1DLayered(rows_reference, x, 2) + 1000 * tex2DLayered(layers_reference, x, 3.5f, 1);
}
__global__ void cubes(float4* out, const float3* directions) {
  const float3 d = directions[threadIdx.x];
  const float4 colour = texCubemap(cube_reference, d.x, d.y, d.z);
  out[threadIdx.x] = make_float4(colour.x, colour.w, texCubemapLayered(cubes_reference, d.x, d.y, d.z, 0),
                                 texCubemapLayered(cubes_reference, d.x, d.y, d.z, 1));
}
__global__ void cube_object(float* out, cudaTextureObject_t texture, const float3* directions) {
  const float3 d = directions[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(texture, d.x, d.y, d.z);
}
__global__ void integers(uint2* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex2DLayered<uint2>(texture, threadIdx.x + 0.5f, 0.5f, 0);
}

template <typename T>
static std::vector<T> download(const void* device, int n) {
  std::vector<T> host(n);
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <typename T>
static cudaArray_t array_of(const T* texels, cudaExtent extent, unsigned flags) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  OK(cudaMalloc3DArray(&array, &format, extent, flags));
  const size_t rows = extent.height != 0 ? extent.height : 1, slices = extent.depth != 0 ? extent.depth : 1;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(texels), extent.width * sizeof(T), extent.width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, rows, slices);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& rules, const cudaResourceViewDesc* view = nullptr) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &rules, view));
  return object;
}

// Face and coordinates of a direction, by the guide's table.
static int face_texel(float3 d, int width) {
  const float ax = std::fabs(d.x), ay = std::fabs(d.y), az = std::fabs(d.z);
  int face;
  float m, s, t;
  if (ax > ay && ax > az) {
    face = d.x > 0 ? 0 : 1, m = ax, s = d.x > 0 ? -d.z : d.z, t = -d.y;
  } else if (ay > az) {
    face = d.y > 0 ? 2 : 3, m = ay, s = d.x, t = d.y > 0 ? d.z : -d.z;
  } else {
    face = d.z > 0 ? 4 : 5, m = az, s = d.z > 0 ? d.x : -d.x, t = -d.y;
  }
  const int i = static_cast<int>((s / m + 1) / 2 * width), j = static_cast<int>((t / m + 1) / 2 * width);
  return (face * width + j) * width + i;
}

int main() {
  void* out = nullptr;
  OK(cudaMalloc(&out, 4096));

  // Layers.
  std::vector<float> texels(kWidth * kHeight * kLayers);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  const cudaExtent extent = {kWidth, kHeight, kLayers};
  cudaArray_t array = array_of(texels.data(), extent, cudaArrayLayered);
  cudaChannelFormatDesc format;
  cudaExtent told;
  unsigned flags = 0;
  OK(cudaArrayGetInfo(&format, &told, &flags, array));
  EXPECT(told.width == kWidth && told.height == kHeight && told.depth == kLayers && flags == cudaArrayLayered);
  cudaTextureDesc rules = {};
  rules.maxAnisotropy = 16;
  cudaTextureObject_t texture = texture_of(array, rules);
  layered<<<1, kWidth>>>(static_cast<float*>(out), texture, kLayers);
  auto values = download<float>(out, kWidth * (kLayers + 2));
  for (int layer = -1; layer <= kLayers; ++layer) {
    // A negative index is a large one: the last layer.
    const int real = layer < 0 || layer >= kLayers ? kLayers - 1 : layer;
    for (int x = 0; x < kWidth; ++x) EXPECT(values[(layer + 1) * kWidth + x] == texels[(real * kHeight + 1) * kWidth + x]);
  }
  OK(cudaDestroyTextureObject(texture));
  rules.filterMode = cudaFilterModeLinear;
  rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
  texture = texture_of(array, rules);
  layered_filtered<<<1, 4>>>(static_cast<float*>(out), texture);
  values = download<float>(out, 4);
  for (int x = 0; x < 4; ++x) EXPECT(values[x] == kWidth * kHeight + 1.5f * kWidth + x + 0.75f);
  OK(cudaDestroyTextureObject(texture));

  // A view of layers 1 and 2, as pairs of the numbers that floats are.
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = kWidth, view.height = kHeight, view.depth = 2;
  view.firstLayer = 1, view.lastLayer = 2;
  rules = {};
  texture = texture_of(array, rules, &view);
  integers<<<1, kWidth>>>(static_cast<uint2*>(out), texture);
  const auto bits = download<uint2>(out, kWidth);
  for (int x = 0; x < kWidth; ++x) {
    float value;
    memcpy(&value, &bits[x].x, sizeof value);
    EXPECT(value == texels[kWidth * kHeight + x] && bits[x].y == 0);
  }
  cudaResourceViewDesc read = {};
  OK(cudaGetTextureObjectResourceViewDesc(&read, texture));
  EXPECT(read.lastLayer == 2 && read.format == cudaResViewFormatUnsignedInt1);
  OK(cudaDestroyTextureObject(texture));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  view.format = cudaResViewFormatUnsignedBlockCompressed1;
  EXPECT_CODE(cudaCreateTextureObject(&texture, &resource, &rules, &view), cudaErrorNotSupported);
  view.format = cudaResViewFormatFloat2;
  EXPECT_CODE(cudaCreateTextureObject(&texture, &resource, &rules, &view), cudaErrorInvalidValue);
  cudaGetLastError();

  // One dimension and layers; references of both.
  cudaArray_t line = array_of(texels.data(), {kWidth, 0, kLayers}, cudaArrayLayered);
  texture = texture_of(line, {});
  rows<<<1, kWidth * kLayers>>>(static_cast<float*>(out), texture);
  values = download<float>(out, kWidth * kLayers);
  for (int i = 0; i < kWidth * kLayers; ++i) EXPECT(values[i] == texels[i]);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaBindTextureToArray(rows_reference, line));
  OK(cudaBindTextureToArray(layers_reference, array));
  references<<<1, kWidth>>>(static_cast<float*>(out));
  values = download<float>(out, kWidth);
  for (int x = 0; x < kWidth; ++x) EXPECT(values[x] == texels[2 * kWidth + x] + 1000 * texels[(kHeight + 3) * kWidth + x]);
  OK(cudaFreeArray(line));
  OK(cudaFreeArray(array));

  // Cube maps, one and two layers.
  constexpr int kSide = 4;
  std::vector<uchar4> faces(6 * kSide * kSide);
  std::vector<float> two(2 * 6 * kSide * kSide);
  for (size_t i = 0; i < faces.size(); ++i) faces[i] = make_uchar4(static_cast<unsigned char>(2 * i), 0, 0, 255);
  for (size_t i = 0; i < two.size(); ++i) two[i] = static_cast<float>(i);
  cudaArray_t cube = array_of(faces.data(), {kSide, kSide, 6}, cudaArrayCubemap);
  cudaArray_t layers = array_of(two.data(), {kSide, kSide, 12}, cudaArrayCubemap | cudaArrayLayered);
  cudaArray_t none = nullptr;
  EXPECT_CODE(cudaMalloc3DArray(&none, &format, {4, 4, 5}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMalloc3DArray(&none, &format, {4, 2, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  std::vector<float3> directions;
  for (int i = 0; i < 64; ++i)
    directions.push_back(make_float3(std::sin(i * 1.7f), std::cos(i * 2.9f), std::sin(i * 0.77f + 1)));
  float3* device_directions = nullptr;
  OK(cudaMalloc(&device_directions, 64 * sizeof(float3)));
  OK(cudaMemcpy(device_directions, directions.data(), 64 * sizeof(float3), cudaMemcpyHostToDevice));
  cube_reference.normalized = cubes_reference.normalized = true;
  OK(cudaBindTextureToArray(cube_reference, cube));
  OK(cudaBindTextureToArray(cubes_reference, layers));
  cubes<<<1, 64>>>(static_cast<float4*>(out), device_directions);
  const auto seen = download<float4>(out, 64);
  for (int i = 0; i < 64; ++i) {
    const int texel = face_texel(directions[i], kSide);
    EXPECT(seen[i].x == faces[texel].x / 255.0f && seen[i].y == 1);
    EXPECT(seen[i].z == two[texel] && seen[i].w == two[6 * kSide * kSide + texel]);
  }
  // The second cube of the two by itself.
  view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = kSide;
  view.firstLayer = 6, view.lastLayer = 11;
  rules = {};
  rules.normalizedCoords = 1;
  texture = texture_of(layers, rules, &view);
  cube_object<<<1, 64>>>(static_cast<float*>(out), texture, device_directions);
  EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);  // layered, fetched as one cube
  EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
  return finish();
}
