// SPDX-License-Identifier: Apache-2.0
// Conversions and arithmetic of __half, __nv_bfloat16 and the 8-bit types, on device and host, against a search among
// all values: every code if there are at most 65,536, otherwise the neighbourhood of every tie.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <random>

#include "check.h"
#include "narrow_format.h"

namespace {

const NarrowFormat kHalf(5, 10, 0x7bff, 0x7c00), kBrain(8, 7, 0x7f7f, 0x7f80), kE4M3(4, 3, 0x7e, 0x7f),
    kE5M2(5, 2, 0x7b, 0x7c);

template <class In, class F>
__global__ void apply(const In* in, long long* out, int count, F f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = f(in[i]);
}

// f on the device and on the host against `reference`, for every input.
template <class In, class F, class Reference>
void sweep(const char* name, const std::vector<In>& inputs, F f, Reference reference) {
  Mirror<In> in(inputs.size());
  Mirror<long long> out(inputs.size());
  in.host = inputs;
  in.send();
  const int count = static_cast<int>(inputs.size());
  apply<<<(count + 255) / 256, 256>>>(in.device, out.device, count, f);
  out.fetch();
  int reported = 0;
  for (int i = 0; i < count && reported < 3; ++i) {
    const long long expected = static_cast<long long>(reference(inputs[i])), here = f(inputs[i]);
    if (out[i] == expected && here == expected) continue;
    ++failures();
    ++reported;
    std::printf("%s of %.17g: device %llx, host %llx instead of %llx\n", name, static_cast<double>(inputs[i]), out[i],
                here, expected);
  }
}

std::vector<unsigned> every_code(int bits) {
  std::vector<unsigned> codes(1u << bits);
  for (unsigned i = 0; i < codes.size(); ++i) codes[i] = i;
  return codes;
}

// Every number of a format, the ties between neighbours, and the values of T next to both.
template <class T>
std::vector<T> around_ties(const NarrowFormat& format) {
  std::vector<T> values{static_cast<T>(INFINITY), static_cast<T>(-INFINITY), static_cast<T>(NAN), static_cast<T>(3e38),
                        static_cast<T>(1e-45)};
  const T outward = static_cast<T>(INFINITY);
  for (unsigned code = 0; code <= format.highest(); ++code) {
    const T low = static_cast<T>(format.value(code));
    const T step = code == 0 ? static_cast<T>(format.value(1)) : low - static_cast<T>(format.value(code - 1));
    for (const T v : {low, low + step / 2}) {  // above the highest: the tie to the next value
      for (const T near : {v, std::nextafter(v, outward), std::nextafter(v, -outward)}) {
        values.push_back(near);
        values.push_back(-near);
      }
    }
  }
  return values;
}

template <class T>
std::vector<T> integers() {
  std::vector<T> values{0, 1, static_cast<T>(-1)};
  std::mt19937_64 random(5);
  for (int bit = 1; bit < static_cast<int>(sizeof(T)) * 8; ++bit) {
    const T power = static_cast<T>(1ull << bit);
    for (int low = 0; low < bit; ++low) {
      const T bits = static_cast<T>(1ull << low);
      for (const T v : {static_cast<T>(power + bits), static_cast<T>(power - bits), static_cast<T>(power + bits + 1),
                        static_cast<T>(power + bits - 1), static_cast<T>(power | (random() & (power - 1)))}) {
        values.push_back(v);
        values.push_back(static_cast<T>(-v));
      }
    }
  }
  return values;
}

#define BOTH [=] __host__ __device__
#define HALF_BITS(x) static_cast<long long>(__half_as_ushort(x))
#define BRAIN_BITS(x) static_cast<long long>(__bfloat16_as_ushort(x))

#define WIDE(format, from_code, name, bits_of)                                 \
  sweep(                                                                       \
      #name " to float", every_code(16),                                       \
      BOTH(unsigned code)->long long {                                         \
        const float f = from_code(static_cast<unsigned short>(code));          \
        return f != f ? -1 : static_cast<long long>(heddle_small::bits_of(f)); \
      },                                                                       \
      [](unsigned code) {                                                      \
        const float f = static_cast<float>(format.value(code));                \
        return f != f ? -1 : static_cast<long long>(heddle_small::bits_of(f)); \
      });
#define TO_INTEGER(format, as, function, type, digits, is_signed, round)                       \
  sweep(                                                                                       \
      #function, every_code(16),                                                               \
      BOTH(unsigned code)->long long { return static_cast<long long>(function(as(code))); },   \
      [](unsigned code) {                                                                      \
        return static_cast<long long>(                                                         \
            static_cast<type>(to_whole(format.value(code), Round::round, digits, is_signed))); \
      });
#define TO_INTEGERS(format, as, prefix, name, type, digits, is_signed)           \
  TO_INTEGER(format, as, prefix##2##name##_rn, type, digits, is_signed, nearest) \
  TO_INTEGER(format, as, prefix##2##name##_rz, type, digits, is_signed, zero)    \
  TO_INTEGER(format, as, prefix##2##name##_ru, type, digits, is_signed, up)      \
  TO_INTEGER(format, as, prefix##2##name##_rd, type, digits, is_signed, down)
#define ROUND(format, bits, function, type, values, round)                      \
  sweep(                                                                        \
      #function, values, BOTH(type x)->long long { return bits(function(x)); }, \
      [](type x) { return format.code(static_cast<long double>(x), Round::round); });
#define ROUNDS(format, bits, prefix, type, values)        \
  ROUND(format, bits, prefix##_rn, type, values, nearest) \
  ROUND(format, bits, prefix##_rz, type, values, zero)    \
  ROUND(format, bits, prefix##_ru, type, values, up)      \
  ROUND(format, bits, prefix##_rd, type, values, down)
#define AS_HALF(code) __ushort_as_half(static_cast<unsigned short>(code))
#define AS_BRAIN(code) __ushort_as_bfloat16(static_cast<unsigned short>(code))

void check_half_conversions() {
  WIDE(kHalf, AS_HALF, half, bits_of)
  TO_INTEGERS(kHalf, AS_HALF, __half, int, int, 31, true)
  TO_INTEGERS(kHalf, AS_HALF, __half, uint, unsigned, 32, false)
  TO_INTEGERS(kHalf, AS_HALF, __half, short, short, 15, true)
  TO_INTEGERS(kHalf, AS_HALF, __half, ushort, unsigned short, 16, false)
  TO_INTEGERS(kHalf, AS_HALF, __half, ll, long long, 63, true)
  TO_INTEGERS(kHalf, AS_HALF, __half, ull, unsigned long long, 64, false)
  TO_INTEGER(kHalf, AS_HALF, __half2char_rz, signed char, 7, true, zero)
  TO_INTEGER(kHalf, AS_HALF, __half2uchar_rz, unsigned char, 8, false, zero)
  ROUNDS(kHalf, HALF_BITS, __float2half, float, around_ties<float>(kHalf))
  ROUND(kHalf, HALF_BITS, __double2half, double, around_ties<double>(kHalf), nearest)
  ROUNDS(kHalf, HALF_BITS, __int2half, int, integers<int>())
  ROUNDS(kHalf, HALF_BITS, __uint2half, unsigned, integers<unsigned>())
  ROUNDS(kHalf, HALF_BITS, __short2half, short, integers<short>())
  ROUNDS(kHalf, HALF_BITS, __ushort2half, unsigned short, integers<unsigned short>())
  ROUNDS(kHalf, HALF_BITS, __ll2half, long long, integers<long long>())
  ROUNDS(kHalf, HALF_BITS, __ull2half, unsigned long long, integers<unsigned long long>())
}

void check_brain_conversions() {
  WIDE(kBrain, AS_BRAIN, bfloat16, bits_of)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, int, int, 31, true)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, uint, unsigned, 32, false)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, short, short, 15, true)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, ushort, unsigned short, 16, false)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, ll, long long, 63, true)
  TO_INTEGERS(kBrain, AS_BRAIN, __bfloat16, ull, unsigned long long, 64, false)
  TO_INTEGER(kBrain, AS_BRAIN, __bfloat162char_rz, signed char, 7, true, zero)
  TO_INTEGER(kBrain, AS_BRAIN, __bfloat162uchar_rz, unsigned char, 8, false, zero)
  ROUNDS(kBrain, BRAIN_BITS, __float2bfloat16, float, around_ties<float>(kBrain))
  ROUND(kBrain, BRAIN_BITS, __double2bfloat16, double, around_ties<double>(kBrain), nearest)
  ROUNDS(kBrain, BRAIN_BITS, __int2bfloat16, int, integers<int>())
  ROUNDS(kBrain, BRAIN_BITS, __uint2bfloat16, unsigned, integers<unsigned>())
  ROUNDS(kBrain, BRAIN_BITS, __short2bfloat16, short, integers<short>())
  ROUNDS(kBrain, BRAIN_BITS, __ushort2bfloat16, unsigned short, integers<unsigned short>())
  ROUNDS(kBrain, BRAIN_BITS, __ll2bfloat16, long long, integers<long long>())
  ROUNDS(kBrain, BRAIN_BITS, __ull2bfloat16, unsigned long long, integers<unsigned long long>())
}

#define EIGHT(format, kind, limit)                                                                             \
  sweep(                                                                                                       \
      "half to " #kind, every_code(16),                                                                        \
      BOTH(unsigned code)->long long {                                                                         \
        return __nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(AS_HALF(code)), limit, kind);                   \
      },                                                                                                       \
      [](unsigned code) { return format.code(kHalf.value(code), Round::nearest, limit == __NV_SATFINITE); });  \
  sweep(                                                                                                       \
      "bfloat16 to " #kind, every_code(16),                                                                    \
      BOTH(unsigned code)->long long {                                                                         \
        return __nv_cvt_bfloat16raw_to_fp8(static_cast<__nv_bfloat16_raw>(AS_BRAIN(code)), limit, kind);       \
      },                                                                                                       \
      [](unsigned code) { return format.code(kBrain.value(code), Round::nearest, limit == __NV_SATFINITE); }); \
  sweep(                                                                                                       \
      "float to " #kind, around_ties<float>(format),                                                           \
      BOTH(float x)->long long { return __nv_cvt_float_to_fp8(x, limit, kind); },                              \
      [](float x) { return format.code(x, Round::nearest, limit == __NV_SATFINITE); });                        \
  sweep(                                                                                                       \
      "double to " #kind, around_ties<double>(format),                                                         \
      BOTH(double x)->long long { return __nv_cvt_double_to_fp8(x, limit, kind); },                            \
      [](double x) { return format.code(x, Round::nearest, limit == __NV_SATFINITE); });

void check_eight_bits() {
  EIGHT(kE4M3, __NV_E4M3, __NV_SATFINITE)
  EIGHT(kE4M3, __NV_E4M3, __NV_NOSAT)
  EIGHT(kE5M2, __NV_E5M2, __NV_SATFINITE)
  EIGHT(kE5M2, __NV_E5M2, __NV_NOSAT)
  const auto bits = [](double v) { return kHalf.code(v); };
  sweep(
      "E4M3 to half", every_code(8),
      BOTH(unsigned c)->long long { return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(c), __NV_E4M3).x; },
      [&](unsigned c) { return bits(kE4M3.value(c)); });
  sweep(
      "E5M2 to half", every_code(8),
      BOTH(unsigned c)->long long { return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(c), __NV_E5M2).x; },
      [&](unsigned c) { return bits(kE5M2.value(c)); });
  sweep(
      "int to __nv_fp8_e4m3", integers<int>(), BOTH(int x)->long long { return __nv_fp8_e4m3(x).__x; },
      [](int x) { return kE4M3.code(x, Round::nearest, true); });
  sweep(
      "__nv_fp8_e5m2 to int", every_code(8),
      BOTH(unsigned c)->long long {
        __nv_fp8_e5m2 x;
        x.__x = static_cast<__nv_fp8_storage_t>(c);
        return static_cast<int>(x);
      },
      [](unsigned c) { return to_whole(kE5M2.value(c), Round::zero, 31, true); });
  sweep(
      "four of __nv_fp8x4_e4m3", every_code(8),
      BOTH(unsigned c)->long long {
        const float x = static_cast<float>(c);
        return __nv_fp8x4_e4m3(make_float4(x, x + 1, -x, 2 * x)).__x;
      },
      [](unsigned c) {
        const auto code = [](double v) { return kE4M3.code(v, Round::nearest, true); };
        return code(c) | code(c + 1.0) << 8 | code(-static_cast<double>(c)) << 16 | code(2.0 * c) << 24;
      });
}

// Three 16-bit codes packed into one number.
std::vector<unsigned long long> operands(const NarrowFormat& format) {
  std::vector<unsigned long long> packed;
  std::mt19937_64 random(9);
  const unsigned special[] = {0,
                              format.sign_bit(),
                              1,
                              format.highest(),
                              format.highest() + 1,
                              format.nan(),
                              format.code(1.0L),
                              format.code(-1.0L)};
  for (const unsigned a : special) {
    for (const unsigned b : special) {
      for (const unsigned c : special)
        packed.push_back(a | static_cast<unsigned long long>(b) << 16 | static_cast<unsigned long long>(c) << 32);
    }
  }
  // Numbers whose exact results a long double holds.
  while (packed.size() < 20000) {
    unsigned long long word = 0;
    const int spread = packed.size() % 2 == 0 ? 3 : format.bits() == 16 && format.highest() == 0x7bff ? 8 : 15;
    for (int k = 0; k < 3; ++k) {
      const long double mantissa = 1 + static_cast<long double>(random() % 2048) / 2048;
      const long double v =
          std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, static_cast<int>(random() % (2 * spread + 1)) - spread);
      word |= static_cast<unsigned long long>(format.code(v)) << (16 * k);
    }
    packed.push_back(word);
  }
  // A product at a tie and a summand too small to change the sum in double precision.
  for (int k = 0; k < 256; ++k) {
    const long double m =
        1 + std::ldexp(static_cast<long double>(k % 8 * 2 + 1), -(format.highest() == 0x7bff ? 6 : 5));
    const long double c = std::ldexp(k % 16 < 8 ? 1.0L : -1.0L, -(k / 16));
    packed.push_back(format.code(m) | static_cast<unsigned long long>(format.code(m)) << 16 |
                     static_cast<unsigned long long>(format.code(c)) << 32);
  }
  return packed;
}

