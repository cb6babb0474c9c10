// SPDX-License-Identifier: Apache-2.0
// The vertical pass of a separable filter of 17 weights, each thread marching down a column of 34 pixels: the pixels in
// its window stay in registers, so that one load serves 17 multiply-adds.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "common.h"

constexpr int kTaps = 17, kRadius = kTaps / 2;
constexpr int kMarch = 34;  // rows of a thread
constexpr int kThreads = 64;

struct Weights {
  float of[kTaps];
};

// The picture has kRadius more rows above and below.
__global__ void convolve(const float* picture, float* out, Weights weights, int columns, int rows) {
  const int x = blockIdx.x * kThreads + threadIdx.x, top = blockIdx.y * kMarch;
  if (x >= columns) return;
  float window[kTaps];
  for (int i = 0; i < kTaps - 1; ++i) window[i] = picture[(top + i) * columns + x];
  // The window turns by one place a row: after kTaps rows it is as it was.
  for (int begin = top; begin < top + kMarch; begin += kTaps) {
#pragma unroll
    for (int i = 0; i < kTaps; ++i) {
      const int y = begin + i;
      if (y >= rows) return;
      window[(i + kTaps - 1) % kTaps] = picture[(y + kTaps - 1) * columns + x];
      float sum = 0.0f;
      for (int tap = 0; tap < kTaps; ++tap) sum = fmaf(weights.of[tap], window[(i + tap) % kTaps], sum);
      out[y * columns + x] = sum;
    }
  }
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {80, 320, 2048, 4, 16384}));
  const int rows = columns * 3 / 4;
  workload::Random random(73);
  std::vector<float> picture((rows + 2 * kRadius) * columns), reference(rows * columns);
  for (float& pixel : picture) pixel = random.between(0.0f, 1.0f);
  Weights weights;
  for (float& weight : weights.of) weight = random.between(-0.2f, 0.3f);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      float sum = 0.0f;
      for (int tap = 0; tap < kTaps; ++tap) sum = std::fma(weights.of[tap], picture[(y + tap) * columns + x], sum);
      reference[y * columns + x] = sum;
    }
  workload::DeviceArray<float> device_picture(picture), out(reference.size());
  convolve<<<dim3(workload::blocks_for(columns, kThreads), workload::blocks_for(rows, kMarch)), kThreads>>>(
      device_picture.get(), out.get(), weights, columns, rows);
  CHECK_LAUNCH();
  workload::Report report("convolution_columns");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
