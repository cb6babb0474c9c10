// SPDX-License-Identifier: Apache-2.0
// Declares the device functions of the math API. Must precede all host-library headers: an existing device declaration
// keeps libstdc++'s constexpr function with the same signature a host function, and the templates of <cmath> find it on
// the device.
#pragma once

#include "../heddle_device/macros.h"
#include "names.h"

// Definitions exist only in the device pass (define.h).
#if defined(__CUDA_ARCH__)
#define HEDDLE_MATH_API HEDDLE_DEVICE
#else
#define HEDDLE_MATH_API __attribute__((device))
#endif

namespace heddle_math {
// Maps integer arguments to the double functions, like <cmath>.
template <class T, class R>
struct IfInteger {};
#define HEDDLE_INTEGER(type)  \
  template <class R>          \
  struct IfInteger<type, R> { \
    typedef R Result;         \
  };
HEDDLE_INTEGER(bool)
HEDDLE_INTEGER(char)
HEDDLE_INTEGER(signed char)
HEDDLE_INTEGER(unsigned char)
HEDDLE_INTEGER(short)
HEDDLE_INTEGER(unsigned short)
HEDDLE_INTEGER(int)
HEDDLE_INTEGER(unsigned int)
HEDDLE_INTEGER(long)
HEDDLE_INTEGER(unsigned long)
HEDDLE_INTEGER(long long)
HEDDLE_INTEGER(unsigned long long)
#undef HEDDLE_INTEGER
}  // namespace heddle_math

#define HEDDLE_DECLARE_UNARY(name)        \
  HEDDLE_MATH_API double name(double x);  \
  HEDDLE_MATH_API float name##f(float x); \
  HEDDLE_MATH_API float name(float x);
#define HEDDLE_DECLARE_UNARY_STD(name)                                         \
  HEDDLE_DECLARE_UNARY(name)                                                   \
  template <class T>                                                           \
  HEDDLE_DEVICE typename heddle_math::IfInteger<T, double>::Result name(T x) { \
    return name(static_cast<double>(x));                                       \
  }
#define HEDDLE_DECLARE_BINARY(name)                \
  HEDDLE_MATH_API double name(double x, double y); \
  HEDDLE_MATH_API float name##f(float x, float y); \
  HEDDLE_MATH_API float name(float x, float y);
#define HEDDLE_DECLARE_TO_INTEGER(result, name) \
  HEDDLE_MATH_API result name(double x);        \
  HEDDLE_MATH_API result name##f(float x);      \
  HEDDLE_MATH_API result name(float x);

HEDDLE_MATH_UNARY_STD(HEDDLE_DECLARE_UNARY_STD)
HEDDLE_MATH_UNARY_CUDA(HEDDLE_DECLARE_UNARY)
HEDDLE_MATH_UNARY_LIBC(HEDDLE_DECLARE_UNARY)
HEDDLE_MATH_BINARY_STD(HEDDLE_DECLARE_BINARY)
HEDDLE_MATH_BINARY_CUDA(HEDDLE_DECLARE_BINARY)
HEDDLE_MATH_TO_INTEGER_STD(HEDDLE_DECLARE_TO_INTEGER)