#define OPERATE(format, as, bits, text, expression, reference)                              \
  sweep(                                                                                    \
      #format " " text, operands(format),                                                   \
      BOTH(unsigned long long w)->long long {                                               \
        const auto a = as(w), b = as(w >> 16), c = as(w >> 32);                             \
        (void)b, (void)c;                                                                   \
        return bits(expression);                                                            \
      },                                                                                    \
      [](unsigned long long w) {                                                            \
        const long double a = format.value(w & 0xffff), b = format.value(w >> 16 & 0xffff), \
                          c = format.value(w >> 32 & 0xffff);                               \
        (void)b, (void)c;                                                                   \
        return static_cast<long long>(reference);                                           \
      });
long double clamped(long double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
long double larger(long double a, long double b) {
  return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
long double smaller(long double a, long double b) { return -larger(-a, -b); }
#define OPERATIONS(format, as, bits)                                                                                 \
  OPERATE(format, as, bits, "sum", __hadd(a, b), format.code(a + b))                                                 \
  OPERATE(format, as, bits, "difference", __hsub(a, b), format.code(a - b))                                          \
  OPERATE(format, as, bits, "product", __hmul(a, b), format.code(a* b))                                              \
  OPERATE(format, as, bits, "quotient", __hdiv(a, b), format.code(a / b))                                            \
  OPERATE(format, as, bits, "fused product", __hfma(a, b, c), format.code(a* b + c))                                 \
  OPERATE(format, as, bits, "saturated sum", __hadd_sat(a, b), format.code(clamped(a + b)))                          \
  OPERATE(format, as, bits, "saturated fused product", __hfma_sat(a, b, c), format.code(clamped(a* b + c)))          \
  OPERATE(format, as, bits, "rectified fused product", __hfma_relu(a, b, c),                                         \
          a* b + c != a * b + c ? format.code(a * b + c)                                                             \
                                : format.code(a * b + c < 0 ? 0 : a * b + c) & ~(a * b + c == 0 ? 0x8000u : 0u))     \
  OPERATE(format, as, bits, "larger", __hmax(a, b), format.code(larger(a, b)))                                       \
  OPERATE(format, as, bits, "smaller", __hmin(a, b), format.code(smaller(a, b)))                                     \
  OPERATE(format, as, bits, "larger or NaN", __hmax_nan(a, b), format.code(a != a || b != b ? a + b : larger(a, b))) \
  OPERATE(format, as, bits, "comparisons",                                                                           \
          as(__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 |               \
             __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 | __hgeu(a, b) << 9),      \
          (a == b) | (a < b || a > b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5 |           \
              !(a < b || a > b) << 6 | (a != b) << 7 | !(a >= b) << 8 | !(a < b) << 9)

}  // namespace

int main() {
  check_half_conversions();
  check_brain_conversions();
  check_eight_bits();
  OPERATIONS(kHalf, AS_HALF, HALF_BITS)
  OPERATIONS(kBrain, AS_BRAIN, BRAIN_BITS)
  return finish();
}
