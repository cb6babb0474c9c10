// SPDX-License-Identifier: Apache-2.0
// Integer, bit, conversion, warp, atomic and memory functions on the device against plain C++.
#include <cstdint>
#include <cstring>
#include <random>

#include "check.h"

// --- words: one function an index -----------------------------------------------------------------------------------
constexpr int kWordFunctions = 40;

__global__ void words(const unsigned* a, const unsigned* b, unsigned* out) {
  const unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  const int sx = static_cast<int>(x), sy = static_cast<int>(y);
  const long long wide = static_cast<long long>(static_cast<unsigned long long>(x) << 32 | y);
  unsigned* r = out + threadIdx.x * kWordFunctions;
  *r++ = __clz(sx);
  *r++ = __clzll(wide);
  *r++ = __popc(x);
  *r++ = __popcll(wide);
  *r++ = __ffs(sx);
  *r++ = __ffsll(wide);
  *r++ = __brev(x);
  *r++ = static_cast<unsigned>(__brevll(wide) >> 7);
  *r++ = __byte_perm(x, y, 0x6274);
  *r++ = __funnelshift_l(x, y, y & 63);
  *r++ = __funnelshift_r(x, y, y & 63);
  *r++ = __funnelshift_lc(x, y, y & 63);
  *r++ = __funnelshift_rc(x, y, y & 63);
  *r++ = __mulhi(sx, sy);
  *r++ = __umulhi(x, y);
  *r++ = static_cast<unsigned>(__umul64hi(wide, wide));
  *r++ = static_cast<unsigned>(__mul64hi(wide, sy));
  *r++ = __mul24(sx, sy);
  *r++ = __umul24(x, y);
  *r++ = __sad(sx, sy, 5);
  *r++ = __usad(x, y, 5);
  *r++ = __hadd(sx, sy);
  *r++ = __rhadd(sx, sy);
  *r++ = __uhadd(x, y);
  *r++ = __urhadd(x, y);
  *r++ = __vadd4(x, y);
  *r++ = __vsub2(x, y);
  *r++ = __vabsdiffu4(x, y);
  *r++ = __vcmpgts2(x, y);
  *r++ = __vmaxs4(x, y);
  *r++ = __vaddus2(x, y);
  *r++ = __dp4a(sx, sy, 7);
  *r++ = __dp4a(x, y, 7u);
  *r++ = __dp2a_lo(sx, sy, 9);
  *r++ = min(sx, sy);
  *r++ = max(x, y);
  *r++ = abs(sx >> 1);
  *r++ = static_cast<unsigned>(__fns(x, 4, 3));
  *r++ = __float_as_uint(__uint_as_float(x & 0x7f7fffffu));
  *r++ = static_cast<unsigned>(__double2hiint(__hiloint2double(sx, sy))) ^ __double2loint(__hiloint2double(sx, sy));
}

int sign_extend(unsigned v, int bits) { return static_cast<int>(v << (32 - bits)) >> (32 - bits); }
template <class F>
unsigned lanes(unsigned x, unsigned y, int bits, bool is_signed, F f) {
  unsigned result = 0;
  const unsigned mask = (1u << bits) - 1;
  for (int shift = 0; shift < 32; shift += bits) {
    const unsigned a = x >> shift & mask, b = y >> shift & mask;
    const int v =
        is_signed ? f(sign_extend(a, bits), sign_extend(b, bits)) : f(static_cast<int>(a), static_cast<int>(b));
    result |= (static_cast<unsigned>(v) & mask) << shift;
  }
  return result;
}
unsigned leading_zeros(std::uint64_t v, int bits) {
  unsigned count = 0;
  while (count < static_cast<unsigned>(bits) && (v >> (bits - 1 - count) & 1) == 0) ++count;
  return count;
}
unsigned first_set(std::uint64_t v) {
  unsigned position = 1;
  if (v == 0) return 0;
  while ((v & 1) == 0) v >>= 1, ++position;
  return position;
}
std::uint64_t reversed(std::uint64_t v, int bits) {
  std::uint64_t r = 0;
  for (int i = 0; i < bits; ++i) r |= (v >> i & 1) << (bits - 1 - i);
  return r;
}

