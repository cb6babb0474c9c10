// SPDX-License-Identifier: Apache-2.0
// Adaptive integration: a recursive device function that halves an interval until Simpson's rule agrees with itself, of
// functions called through pointers. Threads differ in what they call and in how deep they go.
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

// The integral over [from, from + width]; `whole` is Simpson's rule over it. *calls counts the evaluations.
__device__ float integrate(Integrand f, float from, float width, float left, float middle, float right, float whole,
                           int depth, int* calls) {
  const float half = 0.5f * width;
  const float low = f(fmaf(0.25f, width, from)), high = f(fmaf(0.75f, width, from));
  *calls += 2;
  const float first = simpson(half, left, low, middle), second = simpson(half, middle, high, right);
  if (depth == 0 || fabsf(first + second - whole) < kTolerance) return first + second;
  return integrate(f, from, half, left, low, middle, first, depth - 1, calls) +
         integrate(f, from + half, half, middle, high, right, second, depth - 1, calls);
}

__global__ void quadrature(const float* from, const float* width, float* integral, int* calls, int count) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= count) return;
  const Integrand f = device_integrands[i % 7 % kIntegrands];
  const float left = f(from[i]), middle = f(fmaf(0.5f, width[i], from[i])), right = f(from[i] + width[i]);
  int evaluations = 3;
  integral[i] = integrate(f, from[i], width[i], left, middle, right, simpson(width[i], left, middle, right), kMostDepth,
                          &evaluations);
  calls[i] = evaluations;
}

// The same on the host.
struct Piece {
  float from, width, left, middle, right, whole;
  int depth;
};
float reference_integral(Integrand f, const Piece& piece, int* calls) {
  const float half = 0.5f * piece.width;
  const float low = f(fmaf(0.25f, piece.width, piece.from)), high = f(fmaf(0.75f, piece.width, piece.from));
  *calls += 2;
  const Piece first = {
      piece.from, half, piece.left, low, piece.middle, simpson(half, piece.left, low, piece.middle), piece.depth - 1};
  const Piece second = {
      piece.from + half, half, piece.middle, high, piece.right, simpson(half, piece.middle, high, piece.right),
      piece.depth - 1};
  const float sum = first.whole + second.whole;
  if (piece.depth == 0 || std::fabs(sum - piece.whole) < kTolerance) return sum;
  const float left = reference_integral(f, first, calls);
  return left + reference_integral(f, second, calls);
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
    reference[i] = reference_integral(
        f, {from[i], width[i], left, middle, right, simpson(width[i], left, middle, right), kMostDepth},
        &reference_calls[i]);
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