#define HEDDLE_DECLARE_OTHERS(T, f)                          \
  HEDDLE_MATH_API T fabs##f(T x);                            \
  HEDDLE_MATH_API T fma##f(T x, T y, T z);                   \
  HEDDLE_MATH_API T frexp##f(T x, int* exponent);            \
  HEDDLE_MATH_API T modf##f(T x, T* whole);                  \
  HEDDLE_MATH_API T ldexp##f(T x, int n);                    \
  HEDDLE_MATH_API T scalbn##f(T x, int n);                   \
  HEDDLE_MATH_API T scalbln##f(T x, long n);                 \
  HEDDLE_MATH_API T remquo##f(T x, T y, int* quotient);      \
  HEDDLE_MATH_API T nan##f(const char* tag);                 \
  HEDDLE_MATH_API T jn##f(int n, T x);                       \
  HEDDLE_MATH_API T yn##f(int n, T x);                       \
  HEDDLE_MATH_API void sincos##f(T x, T* sine, T* cosine);   \
  HEDDLE_MATH_API void sincospi##f(T x, T* sine, T* cosine); \
  HEDDLE_MATH_API T norm3d##f(T x, T y, T z);                \
  HEDDLE_MATH_API T rnorm3d##f(T x, T y, T z);               \
  HEDDLE_MATH_API T norm4d##f(T x, T y, T z, T w);           \
  HEDDLE_MATH_API T rnorm4d##f(T x, T y, T z, T w);          \
  HEDDLE_MATH_API T norm##f(int count, const T* x);          \
  HEDDLE_MATH_API T rnorm##f(int count, const T* x);
HEDDLE_DECLARE_OTHERS(double, )
HEDDLE_DECLARE_OTHERS(float, f)
HEDDLE_MATH_API float fdividef(float x, float y);
HEDDLE_MATH_API float fabs(float x);
HEDDLE_MATH_API float fma(float x, float y, float z);
HEDDLE_MATH_API float frexp(float x, int* exponent);
HEDDLE_MATH_API float modf(float x, float* whole);
HEDDLE_MATH_API float ldexp(float x, int n);
HEDDLE_MATH_API float scalbn(float x, int n);
HEDDLE_MATH_API float scalbln(float x, long n);
HEDDLE_MATH_API float remquo(float x, float y, int* quotient);
HEDDLE_MATH_API float jn(int n, float x);
HEDDLE_MATH_API float yn(int n, float x);
HEDDLE_MATH_API void sincos(float x, float* sine, float* cosine);
HEDDLE_MATH_API void sincospi(float x, float* sine, float* cosine);
HEDDLE_MATH_API double pow(double x, int n);
HEDDLE_MATH_API double pow(float x, double y);
HEDDLE_MATH_API double pow(double x, float y);
HEDDLE_MATH_API double pow(float x, int n);
HEDDLE_MATH_API int abs(int x);
HEDDLE_MATH_API long abs(long x);
HEDDLE_MATH_API long long abs(long long x);
HEDDLE_MATH_API float abs(float x);
HEDDLE_MATH_API double abs(double x);
HEDDLE_MATH_API long labs(long x);
HEDDLE_MATH_API long long llabs(long long x);

namespace std {
#define HEDDLE_USING(name) using ::name;
#define HEDDLE_USING_WITH_FLOAT(name) \
  using ::name;                       \
  using ::name##f;
#define HEDDLE_USING_TO_INTEGER(result, name) \
  using ::name;                               \
  using ::name##f;
HEDDLE_MATH_UNARY_STD(HEDDLE_USING_WITH_FLOAT)
HEDDLE_MATH_BINARY_STD(HEDDLE_USING_WITH_FLOAT)
HEDDLE_MATH_TO_INTEGER_STD(HEDDLE_USING_TO_INTEGER)
using ::abs;
using ::fabs;
using ::fabsf;
using ::fma;
using ::fmaf;
using ::frexp;
using ::frexpf;
using ::labs;
using ::ldexp;
using ::ldexpf;
using ::llabs;
using ::modf;
using ::modff;
using ::nan;
using ::nanf;
using ::remquo;
using ::remquof;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
#undef HEDDLE_USING_TO_INTEGER
#undef HEDDLE_USING_WITH_FLOAT
#undef HEDDLE_USING
}  // namespace std

#undef HEDDLE_DECLARE_OTHERS
#undef HEDDLE_DECLARE_TO_INTEGER
#undef HEDDLE_DECLARE_BINARY
#undef HEDDLE_DECLARE_UNARY_STD
#undef HEDDLE_DECLARE_UNARY
