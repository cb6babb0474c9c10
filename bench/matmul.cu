// SPDX-License-Identifier: Apache-2.0
// Naive matrix product of 256 x 256 floats (or the size given, a multiple of 16): grid 16x16, block 16x16. Cached loads
// in a loop.
#include "bench.h"

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[r * n + k] * B[k * n + c];
  C[r * n + c] = s;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 256;
  std::vector<float> a(n * n), b(n * n);
  unsigned sd = 1;
  for (auto& x : a) x = (int)(lcg(sd) % 17) - 8;
  for (auto& x : b) x = (int)(lcg(sd) % 13) - 6;
  float *da = upload(a), *db = upload(b), *dc = dalloc<float>(n * n);
  matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
  cudaDeviceSynchronize();
  auto c = download(dc, n * n);
  int bad = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      bad += s != c[i * n + j];
    }
  return report("matmul", bad);
}
