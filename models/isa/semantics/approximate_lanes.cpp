// SPDX-License-Identifier: Apache-2.0
// The .approx functions: rcp, rsqrt, sqrt, div, ex2, lg2, sin, cos, tanh. Polynomials in double precision and IEEE
// operations only, so that results are bit-identical on every level and host. Error bounds: PTX ISA, floating-point
// instructions; docs/semantics.md gives the measured errors.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using U64 = std::uint64_t;

constexpr double kRoundToInteger =
    6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer, held in the low bits

/// 2^y. y: -1000 to 1000. Relative error below 2^-31.
HEDDLE_INLINE double power_of_two(double y) {
  const double shifted = y + kRoundToInteger;
  const double f = y - (shifted - kRoundToInteger);  // -0.5 to 0.5
  // Taylor terms of e^(f ln 2).
  double p = 1.3215486790144307e-06;
  p = p * f + 1.5252733804059838e-05;
  p = p * f + 1.5403530393381606e-04;
  p = p * f + 1.3333558146428443e-03;
  p = p * f + 9.6181291076284772e-03;
  p = p * f + 5.5504108664821576e-02;
  p = p * f + 2.4022650695910072e-01;
  p = p * f + 6.9314718055994531e-01;
  p = p * f + 1.0;
  const U64 scale = (bits_as<U64>(shifted) + 1023) << 52;
  return p * bits_as<double>(scale);
}

template <bool Ftz>
struct PowerOfTwo {
  HEDDLE_INLINE float operator()(float x) const {
    x = flush<Ftz>(x);
    const double wide = static_cast<double>(x);
    double y = wide > -200.0 ? wide : -200.0;
    y = y < 200.0 ? y : 200.0;
    const float r = static_cast<float>(power_of_two(y));
    return result_of(flush<Ftz>(is_nan(x) ? x : r));
  }
};

template <bool Ftz>
struct Logarithm {
  HEDDLE_INLINE float operator()(float x) const {
    x = flush<Ftz>(x);
    const U64 bits = bits_as<U64>(static_cast<double>(x));  // subnormal singles are normal here
    constexpr U64 kFraction = 0xfffffffffffff, kOne = 0x3ff0000000000000;
    double m = bits_as<double>((bits & kFraction) | kOne);
    const bool upper = m > 1.4142135623730951;
    m = upper ? m * 0.5 : m;
    constexpr U64 kIntegerTag = 0x4330000000000000;  // 2^52: an integer in the low bits of its mantissa
    const double exponent =
        bits_as<double>((bits >> 52 & 0x7ff) | kIntegerTag) - (4503599627370496.0 + 1023.0) + (upper ? 1.0 : 0.0);
    // log2(m) = 2 / ln 2 * artanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    double p = 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    p = p * q + 1.0;
    float r = static_cast<float>(exponent + 2.8853900817779268 * s * p);
    r = x < __builtin_inff() ? r : x;
    r = x < 0.0f ? bits_as<float>(FloatTraits<float>::kCanonicalNan) : r;
    r = x == 0.0f ? -__builtin_inff() : r;
    return result_of(flush<Ftz>(r));
  }
};

/// sin(2 pi t). t: -0.25 to 0.25. Absolute error below 2^-30.
HEDDLE_INLINE double sine_of_turn(double t) {
  const double u = t * 6.2831853071795865, q = u * u;
  double p = 1.6059043836821613e-10;  // Taylor, up to u^13
  p = p * q - 2.5052108385441720e-08;
  p = p * q + 2.7557319223985893e-06;
  p = p * q - 1.9841269841269841e-04;
  p = p * q + 8.3333333333333332e-03;
  p = p * q - 1.6666666666666666e-01;
  p = p * q + 1.0;
  return u * p;
}

/// The angle in turns, -0.5 to 0.5. Beyond 2^51 turns no phase bits remain: 0.
HEDDLE_INLINE double turn_of(float x) {
  const double turns = static_cast<double>(x) * 0.15915494309189535;
  const double rest = turns - ((turns + kRoundToInteger) - kRoundToInteger);
  return magnitude(turns) < 2251799813685248.0 ? rest : turns * 0.0;
}

template <bool Ftz>
struct Sine {
  HEDDLE_INLINE float operator()(float x) const {
    x = flush<Ftz>(x);
    const double t = turn_of(x);
    const double folded = magnitude(t) > 0.25 ? with_sign_of(0.5, t) - t : t;
    const float r = static_cast<float>(sine_of_turn(folded));
    return result_of(flush<Ftz>(magnitude(x) < __builtin_inff() ? r : x - x));
  }
};
template <bool Ftz>
struct Cosine {
  HEDDLE_INLINE float operator()(float x) const {
    x = flush<Ftz>(x);
    const float r = static_cast<float>(sine_of_turn(0.25 - magnitude(turn_of(x))));
    return result_of(flush<Ftz>(magnitude(x) < __builtin_inff() ? r : x - x));
  }
};

HEDDLE_INLINE double hyperbolic_tangent(double x) {
  const double a = magnitude(x);
  const double bounded = a < 24.0 ? a : 24.0;
  const double e = power_of_two(bounded * 2.8853900817779268);
  const double large = (e - 1.0) / (e + 1.0);
  const double small = a - a * a * a * (1.0 / 3.0);
  return with_sign_of(a < 0.0009765625 ? small : large, x);
}
struct HyperbolicTangent {
  HEDDLE_INLINE float operator()(float x) const {
    const float r = static_cast<float>(hyperbolic_tangent(static_cast<double>(x)));
    return result_of(is_nan(x) ? x : r);
  }
};

