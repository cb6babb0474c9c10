// SPDX-License-Identifier: Apache-2.0
// The math library on the device against the host's library in long double.
#include <cmath>
#include <limits>
#include <random>

#include "check.h"

// name, reference, lowest and highest argument, bound in ulp for float and double
#define FUNCTIONS(X)                                  \
  X(acos, acosl(x), -1, 1, 3, 2)                      \
  X(acosh, acoshl(x), 1, 1e6, 4, 3)                   \
  X(asin, asinl(x), -1, 1, 4, 2)                      \
  X(asinh, asinhl(x), -50, 50, 3, 3)                  \
  X(atan, atanl(x), -50, 50, 2, 2)                    \
  X(atanh, atanhl(x), -0.99, 0.99, 3, 2)              \
  X(cbrt, cbrtl(x), -1e6, 1e6, 1, 1)                  \
  X(cos, cosl(x), -1e6, 1e6, 2, 2)                    \
  X(cosh, coshl(x), -80, 80, 2, 1)                    \
  X(erf, erfl(x), -4, 4, 2, 2)                        \
  X(erfc, erfcl(x), -4, 9, 4, 5)                      \
  X(erfcx, expl(x* x) * erfcl(x), -4, 6, 4, 4)        \
  X(exp, expl(x), -80, 80, 4, 1)                      \
  X(exp10, powl(10.0L, x), -30, 30, 4, 1)             \
  X(exp2, exp2l(x), -100, 100, 4, 1)                  \
  X(expm1, expm1l(x), -5, 5, 1, 1)                    \
  X(lgamma, lgammal(x), 0.1, 100, 6, 4)               \
  X(log, logl(x), 1e-6, 1e6, 1, 1)                    \
  X(log10, log10l(x), 1e-6, 1e6, 2, 1)                \
  X(log1p, log1pl(x), -0.99, 1e3, 1, 1)               \
  X(log2, log2l(x), 1e-6, 1e6, 1, 1)                  \
  X(normcdf, erfcl(-x* sqrtl(0.5L)) / 2, -6, 6, 5, 5) \
  X(rcbrt, 1 / cbrtl(x), 0.001, 1e6, 1, 1)            \
  X(rsqrt, 1 / sqrtl(x), 0.001, 1e6, 2, 1)            \
  X(sin, sinl(x), -1e6, 1e6, 2, 2)                    \
  X(sinh, sinhl(x), -80, 80, 3, 2)                    \
  X(sqrt, sqrtl(x), 0, 1e6, 0.5, 0.5)                 \
  X(tan, tanl(x), -1e6, 1e6, 4, 2)                    \
  X(tanh, tanhl(x), -20, 20, 2, 1)                    \
  X(tgamma, tgammal(x), 0.1, 30, 11, 10)

#define KERNELS(name, ...)                                                                             \
  __global__ void name##_double(const double* x, double* y) { y[threadIdx.x] = name(x[threadIdx.x]); } \
  __global__ void name##_float(const float* x, float* y) { y[threadIdx.x] = name##f(x[threadIdx.x]); }
FUNCTIONS(KERNELS)

__global__ void pow_double(const double* x, double* y) { y[threadIdx.x] = pow(x[threadIdx.x], 1.0 + x[threadIdx.x]); }
__global__ void pow_float(const float* x, float* y) { y[threadIdx.x] = powf(x[threadIdx.x], 1.0f + x[threadIdx.x]); }

template <class T>
double ulp(T got, long double expected) {
  int exponent;
  std::frexp(expected, &exponent);
  const long double unit =
      std::ldexp(1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) / unit);
}

constexpr int kThreads = 256;

template <class T, class Reference>
void compare(const char* name, void (*kernel)(const T*, T*), Reference reference, double low, double high,
             double bound) {
  std::mt19937_64 random(1);
  Mirror<T> x(kThreads), y(kThreads);
  for (T& v : x.host) v = static_cast<T>(low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53);
  x.send();
  kernel<<<1, kThreads>>>(x.device, y.device);
  y.fetch();
  for (int i = 0; i < kThreads; ++i) {
    const long double expected = reference(static_cast<long double>(x[i]));
    const double error = ulp(y[i], expected);
    if (error <= bound) continue;
    ++failures();
    std::printf("%s of %.9g in %zu bytes: %.17g is %.2f ulp from %.20Lg\n", name, static_cast<double>(x[i]), sizeof(T),
                static_cast<double>(y[i]), error, expected);
  }
}

int main() {
#define COMPARE(name, reference, low, high, single, twice)                                             \
  compare<float>(                                                                                      \
      #name, name##_float, [](long double x) -> long double { return reference; }, low, high, single); \
  compare<double>(                                                                                     \
      #name, name##_double, [](long double x) -> long double { return reference; }, low, high, twice);
  FUNCTIONS(COMPARE)
  compare<float>(
      "pow", pow_float, [](long double x) { return powl(x, 1.0f + static_cast<float>(x)); }, 0.01, 20, 8);
  compare<double>(
      "pow", pow_double, [](long double x) { return powl(x, 1.0 + static_cast<double>(x)); }, 0.01, 100, 2);
  return finish();
}