void check_words() {
  std::mt19937 random(3);
  Mirror<unsigned> a(64), b(64), out(64 * kWordFunctions);
  for (int i = 0; i < 64; ++i) {
    a[i] = i < 4 ? (i & 1 ? 0xffffffffu : 0u) : random() >> (random() % 32);
    b[i] = i < 4 ? (i & 2 ? 0x80000000u : 0u) : random();
  }
  a.send();
  b.send();
  words<<<1, 64>>>(a.device, b.device, out.device);
  out.fetch();
  for (int i = 0; i < 64; ++i) {
    const unsigned x = a[i], y = b[i];
    const int sx = static_cast<int>(x), sy = static_cast<int>(y);
    const std::uint64_t wide = static_cast<std::uint64_t>(x) << 32 | y, both = static_cast<std::uint64_t>(y) << 32 | x;
    const __int128 product = static_cast<__int128>(static_cast<std::int64_t>(wide)) * sy;
    const unsigned __int128 square = static_cast<unsigned __int128>(wide) * wide;
    const unsigned wrap = y & 31, clamp = (y & 63) > 32 ? 32 : y & 63;
    const auto left = [&](unsigned s) { return static_cast<unsigned>(both << s >> 32); };
    const auto right = [&](unsigned s) { return static_cast<unsigned>(both >> s); };
    const std::int64_t dx = sx, dy = sy;
    unsigned bytes[8];
    for (int k = 0; k < 8; ++k) bytes[k] = (k < 4 ? x >> 8 * k : y >> 8 * (k - 4)) & 0xff;
    int dot = 7, dot2 = 9;
    unsigned udot = 7;
    for (int k = 0; k < 4; ++k) {
      dot += sign_extend(x >> 8 * k, 8) * sign_extend(y >> 8 * k, 8);
      udot += (x >> 8 * k & 0xff) * (y >> 8 * k & 0xff);
    }
    for (int k = 0; k < 2; ++k) dot2 += sign_extend(x >> 16 * k, 16) * sign_extend(y >> 8 * k, 8);
    unsigned nth = 0xffffffffu;
    for (int k = 4, left_over = 3; k < 32 && left_over > 0; ++k) {
      if ((x >> k & 1) != 0 && --left_over == 0) nth = static_cast<unsigned>(k);
    }
    const unsigned expected[kWordFunctions] = {
        leading_zeros(x, 32),
        leading_zeros(wide, 64),
        static_cast<unsigned>(__builtin_popcount(x)),
        static_cast<unsigned>(__builtin_popcountll(wide)),
        first_set(x),
        first_set(wide),
        static_cast<unsigned>(reversed(x, 32)),
        static_cast<unsigned>(reversed(wide, 64) >> 7),
        bytes[4] | bytes[7] << 8 | bytes[2] << 16 | bytes[6] << 24,
        left(wrap),
        right(wrap),
        clamp == 32 ? x : left(clamp),
        clamp == 32 ? y : right(clamp),
        static_cast<unsigned>(dx * dy >> 32),
        static_cast<unsigned>(static_cast<std::uint64_t>(x) * y >> 32),
        static_cast<unsigned>(static_cast<std::uint64_t>(square >> 64)),
        static_cast<unsigned>(static_cast<std::uint64_t>(product >> 64)),
        static_cast<unsigned>(static_cast<std::int64_t>(sign_extend(x, 24)) * sign_extend(y, 24)),
        static_cast<unsigned>(static_cast<std::uint64_t>(x & 0xffffff) * (y & 0xffffff)),
        static_cast<unsigned>((dx > dy ? dx - dy : dy - dx) + 5),
        (x > y ? x - y : y - x) + 5,
        static_cast<unsigned>((dx + dy) >> 1),
        static_cast<unsigned>((dx + dy + 1) >> 1),
        static_cast<unsigned>((static_cast<std::uint64_t>(x) + y) >> 1),
        static_cast<unsigned>((static_cast<std::uint64_t>(x) + y + 1) >> 1),
        lanes(x, y, 8, false, [](int p, int q) { return p + q; }),
        lanes(x, y, 16, false, [](int p, int q) { return p - q; }),
        lanes(x, y, 8, false, [](int p, int q) { return p > q ? p - q : q - p; }),
        lanes(x, y, 16, true, [](int p, int q) { return p > q ? -1 : 0; }),
        lanes(x, y, 8, true, [](int p, int q) { return p > q ? p : q; }),
        lanes(x, y, 16, false, [](int p, int q) { return p + q > 65535 ? 65535 : p + q; }),
        static_cast<unsigned>(dot),
        udot,
        static_cast<unsigned>(dot2),
        static_cast<unsigned>(sx < sy ? sx : sy),
        x > y ? x : y,
        static_cast<unsigned>(std::abs(sx >> 1)),
        nth,
        x & 0x7f7fffffu,
        x ^ y,
    };
    for (int k = 0; k < kWordFunctions; ++k) {
      char what[64];
      std::snprintf(what, sizeof what, "word function %d of %08x %08x", k, x, y);
      expect_equal(what, out[i * kWordFunctions + k], expected[k]);
    }
  }
}

