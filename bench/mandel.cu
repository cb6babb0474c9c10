// SPDX-License-Identifier: Apache-2.0
// Mandelbrot set, 256 x 256 points, at most 256 iterations (or the number given): grid 16x16, block 16x16. Divergent
// loop exits, arithmetic.
#include "bench.h"

extern "C" __global__ void mandel(int* out, int w, int maxit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.0f + 3.0f * x / 256.0f, cy = -1.5f + 3.0f * y / 256.0f, zx = 0, zy = 0;
  int it = 0;
#pragma unroll 1
  while (it < maxit && zx * zx + zy * zy < 4.0f) {
    float t = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = t;
    it++;
  }
  out[y * w + x] = it;
}

int main(int argc, char** argv) {
  int w = 256, mi = argc > 1 ? atoi(argv[1]) : 256;
  int* d = dalloc<int>(w * w);
  mandel<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(d, w, mi);
  cudaDeviceSynchronize();
  auto o = download(d, w * w);
  long sum = 0;
  int bad = 0;
  // Which products are fused differs from compiler to compiler, and with it the count of a few points: the check is of
  // the range, the sum is for the eye.
  for (int i = 0; i < w * w; i++) {
    sum += o[i];
    if (o[i] < 1 || o[i] > mi) bad++;
  }
  printf("mandel checksum %ld\n", sum);
  return report("mandel", bad);
}
