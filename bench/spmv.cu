// SPDX-License-Identifier: Apache-2.0
// Sparse matrix-vector product, one thread a row: 16,384 rows (or the number given) of 1 to 31 entries in random
// columns, grid 128, block 128. Gathers that thrash the caches.
#include "bench.h"

extern "C" __global__ void spmv(const int* rp, const int* ci, const float* v, const float* x, float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  int e = rp[r + 1];
#pragma unroll 1
  for (int j = rp[r]; j < e; j++) s += v[j] * x[ci[j]];
  y[r] = s;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16384;
  unsigned sd = 7;
  std::vector<int> rp(n + 1), ci;
  std::vector<float> v, x(n);
  rp[0] = 0;
  for (int i = 0; i < n; i++) {
    int k = 1 + lcg(sd) % 31;
    for (int j = 0; j < k; j++) {
      ci.push_back(lcg(sd) % n);
      v.push_back((int)(lcg(sd) % 9) - 4);
    }
    rp[i + 1] = ci.size();
  }
  for (auto& t : x) t = (int)(lcg(sd) % 7) - 3;
  int *drp = upload(rp), *dci = upload(ci);
  float *dv = upload(v), *dx = upload(x), *dy = dalloc<float>(n);
  spmv<<<(n + 127) / 128, 128>>>(drp, dci, dv, dx, dy, n);
  cudaDeviceSynchronize();
  auto y = download(dy, n);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = rp[i]; j < rp[i + 1]; j++) s += v[j] * x[ci[j]];
    bad += s != y[i];
  }
  printf("nnz %zu\n", ci.size());
  return report("spmv", bad);
}