// --- conversions and directed roundings
// -------------------------------------------------------------------------------
__global__ void roundings(const double* in, double* out) {
  const double x = in[0], y = in[1];
  const float f = static_cast<float>(x), g = static_cast<float>(y);
  int k = 0;
  out[k++] = __dadd_ru(x, y) - __dadd_rd(x, y);  // one unit in the last place where the sum is inexact
  out[k++] = __dmul_rz(x, -y) + __dmul_rd(x, y);
  out[k++] = __fdiv_ru(f, g) > __fdiv_rd(f, g);
  out[k++] = __fsqrt_ru(g) > __fsqrt_rd(g);
  out[k++] =
      __float2int_rn(2.5f) + 10 * __float2int_ru(2.1f) + 100 * __float2int_rd(2.9f) + 1000 * __float2int_rz(-2.9f);
  out[k++] = __double2int_rn(-2.5) + 10 * __double2int_ru(-2.1) + 100 * __double2int_rd(-2.9);
  out[k++] = static_cast<double>(__int2float_rz(0x7fffffff)) + __int2float_ru(0x7fffffff) * 0.5f;
  out[k++] = __double2float_ru(1.0 + 1e-12) > 1.0f;
  out[k++] = __double2float_rd(1.0 - 1e-12) < 1.0f;
  out[k++] = __saturatef(1.5f) + __saturatef(-3.0f) + __saturatef(0.25f);
  out[k++] = __fmaf_rn(f, g, -__fmul_rn(f, g)) != 0.0f;
  out[k++] = static_cast<double>(__double2ull_rz(1e19)) + static_cast<double>(__float2uint_rn(-5.0f));
  out[k++] = fdividef(6.0f, 3.0f) + __frcp_rn(4.0f) + __frsqrt_rn(4.0f);
}

void check_roundings() {
  Mirror<double> in(2), out(13);
  in[0] = 1.0 / 3.0;
  in[1] = 1e-3;
  in.send();
  roundings<<<1, 1>>>(in.device, out.device);
  out.fetch();
  const double expected[13] = {
      0x1p-54, 0.0, 1, 1, 2 + 30 + 200 - 2000, -2 - 20 - 300, 0x1.fffffep30 + 0x1p30, 1, 1, 1.25, 1, 1e19, 2.75};
  for (int k = 0; k < 13; ++k) {
    char what[32];
    std::snprintf(what, sizeof what, "rounding %d", k);
    if (k == 1) {
      if (!(out[k] < 0 || out[k] == 0)) expect_equal(what, out[k], 0.0);
      continue;
    }
    expect_equal(what, out[k], expected[k]);
  }
}

