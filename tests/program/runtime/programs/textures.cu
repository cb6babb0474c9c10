// SPDX-License-Identifier: Apache-2.0
// Texture objects and references over linear, pitched and array memory.
#include <cmath>
#include <vector>

#include "expect.h"

texture<float, cudaTextureType1D, cudaReadModeElementType> linear_reference;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> image_reference;

__global__ void fetch_linear(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch(linear_reference, i);
}
__global__ void fetch_image(float4* out) { out[threadIdx.x] = tex2D(image_reference, threadIdx.x + 0.5f, 1.5f); }
__global__ void object_1d(float* out, cudaTextureObject_t texture) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }
__global__ void object_2d(float* out, cudaTextureObject_t texture, float x, float y, float dx) {
  out[threadIdx.x] = tex2D<float>(texture, x + dx * threadIdx.x, y);
}
__global__ void object_int(int* out, cudaTextureObject_t texture) { out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }

template <typename T>
static std::vector<T> download(const T* device, int n) {
  std::vector<T> host(n);
  OK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

int main() {
  float *data = nullptr, *out = nullptr;
  float host[64];
  for (int i = 0; i < 64; ++i) host[i] = i * 10.0f;
  OK(cudaMalloc(&data, sizeof host));
  OK(cudaMalloc(&out, 64 * sizeof(float4)));
  OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));

  OK(cudaBindTexture(nullptr, linear_reference, data, sizeof host));
  fetch_linear<<<2, 32>>>(out, 64);
  auto values = download(out, 64);
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == host[i]);
  OK(cudaUnbindTexture(linear_reference));

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 16 * sizeof(float);
  cudaTextureDesc rules = {};
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  object_1d<<<1, 32>>>(out, object);
  values = download(out, 32);
  EXPECT(values[15] == 150 && values[16] == 0);
  cudaResourceDesc read = {};
  OK(cudaGetTextureObjectResourceDesc(&read, object));
  EXPECT(read.res.linear.devPtr == data);
  OK(cudaDestroyTextureObject(object));
  EXPECT_CODE(cudaDestroyTextureObject(object), cudaErrorInvalidValue);

  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  object_int<<<1, 16>>>(reinterpret_cast<int*>(out), object);
  float as_float;
  const int bits = download(reinterpret_cast<int*>(out), 16)[3];
  memcpy(&as_float, &bits, sizeof bits);
  EXPECT(as_float == 30);
  OK(cudaDestroyTextureObject(object));

  // 8 x 8 over pitched memory, filtered, clamped.
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = resource.res.pitch2D.height = 8;
  resource.res.pitch2D.pitchInBytes = 32;
  rules.filterMode = cudaFilterModeLinear;
  rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeClamp;
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  object_2d<<<1, 8>>>(out, object, 1.0f, 1.0f, 1.0f);
  values = download(out, 8);
  EXPECT(values[0] == 45 && values[1] == 55 && values[7] == 110);
  OK(cudaDestroyTextureObject(object));

  // The same in an array, normalised coordinates, wrapped, not filtered.
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  OK(cudaMallocArray(&array, &format, 8, 8));
  OK(cudaMemcpyToArray(array, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  rules = {};
  rules.normalizedCoords = 1;
  rules.addressMode[0] = rules.addressMode[1] = cudaAddressModeWrap;
  OK(cudaCreateTextureObject(&object, &resource, &rules, nullptr));
  object_2d<<<1, 16>>>(out, object, 0.0625f, 0.3125f, 0.125f);
  values = download(out, 16);
  for (int i = 0; i < 16; ++i) EXPECT(values[i] == 160 + 10 * (i % 8));
  OK(cudaDestroyTextureObject(object));
  OK(cudaFreeArray(array));

  // A reference to an image of bytes, read as fractions.
  uchar4 pixels[2][4];
  for (int i = 0; i < 8; ++i) pixels[i / 4][i % 4] = make_uchar4(i, 255, 0, 51);
  cudaArray_t image = nullptr;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  OK(cudaMallocArray(&image, &bytes, 4, 2));
  OK(cudaMemcpy2DToArray(image, 0, 0, pixels, 16, 16, 2, cudaMemcpyHostToDevice));
  OK(cudaBindTextureToArray(image_reference, image));
  fetch_image<<<1, 4>>>(reinterpret_cast<float4*>(out));
  const auto colours = download(reinterpret_cast<float4*>(out), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT(colours[i].x == (4 + i) / 255.0f && colours[i].y == 1 && colours[i].z == 0 && std::fabs(colours[i].w - 0.2f) < 1e-6f);
  }
  OK(cudaUnbindTexture(image_reference));
  fetch_image<<<1, 4>>>(reinterpret_cast<float4*>(out));
  EXPECT_CODE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_CODE(cudaGetLastError(), cudaErrorIllegalAddress);
  return finish();
}
