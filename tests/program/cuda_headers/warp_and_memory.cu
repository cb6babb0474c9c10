// SPDX-License-Identifier: Apache-2.0
// Barriers, votes, shuffles, matches, atomics, cache hints, address space queries, clocks and system calls.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ float coefficients[16];
__device__ int counter = 3;
__device__ unsigned long long total;
__managed__ int managed_value = 7;
__managed__ float managed_array[32];

template <class T>
__global__ void shuffles(T* out) {
  const unsigned lane = threadIdx.x % 32;
  T v = out[threadIdx.x];
  v += __shfl_sync(0xffffffffu, v, 3);
  v += __shfl_up_sync(0xffffffffu, v, 1);
  v += __shfl_down_sync(0xffffffffu, v, 2, 16);
  v += __shfl_xor_sync(0xffffffffu, v, lane ^ 1);
  v += __shfl(v, 0);
  v += __shfl_up(v, 1);
  v += __shfl_down(v, 1, 8);
  v += __shfl_xor(v, 4);
  out[threadIdx.x] = v;
}
template __global__ void shuffles<int>(int*);
template __global__ void shuffles<unsigned>(unsigned*);
template __global__ void shuffles<long>(long*);
template __global__ void shuffles<unsigned long>(unsigned long*);
template __global__ void shuffles<long long>(long long*);
template __global__ void shuffles<unsigned long long>(unsigned long long*);
template __global__ void shuffles<float>(float*);
template __global__ void shuffles<double>(double*);

__global__ void votes(unsigned* out, int n) {
  const int p = static_cast<int>(threadIdx.x) < n;
  unsigned v = __ballot_sync(0xffffffffu, p) ^ __ballot(p) ^ __activemask();
  v += __all_sync(0xffffffffu, p) + __any_sync(0xffffffffu, p) + __uni_sync(0xffffffffu, p);
  v += __all(p) + __any(p);
  int agreed = 0;
  v += __match_any_sync(0xffffffffu, p) + __match_any_sync(0xffffffffu, 3.0 * p);
  v += __match_all_sync(0xffffffffu, 2.0f * p, &agreed) + __match_all_sync(0xffffffffu, 5ull * p, &agreed);
  v += __syncthreads_count(p) + __syncthreads_and(p) + __syncthreads_or(p) + agreed;
  __syncthreads();
  __syncwarp();
  __syncwarp(0xffu);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  out[threadIdx.x] = v;
}

template <class T>
__global__ void integer_atomics(T* p, T v) {
  p[0] = atomicAdd(p + 1, v) + atomicAdd_block(p + 1, v) + atomicAdd_system(p + 1, v);
  p[1] = atomicExch(p + 2, v) + atomicCAS(p + 3, v, p[5]) + atomicCAS_block(p + 3, v, v) + atomicCAS_system(p, v, v);
  p[2] = atomicMin(p + 4, v) + atomicMax(p + 5, v) + atomicMin_block(p + 4, v) + atomicMax_system(p + 5, v);
  p[3] = atomicAnd(p + 4, v) + atomicOr(p + 5, v) + atomicXor(p + 6, v) + atomicXor_block(p + 6, v);
}
template __global__ void integer_atomics<int>(int*, int);
template __global__ void integer_atomics<unsigned>(unsigned*, unsigned);
template __global__ void integer_atomics<unsigned long long>(unsigned long long*, unsigned long long);

