// SPDX-License-Identifier: Apache-2.0
// Depth of field in a game: each pixel gathers colour and depth, number by number, from 21 places around it, farther
// the more it is out of focus, and weighs them by their own blur and brightness. Blur changes smoothly, so that
// neighbours read neighbouring pixels. A warp has a tile of pixels, as a screen is cut for its shaders.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            8x16
//   shared memory:     0
//   warp instructions: no
//   size:              columns; the picture has three quarters as many rows
#include "vector3.h"

using workload::product;
using workload::Vector3;

constexpr int kTaps = 21, kBorder = 12;  // pixels around the picture, which taps may reach

__constant__ int taps[kTaps];  // distance in memory from the middle, for a radius of one

// Read number by number: nothing says that it lies at a multiple of 16 bytes.
struct Pixel {
  float red, green, blue, depth;
};

struct Picture {
  const Pixel* pixels;  // with the border
  int pitch, columns, rows;
};

// Radius of the blur in pixels at a depth; one in focus.
__host__ __device__ inline float radius_at(float depth) { return fminf(fmaf(fabsf(depth - 0.5f), 12.0f, 1.0f), 6.0f); }

__host__ __device__ __forceinline__ Vector3 blurred(const Picture& picture, const int* tap_of, int x, int y) {
  const int middle = (y + kBorder) * picture.pitch + x + kBorder;
  const float radius = radius_at(picture.pixels[middle].depth);
  const int whole = static_cast<int>(radius);
  Vector3 sum = {0.0f, 0.0f, 0.0f};
  float weights = 0.0f;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    const int from = middle + tap_of[i] * whole;
    const Pixel pixel = picture.pixels[from];
    // What is sharp itself does not spill over, and what is bright makes a disc.
    const float bright =
        fmaxf(dot(Vector3{pixel.red, pixel.green, pixel.blue}, Vector3{0.299f, 0.587f, 0.114f}) - 0.7f, 0.0f);
    const float weight = product(fminf(radius_at(pixel.depth), radius), fmaf(4.0f, bright, 1.0f));
    sum = along({pixel.red, pixel.green, pixel.blue}, weight, sum);
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
  std::vector<Pixel> pixels(stored);
  for (int i = 0; i < stored; ++i) {
    // A ground that recedes towards the top, in focus in the middle.
    const float depth = static_cast<float>(i / pitch) / static_cast<float>(rows + 2 * kBorder);
    pixels[i] = {random.between(0.0f, 1.0f), random.between(0.0f, 1.0f), random.between(0.0f, 1.0f), depth};
  }
  // The pixel, its eight neighbours, and twelve places twice as far.
  std::vector<int> tap_of;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      if (std::abs(dx) + std::abs(dy) < 4) tap_of.push_back(dy * pitch + dx);
  const Picture picture = {pixels.data(), pitch, columns, rows};
  std::vector<float> reference(3 * plane);
  for (int pixel = 0; pixel < plane; ++pixel) {
    const Vector3 colour = blurred(picture, tap_of.data(), pixel % columns, pixel / columns);
    reference[pixel] = colour.x;
    reference[plane + pixel] = colour.y;
    reference[2 * plane + pixel] = colour.z;
  }
  CHECK_CUDA(cudaMemcpyToSymbol(taps, tap_of.data(), tap_of.size() * sizeof(int)));
  workload::DeviceArray<Pixel> device_pixels(pixels);
  workload::DeviceArray<float> out(reference.size());
  blur<<<dim3(workload::blocks_for(columns, 8), workload::blocks_for(rows, 16)), dim3(8, 16)>>>(
      {device_pixels.get(), pitch, columns, rows}, out.get());
  CHECK_LAUNCH();
  workload::Report report("depth_of_field");
  report.expect_equal("channel of a pixel", out.download(), reference);
  return report.finish();
}
