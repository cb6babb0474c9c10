// SPDX-License-Identifier: Apache-2.0
// Allocation, copies, fills, symbols, arrays, page-locked, registered and managed memory.
#include <vector>

#include "expect.h"

__constant__ int coefficients[4] = {1, 2, 3, 4};
__device__ int counter = 17;
__device__ int table[64];
__managed__ int shared_with_host = 5;

__global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= coefficients[i % 4];
}
__global__ void count_up() {
  counter += 1;
  shared_with_host *= 2;
}

static void linear() {
  std::vector<int> host(1000), back(1000);
  for (int i = 0; i < 1000; ++i) host[i] = i;
  int* device = nullptr;
  OK(cudaMalloc(&device, 4000));
  OK(cudaMemcpy(device, host.data(), 4000, cudaMemcpyHostToDevice));
  scale<<<4, 256>>>(device, 1000);
  OK(cudaMemcpy(back.data(), device, 4000, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; ++i) EXPECT(back[i] == i * (i % 4 + 1));
  OK(cudaMemset(device, 0x11, 4000));
  int* other = nullptr;
  OK(cudaMalloc(&other, 4000));
  OK(cudaMemcpy(other, device, 4000, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(back.data(), other, 4000, cudaMemcpyDefault));
  EXPECT(back[0] == 0x11111111 && back[999] == 0x11111111);
  EXPECT_CODE(cudaMemcpy(device, host.data(), 4001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMemcpy(host.data(), host.data(), 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMemcpy(device, other, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_CODE(cudaMemcpy(device, host.data(), 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_CODE(cudaFree(host.data()), cudaErrorInvalidValue);
  OK(cudaFree(device));
  EXPECT_CODE(cudaFree(device), cudaErrorInvalidValue);
  OK(cudaFree(other));
  OK(cudaFree(nullptr));
  void* none = &none;
  OK(cudaMalloc(&none, 0));
  EXPECT(none == nullptr);
  size_t free_bytes = 0, total = 0, later = 0;
  OK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT_CODE(cudaMalloc(&none, total + 1), cudaErrorMemoryAllocation);
  OK(cudaMalloc(&none, 1 << 20));
  OK(cudaMemGetInfo(&later, &total));
  EXPECT(free_bytes - later == 1 << 20);
  OK(cudaFree(none));
}

static void symbols() {
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 17);
  value = 40;
  OK(cudaMemcpyToSymbol(counter, &value, sizeof value));
  count_up<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 41);
  const int changed[2] = {30, 40};
  OK(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 2 * sizeof(int)));
  int all[4];
  OK(cudaMemcpyFromSymbol(all, coefficients, sizeof all));
  EXPECT(all[0] == 1 && all[1] == 2 && all[2] == 30 && all[3] == 40);
  EXPECT_CODE(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 3 * sizeof(int)), cudaErrorInvalidValue);
  size_t size = 0;
  OK(cudaGetSymbolSize(&size, table));
  EXPECT(size == sizeof table);
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaMemset(address, 0xff, size));
  OK(cudaMemcpyFromSymbol(&value, table, 4, 63 * 4));
  EXPECT(value == -1);
  int unknown = 0;
  EXPECT_CODE(cudaGetSymbolSize(&size, unknown), cudaErrorInvalidSymbol);
}

static void pitched() {
  char* device = nullptr;
  size_t pitch = 0;
  OK(cudaMallocPitch(&device, &pitch, 100, 5));
  EXPECT(pitch >= 100 && pitch % 32 == 0);
  char host[5][120], back[5][110];
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 120; ++x) host[y][x] = static_cast<char>(y * 31 + x);
  }
  OK(cudaMemcpy2D(device, pitch, host, 120, 100, 5, cudaMemcpyHostToDevice));
  OK(cudaMemset2D(device + 10, pitch, 7, 20, 2));
  OK(cudaMemcpy2D(back, 110, device, pitch, 100, 5, cudaMemcpyDeviceToHost));
  EXPECT(back[4][99] == host[4][99] && back[0][9] == host[0][9]);
  EXPECT(back[1][10] == 7 && back[1][29] == 7 && back[1][30] == host[1][30] && back[2][10] == host[2][10]);
  EXPECT_CODE(cudaMemcpy2D(device, pitch, host, 90, 100, 5, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  OK(cudaFree(device));
}

static void boxes() {
  const cudaExtent extent = make_cudaExtent(24, 3, 2);  // bytes, rows, slices
  cudaPitchedPtr device;
  OK(cudaMalloc3D(&device, extent));
  unsigned char host[2][3][24], back[2][3][24] = {};
  for (int i = 0; i < 144; ++i) (&host[0][0][0])[i] = static_cast<unsigned char>(i);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(host, 24, 24, 3);
  p.dstPtr = device;
  p.extent = extent;
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms q = {};
  q.srcPtr = device;
  q.srcPos = make_cudaPos(8, 1, 1);
  q.dstPtr = make_cudaPitchedPtr(back, 24, 24, 3);
  q.extent = make_cudaExtent(16, 2, 1);
  q.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&q));
  EXPECT(back[0][0][0] == host[1][1][8] && back[0][1][15] == host[1][2][23] && back[0][2][0] == 0);
  OK(cudaMemset3D(device, 9, extent));
  OK(cudaMemcpy3D(&q));
  EXPECT(back[0][1][15] == 9);
  OK(cudaFree(device.ptr));
}

static void arrays() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr, second = nullptr;
  OK(cudaMallocArray(&array, &format, 10, 4));
  OK(cudaMallocArray(&second, &format, 10, 4));
  float host[4][10], back[4][10] = {};
  for (int i = 0; i < 40; ++i) (&host[0][0])[i] = static_cast<float>(i);
  OK(cudaMemcpy2DToArray(array, 0, 0, host, 40, 40, 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DArrayToArray(second, 0, 0, array, 8, 1, 16, 2));
  OK(cudaMemcpy2DFromArray(back, 40, second, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT(back[0][0] == 12 && back[1][3] == 25);
  OK(cudaMemcpyFromArray(back, array, 36, 0, 48, cudaMemcpyDeviceToHost));
  EXPECT(back[0][0] == 9 && back[0][1] == 10 && back[1][1] == 20);
  EXPECT_CODE(cudaMemcpy2DToArray(array, 4, 0, host, 40, 40, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaChannelFormatDesc read;
  cudaExtent extent;
  unsigned flags = 9;
  OK(cudaArrayGetInfo(&read, &extent, &flags, array));
  EXPECT(read.x == 32 && read.y == 0 && read.f == cudaChannelFormatKindFloat && extent.width == 10 && extent.height == 4 && flags == 0);
  OK(cudaFreeArray(array));
  OK(cudaFreeArray(second));
  EXPECT_CODE(cudaFreeArray(array), cudaErrorInvalidValue);
}

static void host_memory() {
  int* pinned = nullptr;
  OK(cudaHostAlloc(&pinned, 1024, cudaHostAllocMapped));
  int* mapped = nullptr;
  OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  for (int i = 0; i < 256; ++i) pinned[i] = 1;
  scale<<<1, 256>>>(mapped, 256);
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[1] == 2 && pinned[3] == 40);
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, pinned));
  EXPECT((flags & cudaHostAllocMapped) != 0);
  OK(cudaFreeHost(pinned));
  EXPECT_CODE(cudaFreeHost(pinned), cudaErrorInvalidValue);

  static int own[256];
  for (int& value : own) value = 1;
  OK(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
  EXPECT_CODE(cudaHostRegister(own, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaHostGetDevicePointer(&mapped, own, 0));
  scale<<<1, 256>>>(mapped, 256);
  OK(cudaDeviceSynchronize());
  EXPECT(own[1] == 2);
  OK(cudaHostUnregister(own));
  EXPECT_CODE(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);

  int* managed = nullptr;
  OK(cudaMallocManaged(&managed, 1024));
  for (int i = 0; i < 256; ++i) managed[i] = 3;
  scale<<<1, 256>>>(managed, 256);
  OK(cudaDeviceSynchronize());
  EXPECT(managed[1] == 6 && managed[2] == 90);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, managed + 3));
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == managed + 3 && attributes.device == 0);
  OK(cudaMemPrefetchAsync(managed, 1024, 0));
  OK(cudaFree(managed));
  int local = 0;
  OK(cudaPointerGetAttributes(&attributes, &local));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  EXPECT(shared_with_host == 10);
  shared_with_host = 50;
  count_up<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(shared_with_host == 100);
}

int main() {
  EXPECT(shared_with_host == 5);
  linear();
  symbols();
  pitched();
  boxes();
  arrays();
  host_memory();
  return finish();
}
