// SPDX-License-Identifier: Apache-2.0
// A picture of high dynamic range made fit for a screen, one thread a pixel of four floats: exposure, a filmic curve, a
// colour matrix, a square root for the display, four bytes out. Each byte is read and written once.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            32x4
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "vector3.h"

using workload::product;
using workload::Vector3;

__constant__ float grading[9];  // the colour matrix, row by row

__host__ __device__ inline float filmic(float x) {
  const float above = fmaf(x, fmaf(2.51f, x, 0.03f), 0.0f);
  const float below = fmaf(x, fmaf(2.43f, x, 0.59f), 0.14f);
  return fminf(above / below, 1.0f);
}

__host__ __device__ inline unsigned mapped(const float4& pixel, const float* matrix, float exposure) {
  const float light = fmaf(0.2126f, pixel.x, fmaf(0.7152f, pixel.y, product(0.0722f, pixel.z)));
  const float gain = product(exposure, 1.0f / (1.0f + light));
  const Vector3 colour = {filmic(product(pixel.x, gain)), filmic(product(pixel.y, gain)),
                          filmic(product(pixel.z, gain))};
  unsigned packed = 0;
  for (int i = 0; i < 3; ++i) {
    const float graded = dot(Vector3{matrix[3 * i], matrix[3 * i + 1], matrix[3 * i + 2]}, colour);
    const float shown = sqrtf(fminf(fmaxf(graded, 0.0f), 1.0f));
    packed |= static_cast<unsigned>(fmaf(shown, 255.0f, 0.5f)) << (8 * i);
  }
  return packed | static_cast<unsigned>(fmaf(pixel.w, 255.0f, 0.5f)) << 24;
}

__global__ void tone_map(const float4* picture, unsigned* out, float exposure, int columns, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  out[y * columns + x] = mapped(picture[y * columns + x], grading, exposure);
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {48, 160, 1024, 8, 8192}));
  const int rows = columns * 3 / 4;
  workload::Random random(51);
  std::vector<float4> picture(rows * columns);
  for (float4& pixel : picture) {
    const float level = random.between(0.0f, 8.0f);
    pixel = {random.between(0.0f, level), random.between(0.0f, level), random.between(0.0f, level),
             random.between(0.0f, 1.0f)};
  }
  const std::vector<float> matrix = {1.1f, -0.06f, -0.04f, -0.05f, 1.08f, -0.03f, -0.02f, -0.08f, 1.1f};
  constexpr float kExposure = 1.25f;
  std::vector<unsigned> reference(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) reference[i] = mapped(picture[i], matrix.data(), kExposure);

  CHECK_CUDA(cudaMemcpyToSymbol(grading, matrix.data(), matrix.size() * sizeof(float)));
  workload::DeviceArray<float4> device_picture(picture);
  workload::DeviceArray<unsigned> out(reference.size());
  tone_map<<<dim3(workload::blocks_for(columns, 32), workload::blocks_for(rows, 4)), dim3(32, 4)>>>(
      device_picture.get(), out.get(), kExposure, columns, rows);
  CHECK_LAUNCH();
  workload::Report report("tone_mapping");
  report.expect_equal("pixel", out.download(), reference);
  return report.finish();
}
