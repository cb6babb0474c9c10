// SPDX-License-Identifier: Apache-2.0
// Kernels that together exercise everything the baseline machine counts: each stage, each kind of access, each way in
// which caches, network and DRAM can stall.
#include <heddle.h>

#include "expect.h"

constexpr int kBlock = 256;

// One line per thread, far apart: no coalescing, misses at every level, DRAM row conflicts.
__global__ void scatter(int* data, unsigned count, unsigned stride) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned at = (t * stride + i * 7919 * 32) % count;
    data[at] = data[(at + count / 2) % count] + 1;
  }
}
// All warps request the same few lines at once by different paths: misses that merge, then hits.
__global__ void gather(const int* data, int* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (unsigned i = 0; i < 8; ++i) sum += data[(threadIdx.x % 32) * 32 + i * 1024];
  for (unsigned i = 0; i < 8; ++i) sum += data[(threadIdx.x % 32) * 32 + i * 1024];
  out[t] = sum;
}
// Streams in and out, larger than the L2: evictions and write-backs.
__global__ void stream(const int4* from, int4* to, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) to[i] = from[i];
}
// Returned and unreturned atomics on few and on many words, and on lines that the L1 holds.
__global__ void atomics(int* few, int* many) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const int old = atomicAdd(&few[t % 4], 1);
  atomicMax(&many[(t * 33) % 4096], old);
  many[4096 + t] = many[t % 4096];
  many[t % 4096] = old;
}
__constant__ int table[16384];
__global__ void constants(int* out, unsigned stride) {
  int sum = 0;
  for (unsigned i = 0; i < 64; ++i) sum += table[(i * stride + blockIdx.x * 512) % 16384];
  for (unsigned i = 0; i < 8; ++i) sum += table[(threadIdx.x * 32 + i) % 16384];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
texture<int, cudaTextureType1D, cudaReadModeElementType> texels;
__global__ void textures(int* out, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += tex1Dfetch(texels, (t * 37 + i * 4099) % count);
  for (int i = 0; i < 4; ++i) sum += tex1Dfetch(texels, i * 32 + t % 32);
  out[t] = sum;
}
// Lines read one after the other, each with the hint that another access to its DRAM row follows. Each warp has its own
// rows, in shared banks.
__global__ void walk(const int* data, int* out, unsigned count) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (unsigned i = 0; i < 24; ++i) sum += HEDDLE_ROW_HINT data[(t * 256 + i * 64 + (sum & 1)) % count];
  out[t] = sum;
}
// Sums of predicates.
__global__ void sums(int* out) { __cond_acc_sync(0xffffffffu, out, threadIdx.x % 3 == 0, 1); }
// Bank conflicts, barriers, threads of a warp that meet from different paths, a store by half a warp.
__global__ void sleeps() { __nanosleep(2000); }

__global__ void block_work(int* out) {
  __shared__ int cells[32 * 33];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 32 * 33; i += blockDim.x) cells[i] = static_cast<int>(i);
  __syncthreads();
  int sum = cells[(t * 32) % 1024] + cells[t % 32];
  if (t < 32) {
    for (int i = 0; i < 200; ++i) sum = sum * 5 + i;
  }
  __syncthreads();
  if (t % 32 < 16) {
    sum += 3;
    out[(gridDim.x + blockIdx.x) * blockDim.x + t] = sum;
    asm volatile("bar.warp.sync 0xffffffff; // low" ::: "memory");
  } else {
    sum ^= 5;
    asm volatile("bar.warp.sync 0xffffffff; // high" ::: "memory");
  }
  sum += __shfl_xor_sync(0xffffffff, sum, 1);
  out[blockIdx.x * blockDim.x + t] = sum;
}
// Loads that the L1 may not answer.
__global__ void coherent(volatile int* data, int* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = data[t];
}
// Every unit, with divergence and operands that share banks.
__global__ void arithmetic(float* out, int n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = t, b = 1.5f, c = 2.5f, d = 3.5f;
  double wide = t;
  for (int i = 0; i < n; ++i) {
    a = fmaf(a, b, c);
    b = fmaf(b, c, d);
    c = fmaf(c, d, a) * 1e-3f;
    d = fmaf(d, a, b) * 1e-3f;
    if ((t + i) % 3 == 0) {
      wide = wide * 1.25 + a;
    } else {
      a += __sinf(b) + __expf(-c);
    }
  }
  out[t] = a + b + c + d + static_cast<float>(wide);
}
// Arrays indexed at run time live in local memory.
__global__ void local_memory(int* out, int n) {
  int own[64];
  for (int i = 0; i < 64; ++i) own[i] = i * n;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += own[(i * 13 + threadIdx.x) % 64];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// More code than the instruction cache holds, run by warps that are not in step.
#define STEP(i) x = x * 3 + (i); y ^= x >> 3; x += y * (i);
#define STEPS_8(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3) STEP(i + 4) STEP(i + 5) STEP(i + 6) STEP(i + 7)
#define STEPS_64(i) STEPS_8(i) STEPS_8(i + 8) STEPS_8(i + 16) STEPS_8(i + 24) STEPS_8(i + 32) STEPS_8(i + 40) STEPS_8(i + 48) STEPS_8(i + 56)
__global__ void long_code(unsigned* out, unsigned rounds) {
  unsigned x = threadIdx.x, y = blockIdx.x;
  for (unsigned r = 0; r < rounds + threadIdx.x / 32; ++r) {
    STEPS_64(1) STEPS_64(65)
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

int main() {
  constexpr unsigned kCount = 1 << 20;
  int *data, *out;
  OK(cudaMalloc(&data, kCount * sizeof *data));
  OK(cudaMalloc(&out, kCount * sizeof *out));
  OK(cudaMemset(data, 0, kCount * sizeof *data));
  OK(cudaMemset(out, 0, kCount * sizeof *out));
  scatter<<<16, kBlock>>>(data, kCount, 32);
  scatter<<<16, kBlock>>>(data, kCount, 2049);
  gather<<<16, kBlock>>>(data, out);
  stream<<<32, kBlock>>>(reinterpret_cast<int4*>(data), reinterpret_cast<int4*>(out), kCount / 4);
  atomics<<<16, kBlock>>>(out, out + 1024);
  constants<<<16, kBlock>>>(out, 16);
  OK(cudaBindTexture(nullptr, texels, data, kCount * sizeof *data));
  textures<<<16, kBlock>>>(out, kCount);
  block_work<<<8, kBlock>>>(out);
  sleeps<<<1, 32>>>();
  coherent<<<8, kBlock>>>(data, out);
  sums<<<2, kBlock>>>(out);
  walk<<<8, kBlock>>>(data, out, kCount);
  arithmetic<<<12, kBlock>>>(reinterpret_cast<float*>(out), 16);
  local_memory<<<2, kBlock>>>(out, 3);
  long_code<<<8, kBlock>>>(reinterpret_cast<unsigned*>(out), 2);
  OK(cudaMemcpy(out, data, 4096, cudaMemcpyDeviceToDevice));
  static int host[1024];
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  return finish();
}
