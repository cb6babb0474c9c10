// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 512 complex numbers, 64 threads each, in three steps of radix 8 in registers; between the steps
// the threads exchange numbers through padded shared memory, of which each exchange has its own, so that one barrier is
// enough.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            64
//   shared memory:     9216
//   warp instructions: no
//   size:              transforms
#include "vector3.h"

using workload::product;

constexpr unsigned kRadix = 8, kPoints = 512, kThreads = kPoints / kRadix;

__host__ __device__ inline float2 operator+(const float2& a, const float2& b) { return {a.x + b.x, a.y + b.y}; }
__host__ __device__ inline float2 operator-(const float2& a, const float2& b) { return {a.x - b.x, a.y - b.y}; }
__host__ __device__ inline float2 times(const float2& a, const float2& b) {
  return {fmaf(a.x, b.x, -product(a.y, b.y)), fmaf(a.x, b.y, product(a.y, b.x))};
}

// Transforms of four and of eight numbers.
__host__ __device__ inline void transform4(float2& a, float2& b, float2& c, float2& d) {
  const float2 ac = a + c, ac_ = a - c, bd = b + d, bd_ = b - d;
  a = ac + bd;
  b = {ac_.x + bd_.y, ac_.y - bd_.x};
  c = ac - bd;
  d = {ac_.x - bd_.y, ac_.y + bd_.x};
}

__host__ __device__ inline void transform8(float2 v[kRadix]) {
  constexpr float kRoot = 0.70710678f;
  float2 even[4], odd[4];
  for (int i = 0; i < 4; ++i) {
    even[i] = v[i] + v[i + 4];
    odd[i] = v[i] - v[i + 4];
  }
  odd[1] = {product(kRoot, odd[1].x + odd[1].y), product(kRoot, odd[1].y - odd[1].x)};
  odd[2] = {odd[2].y, -odd[2].x};
  odd[3] = {product(kRoot, odd[3].y - odd[3].x), product(-kRoot, odd[3].x + odd[3].y)};
  transform4(even[0], even[1], even[2], even[3]);
  transform4(odd[0], odd[1], odd[2], odd[3]);
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = even[i];
    v[2 * i + 1] = odd[i];
  }
}

// One step on eight numbers; `turn` is the first of their seven roots of unity.
__host__ __device__ inline void step8(float2 v[kRadix], const float2& turn) {
  float2 power = turn;
  for (unsigned i = 1; i < kRadix; ++i) {
    v[i] = times(v[i], power);
    power = times(power, turn);
  }
  transform8(v);
}

__device__ inline unsigned padded(unsigned i) { return i + i / 8; }

__global__ void fft(const float2* in, const float2* roots, float2* out) {
  __shared__ float exchange[2][2][kPoints + kPoints / 8];  // of two steps: real parts, imaginary parts
  const unsigned first = blockIdx.x * kPoints, thread = threadIdx.x;
  float2 v[kRadix];
  for (unsigned i = 0; i < kRadix; ++i) v[i] = in[first + thread + i * kThreads];
  transform8(v);
#pragma unroll
  for (unsigned done = 1; done < kThreads; done *= kRadix) {
    // Numbers go where the next step wants them.
    const unsigned to = thread / done * done * kRadix + thread % done, next = done * kRadix;
    float(*parts)[kPoints + kPoints / 8] = exchange[done == 1 ? 0 : 1];
    for (unsigned i = 0; i < kRadix; ++i) {
      parts[0][padded(to + i * done)] = v[i].x;
      parts[1][padded(to + i * done)] = v[i].y;
    }
    __syncthreads();
    for (unsigned i = 0; i < kRadix; ++i)
      v[i] = {parts[0][padded(thread + i * kThreads)], parts[1][padded(thread + i * kThreads)]};
    step8(v, roots[thread % next * (kThreads / next)]);
  }
  for (unsigned i = 0; i < kRadix; ++i) out[first + thread + i * kThreads] = v[i];
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {4, 64, 2048, 1, 1 << 18}));
  workload::Random random(57);
  std::vector<float2> in(static_cast<std::size_t>(count) * kPoints), roots(kThreads);
  for (float2& each : in) each = {random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};
  for (unsigned i = 0; i < kThreads; ++i) {
    const double angle = -2.0 * std::acos(-1.0) * i / kPoints;
    roots[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  workload::DeviceArray<float2> device_in(in), device_roots(roots), device_out(in.size());
  fft<<<count, kThreads>>>(device_in.get(), device_roots.get(), device_out.get());
  CHECK_LAUNCH();

  std::vector<float2> reference = in, next(in.size());
  for (unsigned done = 1; done < kPoints; done *= kRadix) {
    for (std::size_t first = 0; first < in.size(); first += kPoints)
      for (unsigned i = 0; i < kThreads; ++i) {
        float2 v[kRadix];
        for (unsigned k = 0; k < kRadix; ++k) v[k] = reference[first + i + k * kThreads];
        if (done == 1) {
          transform8(v);
        } else {
          step8(v, roots[i % done * (kThreads / done)]);
        }
        for (unsigned k = 0; k < kRadix; ++k) next[first + i / done * done * kRadix + i % done + k * done] = v[k];
      }
    reference.swap(next);
  }
  // The definition, for a few frequencies of the first transform.
  const std::vector<float2> result = device_out.download();
  bool near = true;
  for (unsigned k = 1; k < kPoints; k += 97) {
    double x = 0.0, y = 0.0;
    for (unsigned n = 0; n < kPoints; ++n) {
      const double angle = -2.0 * std::acos(-1.0) * (k * n % kPoints) / kPoints;
      x += in[n].x * std::cos(angle) - in[n].y * std::sin(angle);
      y += in[n].x * std::sin(angle) + in[n].y * std::cos(angle);
    }
    near = near && std::fabs(x - result[k].x) < 1.0e-3 && std::fabs(y - result[k].y) < 1.0e-3;
  }
  workload::Report report("fft");
  report.expect_equal("number", result, reference);
  report.expect_true("a frequency by the definition", near);
  return report.finish();
}
