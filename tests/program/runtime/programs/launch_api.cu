// SPDX-License-Identifier: Apache-2.0
// Launches and refused launches, error codes, properties, attributes, occupancy, streams and events.
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

struct Parameters {
  char tag;
  double scale;
  int offsets[3];
};

__global__ void by_value(int* out, Parameters p, short small, long long big) {
  const int i = threadIdx.x;
  out[i] = static_cast<int>(p.scale * i) + p.offsets[i % 3] + small + static_cast<int>(big) + (p.tag == 'x' ? 1000 : 0);
}
__global__ void coordinates(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
__global__ void dynamic(int* out) {
  extern __shared__ int numbers[];
  numbers[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }
__global__ void fixed_shared(int* out) {
  __shared__ int big[2048];
  big[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = big[threadIdx.x ^ 1];
}

static int* buffer = nullptr;
static std::vector<int> download(int n) {
  std::vector<int> host(n);
  OK(cudaMemcpy(host.data(), buffer, n * sizeof(int), cudaMemcpyDeviceToHost));
  return host;
}

static void launches() {
  Parameters p = {'x', 2.5, {10, 20, 30}};
  by_value<<<1, 32>>>(buffer, p, -7, 1ll << 10);
  std::vector<int> host = download(32);
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == static_cast<int>(2.5 * i) + p.offsets[i % 3] - 7 + 1024 + 1000);
  coordinates<<<dim3(2, 3, 2), dim3(4, 2, 3)>>>(buffer);
  host = download(12 * 24);
  for (int i = 0; i < 12 * 24; ++i) EXPECT(host[i] == i / 24 * 1000 + i % 24);
  dynamic<<<1, 100, 400>>>(buffer);
  host = download(100);
  for (int i = 0; i < 100; ++i) EXPECT(host[i] == 99 - i);
  int* out = buffer;
  void* arguments[] = {&out};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(fixed_shared), dim3(1), dim3(64), arguments, 0, nullptr));
  EXPECT(download(64)[5] == 4);
}

// Called for launches by CUDA 12's own compiler.
extern "C" cudaError_t __cudaGetKernel(void** handle, const void* host);
extern "C" cudaError_t __cudaLaunchKernel(void* handle, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream);
extern "C" cudaError_t __cudaLaunchKernel_ptsz(void* handle, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream);

// Names used by CUDA's headers with per-thread default streams, and calls of later versions.
extern "C" cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
extern "C" cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t bytes, cudaStream_t stream);
extern "C" cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
extern "C" cudaError_t cudaGraphExecNodeSetParams(void* executable, void* node, void* parameters);

