// SPDX-License-Identifier: Apache-2.0
// Vector addition of 1,048,576 floats (or the number given): grid 4096, block 256. Streaming.
#include "bench.h"

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1048576;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; i++) {
    a[i] = i * 0.5f;
    b[i] = 1.0f - i;
  }
  float *da = upload(a), *db = upload(b), *dc = dalloc<float>(n);
  vecadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  cudaDeviceSynchronize();
  auto c = download(dc, n);
  int bad = 0;
  for (int i = 0; i < n; i++) bad += c[i] != a[i] + b[i];
  return report("vecadd", bad);
}
