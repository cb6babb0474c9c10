// SPDX-License-Identifier: Apache-2.0
// Conditional accumulates of one warp at the worst alignment, a kernel each: what each costs is in run.json.
#include <heddle.h>

#include <cstdio>

constexpr unsigned kAll = 0xffffffffu;

template <typename T>
__global__ void to_global(T* output, unsigned* total) {
  const unsigned count = __cond_acc_sync(kAll, output + 1, true, static_cast<T>(threadIdx.x));
  if (total != nullptr && threadIdx.x == 0) *total = count;
}

template <typename T>
__global__ void to_shared(unsigned* total) {
  __shared__ T buffer[64];
  const unsigned count = __cond_acc_shared_sync(kAll, buffer + 1, true, static_cast<T>(threadIdx.x));
  if (total != nullptr && threadIdx.x == 0) *total = count;
}

int main() {
  void* output = nullptr;
  unsigned *total = nullptr, count = 0;
  cudaMalloc(&output, 4096);
  cudaMalloc(&total, sizeof *total);
  to_global<unsigned><<<1, 32>>>(static_cast<unsigned*>(output), nullptr);
  to_global<unsigned long long><<<1, 32>>>(static_cast<unsigned long long*>(output), nullptr);
  to_shared<unsigned><<<1, 32>>>(nullptr);
  to_shared<unsigned long long><<<1, 32>>>(nullptr);
  to_global<unsigned><<<1, 32>>>(static_cast<unsigned*>(output), total);
  if (cudaMemcpy(&count, total, sizeof count, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("count %u\n", count);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
