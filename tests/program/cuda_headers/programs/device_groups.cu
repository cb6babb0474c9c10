// SPDX-License-Identifier: Apache-2.0
// Cooperative groups, half precision and complex numbers as the device computes them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>

#include "check.h"

namespace cg = cooperative_groups;

// --- groups
// -------------------------------------------------------------------------------------------------------------
constexpr int kPerThread = 12;

__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quad = cg::tiled_partition<4>(warp);
  const cg::thread_group eight = cg::tiled_partition(block, 8);
  const int rank = static_cast<int>(block.thread_rank());
  int* r = out + rank * kPerThread;
  *r++ = static_cast<int>(block.size() * 1000 + warp.thread_rank() * 10 + quad.size());
  *r++ = static_cast<int>(quad.meta_group_rank() * 100 + quad.thread_rank() * 10 + eight.thread_rank());
  *r++ = quad.shfl(rank, 2);
  *r++ = quad.shfl_down(rank, 1) * 1000 + quad.shfl_up(rank, 1);
  *r++ = static_cast<int>(quad.ballot(rank % 2 == 0)) * 10 + quad.any(rank == 5) + 2 * quad.all(rank >= 4);
  *r++ = cg::reduce(quad, rank, cg::plus<int>()) * 1000 + cg::reduce(warp, rank, cg::greater<int>());
  *r++ = cg::inclusive_scan(quad, rank) * 1000 + cg::exclusive_scan(quad, rank);
  *r++ = static_cast<int>(quad.match_any(rank / 2));
  const double3 moved = warp.shfl_xor(make_double3(rank, rank * 2, rank * 3), 16);
  *r++ = static_cast<int>(moved.x + moved.y + moved.z);
  *r = -1;
  if (rank % 3 == 1) {
    const cg::coalesced_group active = cg::coalesced_threads();
    *r++ = static_cast<int>(active.thread_rank() * 100 + active.size());
    *r++ = cg::reduce(active, rank, cg::plus<int>()) * 100 + active.shfl_up(rank, 1);
    const cg::coalesced_group parity = cg::labeled_partition(active, rank % 2);
    *r++ = static_cast<int>(parity.size() * 1000 + active.ballot(rank > 10));
  }
  block.sync();
}

void check_groups() {
  Mirror<int> out(64 * kPerThread);
  groups<<<1, dim3(8, 4, 2)>>>(out.device);
  out.fetch();
  for (int t = 0; t < 64; ++t) {
    const int first = t / 4 * 4, rank = t % 4, w = t % 32, warp = t / 32 * 32;
    const int sum = 4 * first + 6, prefix = (rank + 1) * first + rank * (rank + 1) / 2;
    int expected[kPerThread] = {64 * 1000 + w * 10 + 4,
                                t / 4 * 100 + rank * 10 + t % 8,
                                first + 2,
                                (rank < 3 ? t + 1 : t) * 1000 + (rank > 0 ? t - 1 : t),
                                50 + (first == 4) + 2 * (first >= 4),
                                sum * 1000 + warp + 31,
                                prefix * 1000 + prefix - t,
                                rank < 2 ? 3 : 12,
                                6 * (t ^ 16),
                                -1,
                                0,
                                0};
    if (t % 3 == 1) {
      int size = 0, my_rank = 0, total = 0, before = t, alike = 0, ballot = 0;
      for (int u = warp; u < warp + 32; ++u) {
        if (u % 3 != 1) continue;
        if (u < t) ++my_rank, before = u;
        if (u % 2 == t % 2) ++alike;
        if (u > 10) ballot |= 1 << size;
        ++size;
        total += u;
      }
      expected[9] = my_rank * 100 + size;
      expected[10] = total * 100 + before;
      expected[11] = alike * 1000 + ballot;
    }
    for (int k = 0; k < kPerThread; ++k) {
      char what[48];
      std::snprintf(what, sizeof what, "group function %d of thread %d", k, t);
      expect_equal(what, out[t * kPerThread + k], expected[k]);
    }
  }
}

__global__ void meet_across_blocks(int* values, int* sums, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  for (int round = 0; round < rounds; ++round) {
    values[i] = i + round;
    grid.sync();
    sums[i] += values[(i + 65) % n];
    grid.sync();
  }
}

void check_grid() {
  constexpr int kBlocks = 2, kThreads = 64, kRounds = 3, kTotal = kBlocks * kThreads;
  Mirror<int> values(kTotal), sums(kTotal);
  int* v = values.device;
  int* s = sums.device;
  int rounds = kRounds;
  void* arguments[] = {&v, &s, &rounds};
  const cudaError_t error = cudaLaunchCooperativeKernel(meet_across_blocks, dim3(kBlocks), dim3(kThreads), arguments);
  expect_equal("cudaLaunchCooperativeKernel", error, cudaSuccess);
  sums.fetch();
  for (int i = 0; i < kTotal; ++i) expect_equal("a sum across blocks", sums[i], kRounds * ((i + 65) % kTotal) + 3);
}

__global__ void one_of_a_group(int* calls, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::invoke_one(tile, [&](int by) { atomicAdd(calls, by); }, 1);
  if (threadIdx.x % 3 == 0) return;
  const auto rest = cg::coalesced_threads();
  out[threadIdx.x] = cg::invoke_one_broadcast(rest, [&] { return static_cast<int>(threadIdx.x) + 100 * atomicAdd(calls + 1, 1); });
}