// --- votes, shuffles, matches
// -------------------------------------------------------------------------------------------
__global__ void warp_functions(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned* r = out + lane * 12;
  *r++ = __ballot_sync(0xffffffffu, lane % 3 == 0);
  *r++ = __any_sync(0xffffffffu, lane == 5) * 2 + __all_sync(0xffffffffu, lane < 32);
  *r++ = __shfl_sync(0xffffffffu, lane * 2, 7, 16);
  *r++ = __shfl_up_sync(0xffffffffu, lane, 3);
  *r++ = __shfl_down_sync(0xffffffffu, lane, 3, 8);
  *r++ = __shfl_xor_sync(0xffffffffu, lane, 9);
  *r++ = static_cast<unsigned>(__shfl_sync(0xffffffffu, lane * 1e10, 31) / 1e10);
  *r++ = static_cast<unsigned>(__shfl_xor_sync(0xffffffffu, static_cast<unsigned long long>(lane) << 40, 1) >> 40);
  *r++ = __match_any_sync(0xffffffffu, lane / 8);
  *r++ = __match_any_sync(0xffffffffu, static_cast<double>(lane % 2));
  int agreed = 7;
  const unsigned same = __match_all_sync(0xffffffffu, 42ll, &agreed);
  *r++ = same ^ static_cast<unsigned>(agreed);
  *r++ = __match_all_sync(0xffffffffu, lane, &agreed) + 2 * agreed + __activemask();
}

void check_warp_functions() {
  Mirror<unsigned> out(32 * 12);
  warp_functions<<<1, 32>>>(out.device);
  out.fetch();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned expected[12] = {0x49249249u,
                                   3,
                                   2 * (lane / 16 * 16 + 7),
                                   lane < 3 ? lane : lane - 3,
                                   lane % 8 + 3 < 8 ? lane + 3 : lane,
                                   lane ^ 9,
                                   31,
                                   lane ^ 1,
                                   0xffu << (lane / 8 * 8),
                                   lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau,
                                   0xfffffffeu,
                                   0xffffffffu};
    for (int k = 0; k < 12; ++k) {
      char what[48];
      std::snprintf(what, sizeof what, "warp function %d of lane %u", k, lane);
      expect_equal(what, out[lane * 12 + k], expected[k]);
    }
  }
}

// --- atomics
// --------------------------------------------------------------------------------------------------------------
struct Totals {
  int sum, difference, lowest, highest, all, any, parity;
  unsigned wrapped_up, wrapped_down, swapped;
  unsigned long long wide, wide_highest;
  long long signed_lowest;
  float single;
  double twice, doubled_by_cas;
  unsigned short halves[2];
};

__global__ void atomics(Totals* t) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  atomicAdd(&t->sum, i);
  atomicSub(&t->difference, i);
  atomicMin(&t->lowest, -i);
  atomicMax_block(&t->highest, i);
  atomicAnd(&t->all, ~(1 << (i & 7)));
  atomicOr(&t->any, 1 << (i & 15));
  atomicXor(&t->parity, i);
  atomicInc(&t->wrapped_up, 99);
  atomicDec(&t->wrapped_down, 99);
  atomicExch(&t->swapped, 77u);
  atomicAdd_system(&t->wide, 1ull << 33);
  atomicMax(&t->wide_highest, static_cast<unsigned long long>(i) << 40);
  atomicMin(&t->signed_lowest, -(static_cast<long long>(i) << 40));
  atomicAdd(&t->single, 0.5f);
  atomicAdd(&t->twice, 0.25);
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(&t->doubled_by_cas);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    old =
        atomicCAS(bits, seen, static_cast<unsigned long long>(__double_as_longlong(__longlong_as_double(seen) + 1.0)));
  } while (old != seen);
  unsigned short short_old = t->halves[1], short_seen;
  do {
    short_seen = short_old;
    short_old = atomicCAS(&t->halves[1], short_seen, static_cast<unsigned short>(short_seen + 1));
  } while (short_old != short_seen);
}