__global__ void other_atomics(float* f, double* d, unsigned* u, int* i, unsigned short* s, long long* l) {
  f[0] = atomicAdd(f + 1, 1.0f) + atomicExch(f + 2, 2.0f) + atomicAdd_block(f + 1, 2.0f);
  d[0] = atomicAdd(d + 1, 1.0) + atomicAdd_system(d + 1, 1.0) + atomicAdd(d + 2, 1);
  u[0] = atomicInc(u + 1, 7u) + atomicDec(u + 1, 7u) + atomicSub(u + 2, 4u) + atomicInc_block(u + 1, 3u);
  i[0] = atomicSub(i + 1, 3) + atomicSub_system(i + 1, 3) + atomicAdd(&counter, 1);
  s[0] = atomicCAS(s + 1, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
  l[0] = atomicMin(l + 1, 4ll) + atomicMax(l + 1, 5ll);
  atomicAdd(&total, 1ull);
  atomicAdd(reinterpret_cast<int*>(f) + 8, 1);
}

// A program's own double atomicAdd, as in the programming guide for old architectures, with a guard that is also true in
// a host compilation.
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif
__global__ void own_atomic(double* d) { atomicAdd(d, 2.5); }

__global__ void cached(const float4* a, const double2* b, const uchar4* c, float* out, const long* l, const int* i) {
  const float4 x = __ldg(a);
  const double2 y = __ldg(b + 1);
  const uchar4 z = __ldg(c + threadIdx.x);
  out[0] = x.x + static_cast<float>(y.y) + z.w + __ldg(out + 1) + __ldg(l) + __ldg(i);
  out[1] = __ldcg(out + 3) + __ldca(out + 4) + __ldcs(a).w + __ldcv(i) + __ldcg(c).x;
  __stcg(out + 5, 1.0f);
  __stcs(out + 6, 2.0f);
  __stwb(out + 7, 3.0f);
  __stwt(reinterpret_cast<float4*>(out) + 4, x);
}

__global__ void addresses(int* out, const void* p) {
  __shared__ int local[4];
  local[threadIdx.x & 3] = 1;
  out[0] = __isGlobal(p) + __isShared(p) + __isLocal(p) + __isConstant(p) + local[1];
  out[1] = static_cast<int>(__cvta_generic_to_shared(local)) + static_cast<int>(__cvta_generic_to_global(p) >> 40);
}

__global__ void bits(unsigned* o, int x, unsigned u, long long l, unsigned long long m) {
  o[0] = __clz(x) + __clzll(l) + __popc(u) + __popcll(m) + __ffs(x) + __ffsll(l) + __brev(u) + __fns(u, 3, 2);
  o[1] = static_cast<unsigned>(__brevll(m)) + __byte_perm(u, x, 0x5140) + __sad(x, 3, u) + __usad(u, 3, u);
  o[2] = __funnelshift_l(u, x, 3) + __funnelshift_r(u, x, u) + __funnelshift_lc(u, x, 40) + __funnelshift_rc(u, x, u);
  o[3] = __mulhi(x, 7) + __umulhi(u, u) + __mul24(x, x) + __umul24(u, 5) + static_cast<unsigned>(__mul64hi(l, l));
  o[4] = __hadd(x, 4) + __rhadd(x, 4) + __uhadd(u, 4) + __urhadd(u, 4) + static_cast<unsigned>(__umul64hi(m, m));
  o[5] = __dp4a(x, 0x01020304, 5) + __dp4a(u, 0x01020304u, 5u) + __dp2a_lo(x, 3, 4) + __dp2a_hi(u, 3u, 4u);
}

struct Node {
  int value;
  Node* next;
};

__global__ void __launch_bounds__(128, 2) calls(int* out, int n) {
  extern __shared__ char dynamic[];
  float* floats = reinterpret_cast<float*>(dynamic);
  floats[threadIdx.x] = coefficients[threadIdx.x & 15];
  const long long begin = clock64();
  const clock_t cycles = clock();
  assert(n > 0 && "a positive count");
  Node* node = new Node{n, nullptr};
  int* array = static_cast<int*>(malloc(n * sizeof(int)));
  memset(array, 0, n * sizeof(int));
  memcpy(array, out, 4 * sizeof(int));
  printf("block %d thread %u value %f\n", blockIdx.x, threadIdx.x, floats[1]);
  out[threadIdx.x] = node->value + array[0] + managed_value + static_cast<int>(managed_array[1]);
  managed_value = 4;
  delete node;
  free(array);
  char* many = new char[16];
  delete[] many;
  if (n == 12345) __trap();
  if (n == 12346) __brkpt();
  __prof_trigger(2);
  __nanosleep(100);
  out[1] = static_cast<int>(clock64() - begin) + static_cast<int>(clock() - cycles) + warpSize;
}

struct Position {
  dim3 block;
  uint3 thread;
};

__global__ void positions(Position* out) {
  out->block = blockDim;
  out->thread = threadIdx;
  dim3 grid = gridDim;
  uint3 block = blockIdx;
  out->block.x += grid.x + block.y;
}

int main() {
  float* data = nullptr;
  float host[16] = {1.0f};
  cudaMalloc(&data, 1024);
  cudaMemcpyToSymbol(coefficients, host, sizeof host);
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  managed_value = 9;
  shuffles<float><<<1, 32>>>(data);
  calls<<<dim3(2, 2), 128, 512>>>(reinterpret_cast<int*>(data), 4);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
