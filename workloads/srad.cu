// SPDX-License-Identifier: Apache-2.0
// Speckle-reducing anisotropic diffusion of an image: sums over the image by trees in shared memory, which give the
// amount of noise, then a coefficient and a step of diffusion for every pixel, with branches at borders and bounds.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            256
//   shared memory:     2048
//   warp instructions: no
//   size:              columns; the image has three quarters as many rows
#include <algorithm>

#include "common.h"

constexpr int kBlock = 256;
constexpr int kSteps = 2;
constexpr float kRate = 0.5f;

// Sums of both inputs, by block.
__global__ void add_up(const float* values, const float* squares, float* sums, float* square_sums, int count) {
  __shared__ float sum[kBlock], square_sum[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  sum[t] = i < count ? values[i] : 0.0f;
  square_sum[t] = i < count ? squares[i] : 0.0f;
  __syncthreads();
  for (int width = kBlock / 2; width > 0; width /= 2) {
    if (t < width) {
      sum[t] += sum[t + width];
      square_sum[t] += square_sum[t + width];
    }
    __syncthreads();
  }
  if (t == 0) {
    sums[blockIdx.x] = sum[0];
    square_sums[blockIdx.x] = square_sum[0];
  }
}

__global__ void square(const float* image, float* squares, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < count) squares[i] = image[i] * image[i];
}

// The coefficient of a pixel from its value, its four differences to neighbours and the noise of the image.
__host__ __device__ inline float coefficient_of(float here, float north, float south, float west, float east, float noise) {
  const float squares = fmaf(north, north, fmaf(south, south, fmaf(west, west, east * east)));
  const float gradient = squares / (here * here);
  const float laplacian = (north + south + west + east) / here;
  const float numerator = fmaf(0.5f, gradient, -(0.0625f * laplacian) * laplacian);
  const float half = fmaf(0.25f, laplacian, 1.0f);
  const float speckle = numerator / (half * half);
  const float excess = (speckle - noise) / (noise * (1.0f + noise));
  float coefficient = 1.0f / (1.0f + excess);
  if (coefficient < 0.0f)
    coefficient = 0.0f;
  else if (coefficient > 1.0f)
    coefficient = 1.0f;
  return coefficient;
}

__host__ __device__ inline float noise_of(float sum, float squares, int count) {
  const float mean = sum / static_cast<float>(count);
  const float variance = fmaf(-mean, mean, squares / static_cast<float>(count));
  return variance / (mean * mean);
}

// Beyond the image lies a copy of its border.
__global__ void find_coefficients(const float* image, const float* sum, const float* squares, float* north, float* south,
                                  float* west, float* east, float* coefficients, int rows, int columns) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= rows * columns) return;
  const int y = i / columns, x = i - y * columns;
  const float here = image[i];
  const float to_north = (y > 0 ? image[i - columns] : here) - here;
  const float to_south = (y + 1 < rows ? image[i + columns] : here) - here;
  const float to_west = (x > 0 ? image[i - 1] : here) - here;
  const float to_east = (x + 1 < columns ? image[i + 1] : here) - here;
  north[i] = to_north;
  south[i] = to_south;
  west[i] = to_west;
  east[i] = to_east;
  coefficients[i] =
      coefficient_of(here, to_north, to_south, to_west, to_east, noise_of(*sum, *squares, rows * columns));
}

__host__ __device__ inline float divergence_of(float here, float south_one, float east_one, float north, float south,
                                               float west, float east) {
  return fmaf(south_one, south, fmaf(here, north, fmaf(here, west, east_one * east)));
}

__global__ void diffuse(float* image, float* squares, const float* north, const float* south, const float* west,
                        const float* east, const float* coefficients, int rows, int columns) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= rows * columns) return;
  const int y = i / columns, x = i - y * columns;
  const float here = coefficients[i];
  const float south_one = y + 1 < rows ? coefficients[i + columns] : here;
  const float east_one = x + 1 < columns ? coefficients[i + 1] : here;
  const float next =
      fmaf(0.25f * kRate, divergence_of(here, south_one, east_one, north[i], south[i], west[i], east[i]), image[i]);
  image[i] = next;
  squares[i] = next * next;
}

