// SPDX-License-Identifier: Apache-2.0
// Kernels that mark regions. Prints nothing but PASS.
#include <heddle.h>

#include "expect.h"

#define REPEAT10(x) x x x x x x x x x x
// Exactly this many, in this place, regardless of the compiler.
#define MULTIPLY_ADDS_100(value, factor) \
  REPEAT10(REPEAT10(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));))
#define STORES_50(address, value)                                            \
  REPEAT10(asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) \
                        : "memory");                                         \
           asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) \
                        : "memory");                                         \
           asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) \
                        : "memory");                                         \
           asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) \
                        : "memory");                                         \
           asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(value) \
                        : "memory");)

__global__ void two_regions(float* data) {
  float value = data[threadIdx.x];
  heddle_region_begin("arithmetic");
  MULTIPLY_ADDS_100(value, 0.5f)
  heddle_region_end("arithmetic");
  heddle_region_begin("stores");
  STORES_50(data + threadIdx.x, value)
  heddle_region_end("stores");
  heddle_region_begin("arithmetic");  // continues the region
  MULTIPLY_ADDS_100(value, 0.5f)
  heddle_region_end("arithmetic");
  data[threadIdx.x] = value;
}

// The inner region lies within the outer one; half of the threads enter each, and some never leave.
__global__ void nested(float* data) {
  float value = data[threadIdx.x];
  heddle_region_begin("outer");
  if (threadIdx.x % 2 == 0) {
    heddle_region_begin("inner");
    MULTIPLY_ADDS_100(value, 0.5f)
    heddle_region_end("inner");
  }
  data[threadIdx.x] = value;
  heddle_region_begin("left open");
  STORES_50(data + threadIdx.x, value)
}

// Many blocks; later ones enter after earlier ones have left, each for a different time.
__global__ void waves(float* data) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[thread];
  heddle_region_begin("waves");
  for (int i = 0; i < 1 + static_cast<int>(blockIdx.x % 5) * 3; ++i) {
    MULTIPLY_ADDS_100(value, 0.5f)
  }
  heddle_region_end("waves");
  data[thread] = value;
}

__global__ void unmarked(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

__global__ void leaves_only(float* data) {
  heddle_region_end("never entered");
  data[threadIdx.x] = 1;
}

int main(int argc, char**) {
  constexpr int kBlocks = 40, kThreads = 256;
  float* data;
  OK(cudaMalloc(&data, kBlocks * kThreads * sizeof(float)));
  OK(cudaMemset(data, 0, kBlocks * kThreads * sizeof(float)));
  two_regions<<<1, 32>>>(data);
  heddle_region_begin("outer");  // the host's, not that of the kernel
  nested<<<1, 64>>>(data);
  heddle_region_end("outer");
  unmarked<<<kBlocks, kThreads>>>(data);
  waves<<<kBlocks, kThreads>>>(data);
  two_regions<<<1, 32>>>(data);
  if (argc > 1) leaves_only<<<1, 32>>>(data);
  OK(cudaDeviceSynchronize());
  return finish();
}
