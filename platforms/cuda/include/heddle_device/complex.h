// SPDX-License-Identifier: Apache-2.0
// Complex multiplication and division under the names the compiler calls (for std::complex). Infinite operands follow
// C11 annex G.
#pragma once

#include "../heddle_math/define.h"

#if defined(__CUDA_ARCH__)
namespace heddle_cuda {

template <class T>
struct ComplexValue {
  T re, im;
};

// An infinite component counts as 1, a finite one as 0, a NaN as 0, each with its sign.
template <class T>
HEDDLE_DEVICE T boxed(T x) {
  return heddle_math::copysign(heddle_math::is_infinite(x) ? T(1) : T(0), x);
}
template <class T>
HEDDLE_DEVICE T without_nan(T x) {
  return heddle_math::is_nan(x) ? heddle_math::copysign(T(0), x) : x;
}

template <class T>
HEDDLE_DEVICE ComplexValue<T> multiply_complex(T a, T b, T c, T d) {
  using heddle_math::is_infinite;
  using heddle_math::is_nan;
  const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  ComplexValue<T> z = {ac - bd, ad + bc};
  if (is_nan(z.re) && is_nan(z.im)) {
    bool recalculate = false;
    if (is_infinite(a) || is_infinite(b)) {
      a = boxed(a);
      b = boxed(b);
      c = without_nan(c);
      d = without_nan(d);
      recalculate = true;
    }
    if (is_infinite(c) || is_infinite(d)) {
      c = boxed(c);
      d = boxed(d);
      a = without_nan(a);
      b = without_nan(b);
      recalculate = true;
    }
    if (!recalculate && (is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc))) {
      a = without_nan(a);
      b = without_nan(b);
      c = without_nan(c);
      d = without_nan(d);
      recalculate = true;
    }
    if (recalculate) {
      z.re = heddle_math::infinity<T>() * (a * c - b * d);
      z.im = heddle_math::infinity<T>() * (a * d + b * c);
    }
  }
  return z;
}

// First scales the divisor by a power of two to near 1.
template <class T>
HEDDLE_DEVICE ComplexValue<T> divide_complex(T a, T b, T c, T d) {
  using heddle_math::abs;
  using heddle_math::is_infinite;
  using heddle_math::is_nan;
  T back;
  const T larger = heddle_math::fmax(abs(c), abs(d));
  const T scale = is_infinite(larger) ? T(1) : heddle_math::scale_to_one(larger, back);
  const T sc = c * scale, sd = d * scale;
  const T size = sc * sc + sd * sd;
  ComplexValue<T> z = {(a * sc + b * sd) / size * scale, (b * sc - a * sd) / size * scale};
  if (is_nan(z.re) && is_nan(z.im)) {
    if (size == T(0) && (!is_nan(a) || !is_nan(b))) {
      z.re = heddle_math::copysign(heddle_math::infinity<T>(), c) * a;
      z.im = heddle_math::copysign(heddle_math::infinity<T>(), c) * b;
    } else if ((is_infinite(a) || is_infinite(b)) && abs(c) < heddle_math::infinity<T>() &&
               abs(d) < heddle_math::infinity<T>()) {
      a = boxed(a);
      b = boxed(b);
      z.re = heddle_math::infinity<T>() * (a * c + b * d);
      z.im = heddle_math::infinity<T>() * (b * c - a * d);
    } else if (is_infinite(larger) && abs(a) < heddle_math::infinity<T>() && abs(b) < heddle_math::infinity<T>()) {
      c = boxed(c);
      d = boxed(d);
      z.re = T(0) * (a * c + b * d);
      z.im = T(0) * (b * c - a * d);
    }
  }
  return z;
}

}  // namespace heddle_cuda

#define HEDDLE_COMPLEX_BUILTIN(name, type, function)                                             \
  extern "C" inline __attribute__((device)) _Complex type name(type a, type b, type c, type d) { \
    const heddle_cuda::ComplexValue<type> z = heddle_cuda::function(a, b, c, d);                 \
    _Complex type result;                                                                        \
    __real__ result = z.re;                                                                      \
    __imag__ result = z.im;                                                                      \
    return result;                                                                               \
  }
HEDDLE_COMPLEX_BUILTIN(__mulsc3, float, multiply_complex)
HEDDLE_COMPLEX_BUILTIN(__muldc3, double, multiply_complex)
HEDDLE_COMPLEX_BUILTIN(__divsc3, float, divide_complex)
HEDDLE_COMPLEX_BUILTIN(__divdc3, double, divide_complex)
#undef HEDDLE_COMPLEX_BUILTIN
#endif
