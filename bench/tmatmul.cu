// SPDX-License-Identifier: Apache-2.0
// Tiled matrix product of 256 x 256 floats (or the size given, a multiple of 16): grid 16x16, block 16x16, tiles of 16
// in 2 KiB of shared memory, two barriers a tile.
#include "bench.h"

extern "C" __global__ void tmatmul(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][16], Bs[16][16];
  int ty = threadIdx.y, tx = threadIdx.x, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float s = 0;
  for (int t = 0; t < n; t += 16) {
    As[ty][tx] = A[r * n + t + tx];
    Bs[ty][tx] = B[(t + ty) * n + c];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) s += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[r * n + c] = s;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 256;
  std::vector<float> a(n * n), b(n * n);
  unsigned sd = 1;
  for (auto& x : a) x = (int)(lcg(sd) % 17) - 8;
  for (auto& x : b) x = (int)(lcg(sd) % 13) - 6;
  float *da = upload(a), *db = upload(b), *dc = dalloc<float>(n * n);
  tmatmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
  cudaDeviceSynchronize();
  auto c = download(dc, n * n);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      bad += s != c[i * n + j];
    }
  return report("tmatmul", bad);
}
