// SPDX-License-Identifier: Apache-2.0
// Kernels that need more registers than their launch bounds allow. Prints the registers granted, then PASS. With the
// argument `large`: blocks that need more registers than an SM has; `shared`: and more shared memory than a small one has.
#include "expect.h"

constexpr int kValues = 40, kThreads = 256, kBlocks = 12, kRounds = 4;
constexpr unsigned kFactor = 2654435761u;

// All values of a thread are live at once: each round mixes every value with its cyclic neighbour.
__host__ __device__ inline void mix(unsigned (&values)[kValues]) {
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = values[i] * kFactor + values[(i + 1) % kValues];
}

__device__ void work(const unsigned* in, unsigned* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  unsigned values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = in[i * threads + thread];
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    mix(values);
    if ((values[0] & 1) != 0) values[7] += values[31];  // some threads of a warp
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) out[i * threads + thread] = values[i];
}

__global__ void unbounded(const unsigned* in, unsigned* out) { work(in, out); }
// Six such blocks per SM.
__global__ void __launch_bounds__(kThreads, 6) bounded(const unsigned* in, unsigned* out) { work(in, out); }
// Each block has 40,000 bytes of shared memory.
__global__ void __launch_bounds__(kThreads) wide(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[10000];
  all[threadIdx.x * 39] = in[threadIdx.x];
  __syncthreads();
  work(in + all[(threadIdx.x + 1) % kThreads * 39] % 2, out);
}

template <typename Kernel>
void tell(const char* name, Kernel* kernel, int threads = kThreads) {
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, kernel));
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  std::printf("%s: %d registers, %d bytes, %d blocks\n", name, attributes.numRegs,
              static_cast<int>(attributes.localSizeBytes), blocks);
}

int main(int arguments, char** argument) {
  constexpr int kCount = kValues * kThreads * kBlocks;
  auto* host = static_cast<unsigned*>(std::malloc(kCount * sizeof(unsigned)));
  auto* result = static_cast<unsigned*>(std::malloc(kCount * sizeof(unsigned)));
  for (int i = 0; i < kCount; ++i) host[i] = i * kFactor >> 3;
  unsigned *in, *out;
  OK(cudaMalloc(&in, kCount * sizeof(unsigned)));
  OK(cudaMalloc(&out, kCount * sizeof(unsigned)));
  OK(cudaMemcpy(in, host, kCount * sizeof(unsigned), cudaMemcpyHostToDevice));
  constexpr int kAll = kThreads * kBlocks;
  for (int thread = 0; thread < kAll; ++thread) {
    unsigned values[kValues];
    for (int i = 0; i < kValues; ++i) values[i] = host[i * kAll + thread];
    for (int round = 0; round < kRounds; ++round) {
      mix(values);
      if ((values[0] & 1) != 0) values[7] += values[31];
    }
    for (int i = 0; i < kValues; ++i) host[i * kAll + thread] = values[i];
  }
  tell("unbounded", unbounded);
  tell("bounded", bounded);
  if (arguments > 1 && std::strcmp(argument[1], "shared") == 0) {
    wide<<<1, kThreads>>>(in, out);
    EXPECT(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    return finish();
  }
  if (arguments > 1) {
    constexpr int kLarge = 1024;
    tell("large", unbounded, kLarge);
    unbounded<<<kAll / kLarge, kLarge>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(result, out, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(result, host, kCount * sizeof(unsigned)) == 0);
    return finish();
  }
  void (*const kernels[])(const unsigned*, unsigned*) = {unbounded, bounded};
  for (auto* kernel : kernels) {
    OK(cudaMemset(out, 0, kCount * sizeof(unsigned)));
    kernel<<<kBlocks, kThreads>>>(in, out);
    OK(cudaMemcpy(result, out, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(result, host, kCount * sizeof(unsigned)) == 0);
  }
  return finish();
}