static void other_names() {
  OK(cudaMemsetAsync_ptsz(buffer, 1, sizeof(int), nullptr));
  OK(cudaStreamSynchronize_ptsz(nullptr));
  int value = 0;
  OK(cudaMemcpy_ptds(&value, buffer, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 0x01010101);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  unsigned long long id = 1;
  OK(cudaStreamGetCaptureInfo(nullptr, &status, &id));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT_CODE(cudaGraphExecNodeSetParams(nullptr, nullptr, nullptr), cudaErrorNotSupported);
  cudaGetLastError();
}

static void kernel_handles() {
  int* out = buffer;
  void* arguments[] = {&out};
  for (const bool of_thread : {false, true}) {
    OK(cudaMemset(buffer, 0, 100 * sizeof(int)));
    void* handle = nullptr;
    OK(__cudaGetKernel(&handle, reinterpret_cast<const void*>(dynamic)));
    OK((of_thread ? __cudaLaunchKernel_ptsz : __cudaLaunchKernel)(handle, dim3(1), dim3(100), arguments, 400, nullptr));
    OK(cudaDeviceSynchronize());
    const std::vector<int> host = download(100);
    for (int i = 0; i < 100; ++i) EXPECT(host[i] == 99 - i);
  }
  void* handle = nullptr;
  EXPECT_CODE(__cudaGetKernel(&handle, reinterpret_cast<const void*>(&kernel_handles)), cudaErrorInvalidDeviceFunction);
  EXPECT_CODE(__cudaGetKernel(nullptr, reinterpret_cast<const void*>(dynamic)), cudaErrorInvalidValue);
  cudaGetLastError();
}

static void refusals() {
  bounded<<<1, 2000>>>(buffer);
  EXPECT_CODE(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidConfiguration);
  OK(cudaGetLastError());
  bounded<<<0, 32>>>(buffer);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidConfiguration);
  bounded<<<1, 129>>>(buffer);
  EXPECT_CODE(cudaGetLastError(), cudaErrorLaunchOutOfResources);
  dynamic<<<1, 32, 1 << 20>>>(buffer);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_CODE(cudaLaunchKernel(reinterpret_cast<const void*>(&refusals), dim3(1), dim3(1), nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  bounded<<<1, 128>>>(buffer);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  // Each host thread has its own last error.
  EXPECT_CODE(cudaSetDevice(7), cudaErrorInvalidDevice);
  std::thread([] { OK(cudaGetLastError()); }).join();
  EXPECT_CODE(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) == "an illegal memory access was encountered");
  EXPECT(std::string(cudaGetErrorName(cudaErrorLaunchOutOfResources)) == "cudaErrorLaunchOutOfResources");
}

static void questions() {
  int count = 0, device = 9, value = 0;
  OK(cudaGetDeviceCount(&count));
  OK(cudaGetDevice(&device));
  EXPECT(count == 1 && device == 0);
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0 && properties.maxThreadsPerBlock > 0);
  EXPECT(properties.major == 7);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == properties.multiProcessorCount);
  EXPECT_CODE(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(5000), 0), cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, fixed_shared));
  EXPECT(attributes.sharedSizeBytes == 8192 && attributes.numRegs > 0);
  OK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed_shared, 64, 0));
  EXPECT(blocks == static_cast<int>(properties.sharedMemPerMultiprocessor / 8192) || blocks == properties.maxBlocksPerMultiProcessor);
  int grid = 0, block = 0;
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, by_value));
  EXPECT(block % 32 == 0 && block > 0 && grid >= properties.multiProcessorCount);
  size_t bytes = 0;
  OK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  EXPECT(bytes == 8 << 20);
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  OK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  EXPECT(bytes == 1 << 20);
  int peer = 7;
  OK(cudaDeviceCanAccessPeer(&peer, 0, 0));
  EXPECT(peer == 0);
  OK(cudaFreeMipmappedArray(nullptr));
}

static void queues() {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  float milliseconds = -1;
  EXPECT_CODE(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaEventRecord(start, stream));
  for (int i = 0; i < 10; ++i) coordinates<<<8, 128, 0, stream>>>(buffer);
  OK(cudaEventRecord(stop, stream));
  OK(cudaStreamWaitEvent(stream, stop, 0));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds > 0 && milliseconds < 100);
  int ran = 0;
  OK(cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t code, void* data) { *static_cast<int*>(data) = code == cudaSuccess; }, &ran, 0));
  OK(cudaLaunchHostFunc(stream, [](void* data) { *static_cast<int*>(data) += 10; }, &ran));
  OK(cudaStreamSynchronize(stream));
  EXPECT(ran == 11);
  OK(cudaStreamQuery(stream));
  OK(cudaEventQuery(stop));
  OK(cudaStreamDestroy(stream));
  EXPECT_CODE(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(stop));
}

static void host_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      int* mine = nullptr;
      OK(cudaMalloc(&mine, 256 * sizeof(int)));
      for (int round = 0; round < 20; ++round) {
        Parameters p = {'y', 1.0, {t, t, t}};
        by_value<<<1, 256>>>(mine, p, 0, round);
        int host[256];
        OK(cudaMemcpy(host, mine, sizeof host, cudaMemcpyDeviceToHost));
        EXPECT(host[255] == 255 + t + round);
      }
      OK(cudaFree(mine));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int main() {
  OK(cudaMalloc(&buffer, 1 << 20));
  launches();
  kernel_handles();
  other_names();
  refusals();
  questions();
  queues();
  host_threads();
  OK(cudaDeviceReset());
  OK(cudaMalloc(&buffer, 1 << 20));
  launches();
  return finish();
}
