// SPDX-License-Identifier: Apache-2.0
// Depth of field in a game: each pixel gathers colours from 21 places around it, farther the more it is out of focus,
// and weighs them by their own blur. Blur changes smoothly, so that neighbours read neighbouring words.
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

constexpr int kTaps = 21, kBorder = 12;  // pixels around the picture, which taps may reach

__constant__ int taps[kTaps];  // distance in memory from the middle, for a radius of one

struct Picture {
  const float *red, *green, *blue, *depth;  // pixels with their border
  int pitch, columns, rows;
};

// Radius of the blur in pixels at a depth; one in focus.
__host__ __device__ inline float radius_at(float depth) { return fminf(fmaf(fabsf(depth - 0.5f), 12.0f, 1.0f), 6.0f); }

__host__ __device__ inline Vector3 blurred(const Picture& picture, const int* tap_of, int x, int y) {
  const int middle = (y + kBorder) * picture.pitch + x + kBorder;
  const float radius = radius_at(picture.depth[middle]);
  const int whole = static_cast<int>(radius);
  Vector3 sum = {0.0f, 0.0f, 0.0f};
  float weights = 0.0f;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    const int from = middle + tap_of[i] * whole;
    // What is sharp itself does not spill over.
    const float weight = fminf(radius_at(picture.depth[from]), radius);
    sum = along({picture.red[from], picture.green[from], picture.blue[from]}, weight, sum);
    weights += weight;
  }
  return scaled(sum, 1.0f / weights);
}

__global__ void blur(Picture picture, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= picture.columns || y >= picture.rows) return;
  const Vector3 colour = blurred(picture, taps, x, y);
  const int pixel = y * picture.columns + x, plane = picture.columns * picture.rows;
  out[pixel] = colour.x;
  out[plane + pixel] = colour.y;
  out[2 * plane + pixel] = colour.z;
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {24, 96, 640, 8, 8192}));
  const int rows = columns * 3 / 4, plane = rows * columns;
  const int pitch = columns + 2 * kBorder, stored = pitch * (rows + 2 * kBorder);
  workload::Random random(61);
  std::vector<float> red(stored), green(stored), blue(stored), depth(stored);
  for (int i = 0; i < stored; ++i) {
    red[i] = random.between(0.0f, 1.0f);
    green[i] = random.between(0.0f, 1.0f);
    blue[i] = random.between(0.0f, 1.0f);
    // A ground that recedes towards the top, in focus in the middle.
    depth[i] = static_cast<float>(i / pitch) / static_cast<float>(rows + 2 * kBorder);
  }
  // The pixel, its eight neighbours, and twelve places twice as far.
  std::vector<int> tap_of;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      if (std::abs(dx) + std::abs(dy) < 4) tap_of.push_back(dy * pitch + dx);
  const Picture picture = {red.data(), green.data(), blue.data(), depth.data(), pitch, columns, rows};
  std::vector<float> reference(3 * plane);
  for (int pixel = 0; pixel < plane; ++pixel) {
    const Vector3 colour = blurred(picture, tap_of.data(), pixel % columns, pixel / columns);
    reference[pixel] = colour.x;
    reference[plane + pixel] = colour.y;
    reference[2 * plane + pixel] = colour.z;
  }
  CHECK_CUDA(cudaMemcpyToSymbol(taps, tap_of.data(), tap_of.size() * sizeof(int)));
  workload::DeviceArray<float> device_red(red), device_green(green), device_blue(blue), device_depth(depth);
  workload::DeviceArray<float> out(reference.size());
  blur<<<dim3(workload::blocks_for(columns, 32), workload::blocks_for(rows, 4)), dim3(32, 4)>>>(
      {device_red.get(), device_green.get(), device_blue.get(), device_depth.get(), pitch, columns, rows}, out.get());
  CHECK_LAUNCH();
  workload::Report report("depth_of_field");
  report.expect_equal("channel of a pixel", out.download(), reference);
  return report.finish();
}
