// SPDX-License-Identifier: Apache-2.0
// Adaptive integration: an interval is halved until Simpson's rule agrees with itself; what is still to be done waits
// on a stack in local memory. The functions are called through pointers. Threads differ in what they call and how
// often.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     0
//   warp instructions: no
//   size:              intervals
#include "common.h"

constexpr int kBlock = 64;
constexpr int kMostDepth = 6;
constexpr float kTolerance = 1e-4f;

// A product that no compiler may fuse with an addition: host and device then round alike.
__host__ __device__ inline float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

__host__ __device__ float cubic(float x) { return fmaf(x, fmaf(x, fmaf(x, 0.5f, -1.0f), 0.25f), 2.0f); }
__host__ __device__ float bell(float x) { return 1.0f / fmaf(product(25.0f, x), x, 1.0f); }
__host__ __device__ float root(float x) { return sqrtf(fabsf(x)); }

typedef float (*Integrand)(float);
constexpr int kIntegrands = 3;
__device__ const Integrand device_integrands[kIntegrands] = {cubic, bell, root};

__host__ __device__ inline float simpson(float width, float left, float middle, float right) {
  return product(width / 6.0f, fmaf(4.0f, middle, left + right));
}

// An interval, the values at its ends and its middle, Simpson's rule over it, and how often it may be halved.
struct Piece {
  float from, width, left, middle, right, whole;
  int depth;
};

struct Halves {
  Piece first, second;
};

// Evaluates f at two more points.
__host__ __device__ inline Halves halve(Integrand f, const Piece& piece) {
  const float half = 0.5f * piece.width;
  const float low = f(fmaf(0.25f, piece.width, piece.from)), high = f(fmaf(0.75f, piece.width, piece.from));
  return {
      {piece.from, half, piece.left, low, piece.middle, simpson(half, piece.left, low, piece.middle), piece.depth - 1},
      {piece.from + half, half, piece.middle, high, piece.right, simpson(half, piece.middle, high, piece.right),
       piece.depth - 1}};
}

__global__ void quadrature(const float* from, const float* width, float* integral, int* calls, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;
  const Integrand f = device_integrands[i % 7 % kIntegrands];
  Piece waiting[kMostDepth + 1];
  const float left = f(from[i]), middle = f(fmaf(0.5f, width[i], from[i])), right = f(from[i] + width[i]);
  waiting[0] = {from[i], width[i], left, middle, right, simpson(width[i], left, middle, right), kMostDepth};
  int pieces = 1, evaluations = 3;
  float sum = 0.0f;
  while (pieces > 0) {
    const Piece piece = waiting[--pieces];
    const Halves halves = halve(f, piece);
    evaluations += 2;
    const float refined = halves.first.whole + halves.second.whole;
    if (piece.depth == 0 || fabsf(refined - piece.whole) < kTolerance) {
      sum += refined;
    } else {
      waiting[pieces++] = halves.second;
      waiting[pieces++] = halves.first;
    }
  }
  integral[i] = sum;
  calls[i] = evaluations;
}

// Adds the integral over the piece to *sum, from left to right.
void reference_integral(Integrand f, const Piece& piece, float* sum, int* calls) {
  const Halves halves = halve(f, piece);
  *calls += 2;
  const float refined = halves.first.whole + halves.second.whole;
  if (piece.depth == 0 || std::fabs(refined - piece.whole) < kTolerance) {
    *sum += refined;
    return;
  }
  reference_integral(f, halves.first, sum, calls);
  reference_integral(f, halves.second, sum, calls);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {150, 3000, 50000, 1, 1 << 20}));
  const Integrand host_integrands[kIntegrands] = {cubic, bell, root};
  workload::Random random(27);
  std::vector<float> from(count), width(count), reference(count);
  std::vector<int> reference_calls(count);
  for (int i = 0; i < count; ++i) {
    from[i] = random.between(-1.0f, 0.5f);
    width[i] = random.between(0.1f, 1.5f);
    const Integrand f = host_integrands[i % 7 % kIntegrands];
    const float left = f(from[i]), middle = f(fmaf(0.5f, width[i], from[i])), right = f(from[i] + width[i]);
    reference_calls[i] = 3;
    reference_integral(f, {from[i], width[i], left, middle, right, simpson(width[i], left, middle, right), kMostDepth},
                       &reference[i], &reference_calls[i]);
  }
  workload::DeviceArray<float> device_from(from), device_width(width), integral(count);
  workload::DeviceArray<int> calls(count);
  quadrature<<<workload::blocks_for(count, kBlock), kBlock>>>(device_from.get(), device_width.get(), integral.get(),
                                                              calls.get(), count);
  CHECK_LAUNCH();
  workload::Report report("quadrature");
  report.expect_equal("integral", integral.download(), reference);
  report.expect_equal("evaluations", calls.download(), reference_calls);
  return report.finish();
}
