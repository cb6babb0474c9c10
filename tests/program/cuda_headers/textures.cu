// SPDX-License-Identifier: Apache-2.0
// Texture references and texture objects of every shape, with their binding calls.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

texture<float> linear_floats;
texture<int4, cudaTextureType1D, cudaReadModeElementType> linear_vectors;
texture<float, 2, cudaReadModeElementType> plane;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> image;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<float4, 3> volume;
texture<short2, 1> pairs;
static texture<unsigned int, 1, cudaReadModeElementType> hidden;

__global__ void references(float* f, int4* i, float4* v, short2* s, unsigned* u) {
  const int t = threadIdx.x;
  f[t] =
      tex1Dfetch(linear_floats, t) + tex2D(plane, t + 0.5f, 3) + tex2D(image, 0.5f, 0.5f) + tex1D(linear_floats, 0.25f);
  i[t] = tex1Dfetch(linear_vectors, t);
  v[t] = tex3D(volume, 1.0f, 2.0f, 3.0f);
  const float4 colour = tex2D(colours, t, t);
  v[t].x += colour.w;
  s[t] = tex1Dfetch(pairs, t);
  u[t] = tex1Dfetch(hidden, t);
}

__global__ void objects(cudaTextureObject_t a, cudaTextureObject_t b, float* f, int4* i, unsigned char* c) {
  const int t = threadIdx.x;
  f[t] = tex1Dfetch<float>(a, t) + tex2D<float>(b, t, 1.0f) + tex3D<float>(b, t, 1.0f, 2.0f) + tex1D<float>(a, 0.5f);
  i[t] = tex1Dfetch<int4>(a, t);
  c[t] = tex2D<unsigned char>(b, t, 1.0f);
  float2 pair;
  tex2D(&pair, b, 1.0f, 2.0f);
  f[t] += pair.y + tex2DLod<float>(b, 1.0f, 2.0f, 0.0f);
}

int main() {
  float* data = nullptr;
  size_t offset = 0;
  cudaMalloc(&data, 4096);
  linear_floats.filterMode = cudaFilterModeLinear;
  linear_floats.addressMode[0] = cudaAddressModeWrap;
  plane.normalized = true;
  cudaBindTexture(0, linear_floats, data, 4096);
  cudaBindTexture(&offset, linear_floats, data, linear_floats.channelDesc, 4096);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaBindTexture2D(&offset, plane, data, desc, 32, 32, 128);
  cudaArray* array = nullptr;
  cudaMallocArray(&array, &desc, 32, 32);
  cudaMemcpyToArray(array, 0, 0, data, 4096, cudaMemcpyDeviceToDevice);
  cudaBindTextureToArray(plane, array, desc);
  cudaBindTextureToArray(image, array);
  cudaUnbindTexture(plane);

  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float4>();
  resource.res.linear.sizeInBytes = 4096;
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &description, nullptr);
  objects<<<1, 32>>>(object, object, data, reinterpret_cast<int4*>(data), reinterpret_cast<unsigned char*>(data));
  references<<<1, 32>>>(data, reinterpret_cast<int4*>(data), reinterpret_cast<float4*>(data),
                        reinterpret_cast<short2*>(data), reinterpret_cast<unsigned*>(data));
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
  return 0;
}