void check_atomics() {
  Mirror<Totals> t(1);
  std::memset(t.host.data(), 0, sizeof(Totals));
  t[0].all = 0xfff;
  t[0].halves[0] = 0x1234;
  t.send();
  atomics<<<4, 64>>>(t.device);
  t.fetch();
  const Totals& got = t[0];
  expect_equal("atomicAdd", got.sum, 255 * 128);
  expect_equal("atomicSub", got.difference, -255 * 128);
  expect_equal("atomicMin", got.lowest, -255);
  expect_equal("atomicMax_block", got.highest, 255);
  expect_equal("atomicAnd", got.all, 0xf00);
  expect_equal("atomicOr", got.any, 0xffff);
  expect_equal("atomicXor", got.parity, 0);
  expect_equal("atomicInc", got.wrapped_up, 256 % 100);
  expect_equal("atomicDec", got.wrapped_down, 300 - 256);
  expect_equal("atomicExch", got.swapped, 77);
  expect_equal("atomicAdd of 64 bits", got.wide, 256ull << 33);
  expect_equal("atomicMax of 64 bits", got.wide_highest, 255ull << 40);
  expect_equal("atomicMin of 64 bits", got.signed_lowest, -(255ll << 40));
  expect_equal("atomicAdd of float", got.single, 128.0);
  expect_equal("atomicAdd of double", got.twice, 64.0);
  expect_equal("atomicCAS of 64 bits", got.doubled_by_cas, 256.0);
  expect_equal("atomicCAS of 16 bits", got.halves[1], 256);
  expect_equal("the neighbour of 16 bits", got.halves[0], 0x1234);
}

// --- memory, managed and constant variables
// ---------------------------------------------------------------------------------
__constant__ float4 constants[4];
__device__ int counters[4] = {1, 2, 3, 4};
__managed__ int shared_with_host = 5;

__global__ void memory_functions(const float4* in, float4* out, const short* shorts, int* numbers) {
  __shared__ int box[4];
  box[threadIdx.x] = counters[threadIdx.x];
  const float4 a = __ldg(in + threadIdx.x), b = __ldcg(in + threadIdx.x), c = constants[threadIdx.x];
  __stcs(out + threadIdx.x, make_float4(a.x + c.x, b.y + c.y, a.z, __ldcv(&in[threadIdx.x].w)));
  numbers[threadIdx.x] = __ldg(shorts + threadIdx.x) + (__isShared(box) ? 100 : 0) + (__isGlobal(out) ? 1000 : 0) +
                         (__isLocal(out) ? 10000 : 0) + box[3 - threadIdx.x] + shared_with_host;
  if (threadIdx.x == 0) shared_with_host = 50;
}

void check_memory_functions() {
  Mirror<float4> in(4), out(4);
  Mirror<short> shorts(4);
  Mirror<int> numbers(4);
  float4 host_constants[4];
  for (int i = 0; i < 4; ++i) {
    const float f = static_cast<float>(i);
    in[i] = make_float4(f, 2 * f, 3 * f, 4 * f);
    host_constants[i] = make_float4(10 * f, 20 * f, 0, 0);
    shorts[i] = static_cast<short>(-i);
  }
  in.send();
  shorts.send();
  cudaMemcpyToSymbol(constants, host_constants, sizeof host_constants);
  shared_with_host += 2;
  memory_functions<<<1, 4>>>(in.device, out.device, shorts.device, numbers.device);
  out.fetch();
  numbers.fetch();
  for (int i = 0; i < 4; ++i) {
    expect_equal("x", out[i].x, 11.0f * i);
    expect_equal("y", out[i].y, 22.0f * i);
    expect_equal("z", out[i].z, 3.0f * i);
    expect_equal("w", out[i].w, 4.0f * i);
    expect_equal("numbers", numbers[i], -i + 1100 + (4 - i) + 7);
  }
  expect_equal("a managed variable the device wrote", shared_with_host, 50);
}

int main() {
  check_words();
  check_roundings();
  check_warp_functions();
  check_atomics();
  check_memory_functions();
  return finish();
}