void check_one_of_a_group() {
  Mirror<int> calls(2), out(32);
  calls[0] = calls[1] = 0;
  calls.send();
  one_of_a_group<<<1, 32>>>(calls.device, out.device);
  calls.fetch();
  out.fetch();
  expect_equal("a call by each tile", calls[0], 2);
  const int groups = calls[1];
  expect_equal("a call by each coalesced group", groups >= 1 && groups <= 22, true);
  for (int k = 0; k < 32; ++k) {
    if (k % 3 != 0) expect_equal("a thread of the group", out[k] % 100 % 3 != 0 && out[k] / 100 < groups, true);
  }
}

// --- half precision
// -------------------------------------------------------------------------------------------------------
__global__ void halves(const float* in, float* out) {
  const half a = __float2half(in[0]), b = __float2half(in[1]);
  int k = 0;
  out[k++] = __half2float(a);
  out[k++] = __half2float(a + b);
  out[k++] = __half2float(__hmul(a, b));
  out[k++] = __half2float(__hfma(a, b, a));
  out[k++] = __half2float(a / b);
  out[k++] = (a < b) + 2 * (a == a) + 4 * __hgtu(a, b);
  const half2 p = __halves2half2(a, b), q = p + p * p;
  out[k++] = __low2float(q);
  out[k++] = __high2float(q);
  out[k++] = __half2float(hsqrt(b));
  out[k++] = static_cast<float>(__half2int_rn(__float2half(2.5f)));
}

float rounded(float f) { return __half2float(__float2half(f)); }

void check_halves() {
  Mirror<float> in(2), out(10);
  in[0] = 1.0f / 3.0f;
  in[1] = 2.71828f;
  in.send();
  halves<<<1, 1>>>(in.device, out.device);
  out.fetch();
  const float a = rounded(in[0]), b = rounded(in[1]);
  const float expected[10] = {a,
                              rounded(a + b),
                              rounded(a * b),
                              rounded(a * b + a),
                              rounded(a / b),
                              3,
                              rounded(a + rounded(a * a)),
                              rounded(b + rounded(b * b)),
                              rounded(std::sqrt(b)),
                              2};
  for (int k = 0; k < 10; ++k) expect_equal("half precision", out[k], expected[k]);
  // Every half survives conversion to float and back, on the host.
  for (unsigned h = 0; h < 0x10000u; ++h) {
    if ((h & 0x7fffu) > 0x7c00u) continue;
    const half x = __ushort_as_half(static_cast<unsigned short>(h));
    expect_equal("half to float and back", __half_as_ushort(__float2half(__half2float(x))), h);
  }
  expect_equal("a tie to even", __half_as_ushort(__float2half(2049.0f)), 0x6800);
  expect_equal("overflow", __half_as_ushort(__float2half(65520.0f)), 0x7c00);
  expect_equal("the largest below it", __half_as_ushort(__float2half(65519.0f)), 0x7bff);
  expect_equal("half of the smallest", __half_as_ushort(__float2half(0x1p-25f)), 0);
  expect_equal("a bit more", __half_as_ushort(__float2half(0x1.002p-25f)), 1);
}

// --- complex numbers
// ----------------------------------------------------------------------------------------------------------
__global__ void complex_numbers(const std::complex<double>* in, std::complex<double>* out, cuDoubleComplex* plain) {
  out[0] = in[0] * in[1];
  out[1] = in[0] / in[1];
  out[2] = std::exp(in[0]);
  out[3] = std::complex<double>(std::abs(in[0]), std::norm(in[1]));
  out[4] = in[2] * in[1];
  plain[0] = cuCdiv(make_cuDoubleComplex(in[0].real(), in[0].imag()), make_cuDoubleComplex(in[1].real(), in[1].imag()));
  plain[1].x = cuCabs(make_cuDoubleComplex(3e200, 4e200));
}

void expect_near(const char* what, double got, double expected) {
  if (std::fabs(got - expected) > 4e-16 * (1 + std::fabs(expected))) expect_equal(what, got, expected);
}

void check_complex_numbers() {
  Mirror<std::complex<double>> in(3), out(5);
  Mirror<cuDoubleComplex> plain(2);
  in[0] = {1.25, -0.5};
  in[1] = {-0.75, 2.0};
  in[2] = {INFINITY, 0};
  in.send();
  complex_numbers<<<1, 1>>>(in.device, out.device, plain.device);
  out.fetch();
  plain.fetch();
  const std::complex<double> expected[4] = {
      in[0] * in[1], in[0] / in[1], std::exp(in[0]), {std::abs(in[0]), std::norm(in[1])}};
  for (int k = 0; k < 4; ++k) {
    expect_near("real part", out[k].real(), expected[k].real());
    expect_near("imaginary part", out[k].imag(), expected[k].imag());
  }
  expect_equal("infinity times a number", std::isinf(out[4].real()) && std::isinf(out[4].imag()), true);
  expect_near("cuCdiv", plain[0].x, expected[1].real());
  expect_near("cuCdiv", plain[0].y, expected[1].imag());
  expect_near("cuCabs", plain[1].x / 1e200, 5);
}

int main() {
  check_groups();
  check_grid();
  check_one_of_a_group();
  check_halves();
  check_complex_numbers();
  return finish();
}
