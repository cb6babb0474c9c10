// SPDX-License-Identifier: Apache-2.0
// Bessel functions. Up to 8: polynomials with the zeros divided out; beyond: modulus and phase as functions of 1 / x^2.
#pragma once

#include "exponential.h"
#include "logarithm.h"
#include "trigonometric.h"

namespace heddle_math {

// The zeros below 8, each as the sum of two numbers.
template <class T>
struct BesselZero;
template <>
struct BesselZero<float> {
  static constexpr float j0_first_high = 2.40482545f, j0_first_low = 1.08705905e-7f;
  static constexpr float j0_second_high = 5.52007818f, j0_second_low = -7.19341458e-8f;
  static constexpr float j1_first_high = 3.83170605f, j1_first_low = -7.68505899e-8f;
  static constexpr float j1_second_high = 7.01558685f, j1_second_low = -1.83211725e-7f;
  static constexpr float y0_first_high = 0.89357698f, y0_first_low = -1.33579787e-8f;
  static constexpr float y0_second_high = 3.95767832f, y0_second_low = 1.01291178e-7f;
  static constexpr float y0_third_high = 7.08605099f, y0_third_low = 7.30581178e-8f;
  static constexpr float y1_first_high = 2.19714141f, y1_first_low = -8.28892723e-8f;
  static constexpr float y1_second_high = 5.42968082f, y1_second_low = 2.16514351e-7f;
};
template <>
struct BesselZero<double> {
  static constexpr double j0_first_high = 2.404825557695773, j0_first_low = -1.176691651530894e-16;
  static constexpr double j0_second_high = 5.520078110286311, j0_second_low = 8.088597146146722e-17;
  static constexpr double j1_first_high = 3.8317059702075125, j1_first_low = -1.5269184090088067e-16;
  static constexpr double j1_second_high = 7.015586669815619, j1_second_low = -9.414165653410389e-17;
  static constexpr double y0_first_high = 0.8935769662791675, y0_first_low = 2.6596231539720385e-17;
  static constexpr double y0_second_high = 3.957678419314858, y0_second_low = -1.0764340697562706e-16;
  static constexpr double y0_third_high = 7.086051060301773, y0_third_low = -8.835285723085408e-17;
  static constexpr double y1_first_high = 2.197141326031017, y1_first_low = -4.8259835876454966e-17;
  static constexpr double y1_second_high = 5.429681040794135, y1_second_low = 4.162514026670377e-16;
};

// x - zero, exact near the zero.
template <class T>
HEDDLE_MATH T from_zero(T x, T high, T low) {
  return (x - high) - low;
}
// x^2 - zero^2.
template <class T>
HEDDLE_MATH T square_from_zero(T x, T high, T low) {
  return from_zero(x, high, low) * (x + high);
}

// --- from 8 on
// ------------------------------------------------------------------------------------------------------------
template <class T>
HEDDLE_MATH T bessel_modulus(int order, T v) {
  return order == 0 ? bessel_modulus_0(v) : bessel_modulus_1(v);
}
template <class T>
HEDDLE_MATH T bessel_phase(int order, T v) {
  return order == 0 ? bessel_phase_0(v) : bessel_phase_1(v);
}

// J (quarter = 1) or Y (quarter = 0) of order 0 or 1: modulus times the cosine or sine of x + phase - (2 order + 1)
// pi/4.
template <class T>
HEDDLE_MATH T bessel_of_large(int order, int quarter, T x) {
  if (!(x < infinity<T>())) return is_nan(x) ? x : T(0);
  const T inverse = T(8) / x;
  const T v = inverse * inverse;
  int quadrant;
  const T quarter_turn = T(0.5) * Constant<T>::pi_over_2_high;
  T r = reduce_angle(x, quadrant);
  r += bessel_phase(order, v) / x + (order == 0 ? -quarter_turn : quarter_turn);  // order 1: -3 pi/4 = pi/4 - pi
  quadrant += quarter + (order == 0 ? 0 : 2);
  if (r > quarter_turn) {
    r -= Constant<T>::pi_over_2_high;
    ++quadrant;
  } else if (r < -quarter_turn) {
    r += Constant<T>::pi_over_2_high;
    --quadrant;
  }
  return Constant<T>::sqrt_two_over_pi / sqrt(x) * bessel_modulus(order, v) * sine_of_quadrant(r, quadrant);
}

// --- first kind
// -----------------------------------------------------------------------------------------------------------
template <class T>
HEDDLE_MATH T j0(T x) {
  typedef BesselZero<T> Zero;
  const T a = abs(x);
  if (!(a < T(8))) return bessel_of_large(0, 1, a);
  return square_from_zero(a, Zero::j0_first_high, Zero::j0_first_low) *
         square_from_zero(a, Zero::j0_second_high, Zero::j0_second_low) * j0_core(fma(a * T(-0.015625), a, T(1)));
}

template <class T>
HEDDLE_MATH T j1(T x) {
  typedef BesselZero<T> Zero;
  const T a = abs(x);
  T result;
  if (!(a < T(8))) {
    result = bessel_of_large(1, 1, a);
  } else {
    result =
        a * (square_from_zero(a, Zero::j1_first_high, Zero::j1_first_low) *
             square_from_zero(a, Zero::j1_second_high, Zero::j1_second_low) * j1_core(fma(a * T(-0.015625), a, T(1))));
  }
  return x < T(0) ? -result : result;
}

// --- second kind
// ---------------------------------------------------------------------------------------------------------- Near 0 the
// logarithm's part is apart. Y0 takes it relative to its first zero, where both parts vanish then.
template <class T>
HEDDLE_MATH T y0(T x) {
  typedef BesselZero<T> Zero;
  if (!(x > T(0))) return x == T(0) ? -infinity<T>() : quiet_nan<T>();
  if (x < T(2)) {
    const T t = x * x;
    const T d = from_zero(x, Zero::y0_first_high, Zero::y0_first_low);
    const T l = abs(d) < T(0.5) ? log1p(d / Zero::y0_first_high) : log(x / Zero::y0_first_high);
    return fma(Constant<T>::two_over_pi * l, j0_small(t), d * (x + Zero::y0_first_high) * y0_small(t));
  }
  if (x < T(3.25)) return y0_2(x - T(2.625));
  if (x < T(5.5)) return from_zero(x, Zero::y0_second_high, Zero::y0_second_low) * y0_3(x - T(4.375));
  if (x < T(8)) return from_zero(x, Zero::y0_third_high, Zero::y0_third_low) * y0_5(x - T(6.75));
  return bessel_of_large(0, 0, x);
}

template <class T>
HEDDLE_MATH T y1(T x) {
  typedef BesselZero<T> Zero;
  if (!(x > T(0))) return x == T(0) ? -infinity<T>() : quiet_nan<T>();
  if (x < T(1.5)) {
    const T t = x * x;
    const T pole = -Constant<T>::two_over_pi / x;
    return pole + x * fma(Constant<T>::two_over_pi * log(x), j1_small(t), y1_small(t));
  }
  if (x < T(3)) return from_zero(x, Zero::y1_first_high, Zero::y1_first_low) * y1_1(x - T(2.25));
  if (x < T(4.5)) return y1_3(x - T(3.75));
  if (x < T(8)) return from_zero(x, Zero::y1_second_high, Zero::y1_second_low) * y1_4(x - T(6.25));
  return bessel_of_large(1, 0, x);
}

// --- any order
// ------------------------------------------------------------------------------------------------------------ Upwards
// where that is stable (order below x), else downwards from an order where J is negligible, scaled by J0 + 2 J2 + 2 J4
// + ... = 1 (Miller's method).
template <class T>
HEDDLE_MATH T jn(int n, T x) {
  const bool negative = ((n & 1) != 0) && ((n < 0) != (x < T(0)));
  if (n < 0) n = -n;
  const T a = abs(x);
  T result;
  if (n == 0) {
    result = j0(a);
  } else if (n == 1) {
    result = j1(a);
  } else if (a == T(0)) {
    result = T(0);
  } else if (!(a <= static_cast<T>(n))) {
    T previous = j0(a);
    result = j1(a);
    const T twice = T(2) / a;
    for (int k = 1; k < n; ++k) {
      const T next = fma(static_cast<T>(k) * twice, result, -previous);
      previous = result;
      result = next;
    }
  } else {
    const T twice = T(2) / a;
    const T digits = sizeof(T) == 4 ? T(60) : T(200);
    int k = 2 * ((n + to_int(sqrt(digits * static_cast<T>(n)))) / 2);
    T next = T(0), value = T(1), sum_of_even = T(0);
    result = T(0);
    const T large = sizeof(T) == 4 ? T(1e10) : T(1e100);
    for (; k > 0; --k) {
      const T before = fma(static_cast<T>(k) * twice, value, -next);
      next = value;
      value = before;
      if (abs(value) > large) {
        const T scale = T(1) / large;
        value *= scale;
        next *= scale;
        result *= scale;
        sum_of_even *= scale;
      }
      if (k - 1 == n) result = value;
      if ((k & 1) != 0) sum_of_even += value;  // now of order k - 1
    }
    result /= fma(T(2), sum_of_even, -value);
  }
  return negative ? -result : result;
}

template <class T>
HEDDLE_MATH T yn(int n, T x) {
  const bool negative = n < 0 && (n & 1) != 0;
  if (n < 0) n = -n;
  T result;
  if (n == 0) {
    result = y0(x);
  } else if (n == 1 || !(x > T(0))) {
    result = y1(x);
  } else {
    T previous = y0(x);
    result = y1(x);
    const T twice = T(2) / x;
    for (int k = 1; k < n && result > -infinity<T>(); ++k) {
      const T next = fma(static_cast<T>(k) * twice, result, -previous);
      previous = result;
      result = next;
    }
  }
  return negative ? -result : result;
}

// --- modified, first kind: the exponential in halves, because it alone would overflow too soon
// -------------------------------
template <class T>
HEDDLE_MATH T bessel_i_of_large(T a, T scaled) {
  if (is_infinite(a)) return a;
  const T e = exp_of_sum(T(0.5) * a, T(0), 0);
  return e * (scaled / sqrt(a)) * e;
}

template <class T>
HEDDLE_MATH T cyl_bessel_i0(T x) {
  const T a = abs(x);
  return a < T(8) ? i0_small(a * a) : bessel_i_of_large(a, i0_large(T(8) / a));
}

template <class T>
HEDDLE_MATH T cyl_bessel_i1(T x) {
  const T a = abs(x);
  const T result = a < T(8) ? a * i1_small(a * a) : bessel_i_of_large(a, i1_large(T(8) / a));
  return x < T(0) ? -result : result;
}

}  // namespace heddle_math