// Adds up as the device does: in blocks, each by halves.
float tree_sum(std::vector<float> values) {
  while (values.size() > 1) {
    const std::size_t blocks = (values.size() + kBlock - 1) / kBlock;
    values.resize(blocks * kBlock, 0.0f);
    std::vector<float> sums(blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      float* part = &values[block * kBlock];
      for (int width = kBlock / 2; width > 0; width /= 2)
        for (int t = 0; t < width; ++t) part[t] += part[t + width];
      sums[block] = part[0];
    }
    values = sums;
  }
  return values[0];
}

void diffuse_once(std::vector<float>& image, int rows, int columns) {
  const int count = rows * columns;
  std::vector<float> squares(count), coefficients(count), before = image;
  for (int i = 0; i < count; ++i) squares[i] = image[i] * image[i];
  const float noise = noise_of(tree_sum(image), tree_sum(squares), count);
  const auto at = [&](int y, int x) {
    return before[std::min(std::max(y, 0), rows - 1) * columns + std::min(std::max(x, 0), columns - 1)];
  };
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const float here = at(y, x);
      coefficients[y * columns + x] = coefficient_of(here, at(y - 1, x) - here, at(y + 1, x) - here,
                                                     at(y, x - 1) - here, at(y, x + 1) - here, noise);
    }
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const float here = at(y, x), own = coefficients[y * columns + x];
      const float divergence = divergence_of(own, coefficients[std::min(y + 1, rows - 1) * columns + x],
                                             coefficients[y * columns + std::min(x + 1, columns - 1)],
                                             at(y - 1, x) - here, at(y + 1, x) - here, at(y, x - 1) - here,
                                             at(y, x + 1) - here);
      image[y * columns + x] = fmaf(0.25f * kRate, divergence, here);
    }
}

int main(int argc, char** argv) {
  const int columns = static_cast<int>(workload::parse_size(argc, argv, {36, 144, 640, 2, 4096}));
  const int rows = std::max(1, columns * 3 / 4), count = rows * columns;
  workload::Random random(86);
  std::vector<float> image(count);
  for (int y = 0; y < rows; ++y)  // bright and dark squares, with speckles
    for (int x = 0; x < columns; ++x)
      image[y * columns + x] = ((x / 12 + y / 12) % 2 == 0 ? 1.2f : 2.2f) * random.between(0.8f, 1.2f);
  workload::DeviceArray<float> device_image(image), squares(count), north(count), south(count), west(count), east(count);
  const unsigned blocks = workload::blocks_for(count, kBlock);
  workload::DeviceArray<float> coefficients(count), sums_a(blocks), squares_a(blocks), sums_b(blocks), squares_b(blocks);
  square<<<blocks, kBlock>>>(device_image.get(), squares.get(), count);
  CHECK_LAUNCH();
  for (int step = 0; step < kSteps; ++step) {
    const float *from = device_image.get(), *from_squares = squares.get();
    float *to = sums_a.get(), *to_squares = squares_a.get(), *other = sums_b.get(), *other_squares = squares_b.get();
    for (int left = count; left > 1;) {
      const unsigned parts = workload::blocks_for(left, kBlock);
      add_up<<<parts, kBlock>>>(from, from_squares, to, to_squares, left);
      CHECK_LAUNCH();
      from = to;
      from_squares = to_squares;
      std::swap(to, other);
      std::swap(to_squares, other_squares);
      left = static_cast<int>(parts);
    }
    find_coefficients<<<blocks, kBlock>>>(device_image.get(), from, from_squares, north.get(), south.get(), west.get(),
                                          east.get(), coefficients.get(), rows, columns);
    CHECK_LAUNCH();
    diffuse<<<blocks, kBlock>>>(device_image.get(), squares.get(), north.get(), south.get(), west.get(), east.get(),
                                coefficients.get(), rows, columns);
    CHECK_LAUNCH();
    diffuse_once(image, rows, columns);
  }
  workload::Report report("srad");
  report.expect_equal("pixel", device_image.download(), image);
  return report.finish();
}