template <bool Ftz>
struct Reciprocal {
  HEDDLE_INLINE float operator()(float x) const { return result_of(flush<Ftz>(1.0f / flush<Ftz>(x))); }
};
template <bool Ftz>
struct SquareRoot {
  HEDDLE_INLINE float operator()(float x) const { return result_of(flush<Ftz>(__builtin_sqrtf(flush<Ftz>(x)))); }
};
template <bool Ftz>
struct ReciprocalSquareRoot {
  HEDDLE_INLINE float operator()(float x) const { return result_of(flush<Ftz>(1.0f / __builtin_sqrtf(flush<Ftz>(x)))); }
};
/// a * (1 / b), the reciprocal flushed: divisors above 2^126 give zero, or NaN for an infinite dividend.
template <bool Ftz>
struct Divide {
  HEDDLE_INLINE float operator()(float a, float b) const {
    const float reciprocal = flush<true>(1.0f / flush<Ftz>(b));
    return result_of(flush<Ftz>(flush<Ftz>(a) * reciprocal));
  }
};

/// Operands and results of the coarse f64 approximations have 20 mantissa bits.
HEDDLE_INLINE double upper_word(double x) { return bits_as<double>(bits_as<U64>(x) & 0xffffffff00000000); }
HEDDLE_INLINE double gross_result(double r) {
  return is_nan(r) ? bits_as<double>(U64{0x7fffffff00000000}) : flush<true>(upper_word(r));
}
struct GrossReciprocal {
  HEDDLE_INLINE double operator()(double x) const {
    return gross_result(is_nan(x) ? x : 1.0 / flush<true>(upper_word(x)));
  }
};
struct GrossReciprocalSquareRoot {
  HEDDLE_INLINE double operator()(double x) const {
    return gross_result(is_nan(x) ? x : 1.0 / __builtin_sqrt(flush<true>(upper_word(x))));
  }
};
struct DoubleReciprocalSquareRoot {
  HEDDLE_INLINE double operator()(double x) const { return result_of(1.0 / __builtin_sqrt(x), x); }
};

/// ex2 and tanh of a 16-bit value, computed in single precision and rounded.
template <typename Format, typename F>
struct OnHalf {
  HEDDLE_INLINE Half operator()(Half x) const { return narrow<Format, kNearest>(F{}(widen<Format>(x))); }
};
/// These operations flush bf16 subnormals.
template <typename F>
struct OnFlushedHalf {
  HEDDLE_INLINE Half operator()(Half x) const {
    return flush_half<true, BrainFloat16>(OnHalf<BrainFloat16, F>{}(flush_half<true, BrainFloat16>(x)));
  }
};
template <typename F>
struct OnPair {
  HEDDLE_INLINE std::uint32_t operator()(std::uint32_t x) const {
    const std::uint32_t low = F{}(Half{x & 0xffff}).bits;
    const std::uint32_t high = F{}(Half{x >> 16}).bits;
    return low | high << 16;
  }
};

template <bool Ftz>
LaneFunction find_single(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::rcp:
      return op.approximate ? lanes<Reciprocal<Ftz>, float, float> : nullptr;
    case Opcode::sqrt_:
      return op.approximate ? lanes<SquareRoot<Ftz>, float, float> : nullptr;
    case Opcode::div_:
      return op.approximate ? lanes<Divide<Ftz>, float, float, float> : nullptr;
    case Opcode::rsqrt:
      return lanes<ReciprocalSquareRoot<Ftz>, float, float>;
    case Opcode::ex2:
      return lanes<PowerOfTwo<Ftz>, float, float>;
    case Opcode::lg2:
      return lanes<Logarithm<Ftz>, float, float>;
    case Opcode::sin_:
      return lanes<Sine<Ftz>, float, float>;
    case Opcode::cos_:
      return lanes<Cosine<Ftz>, float, float>;
    case Opcode::tanh_:
      return lanes<HyperbolicTangent, float, float>;
    default:
      return nullptr;
  }
}

LaneFunction find_double(const MicroOp& op) {
  if (op.opcode == Opcode::rcp && op.approximate) return lanes<GrossReciprocal, double, double>;
  if (op.opcode != Opcode::rsqrt) return nullptr;
  return op.flush_to_zero ? lanes<GrossReciprocalSquareRoot, double, double>
                          : lanes<DoubleReciprocalSquareRoot, double, double>;
}

template <typename Exponential, typename Tangent>
LaneFunction find_half_function(Opcode opcode, bool pair) {
  using U = std::uint32_t;
  switch (opcode) {
    case Opcode::ex2:
      return pair ? lanes<OnPair<Exponential>, U, U> : lanes<Exponential, Half, Half>;
    case Opcode::tanh_:
      return pair ? lanes<OnPair<Tangent>, U, U> : lanes<Tangent, Half, Half>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFunction find_approximate(const MicroOp& op) {
  switch (op.type) {
    case DataType::f32:
      if (op.full_range) return nullptr;
      return op.flush_to_zero ? find_single<true>(op) : find_single<false>(op);
    case DataType::f64:
      return find_double(op);
    case DataType::f16:
    case DataType::f16x2:
      return find_half_function<OnHalf<Binary16, PowerOfTwo<false>>, OnHalf<Binary16, HyperbolicTangent>>(
          op.opcode, op.type == DataType::f16x2);
    case DataType::bf16:
    case DataType::bf16x2:
      return find_half_function<OnFlushedHalf<PowerOfTwo<false>>, OnHalf<BrainFloat16, HyperbolicTangent>>(
          op.opcode, op.type == DataType::bf16x2);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
