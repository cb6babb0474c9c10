// SPDX-License-Identifier: Apache-2.0
// Half precision: conversions, arithmetic, comparisons, functions, on both sides.
#include <cuda_fp16.h>

#include <cstdio>

__global__ void scalars(const half* a, half* b, float* f, int* i) {
  const __half x = a[threadIdx.x], y = __float2half(f[0]);
  b[0] = __hadd(x, y) + __hsub(x, y) * __hmul(x, y) / __hdiv(x, y) - __hfma(x, y, x);
  b[1] = -x + __habs(y) + __hmax(x, y) + hsqrt(x) + hexp(y) + hlog(x) + hrcp(x) + __hneg(y);
  b[2] = x + __half(1.5f) + __ldg(a + 2) + __shfl_xor_sync(0xffffffffu, x, 1);
  f[1] = __half2float(x) + static_cast<float>(y);
  i[0] = __heq(x, y) + __hlt(x, y) + __hgtu(x, y) + (x < y) + (x != y) + __hisnan(x) + __half2int_rn(y);
  b[3] = __int2half_rn(i[1]) + __ushort_as_half(0x3c00) + __float2half_rd(f[2]);
  b[4] += x;
  atomicAdd(b + 5, x);
  if (x) b[6] = 1.0f;
}

__global__ void pairs(const half2* a, half2* b, float2* f) {
  const half2 x = a[threadIdx.x], y = __float22half2_rn(f[0]);
  b[0] = __hadd2(x, y) + __hmul2(x, y) - __hfma2(x, y, x) * __h2div(x, y);
  b[1] = __halves2half2(__low2half(x), __high2half(y)) + __float2half2_rn(2.0f) + h2exp(x) + __hneg2(y);
  f[1] = __half22float2(__lowhigh2highlow(x));
  if (__hbge2(x, y)) atomicAdd(b + 2, x);
}

int main() {
  const half h = __float2half(1.0f / 3.0f);
  const half2 p = make_half2(h, h + h);
  printf("%f %f\n", __half2float(h), __high2float(p));
  return h < __float2half(0.5f) ? 0 : 1;
}
