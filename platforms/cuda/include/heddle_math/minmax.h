// SPDX-License-Identifier: Apache-2.0
// CUDA's global min() and max() for every pair of arithmetic types, on host and device, and their older typed names.
#pragma once

#include "../heddle_device/macros.h"

#define HEDDLE_MIN_MAX(result, left, right)                              \
  HEDDLE_BOTH result min(left x, right y) {                              \
    const result a = static_cast<result>(x), b = static_cast<result>(y); \
    return b < a ? b : a;                                                \
  }                                                                      \
  HEDDLE_BOTH result max(left x, right y) {                              \
    const result a = static_cast<result>(x), b = static_cast<result>(y); \
    return a < b ? b : a;                                                \
  }
#define HEDDLE_MIN_MAX_SIGNS(s, u) \
  HEDDLE_MIN_MAX(s, s, s)          \
  HEDDLE_MIN_MAX(u, u, u)          \
  HEDDLE_MIN_MAX(u, s, u)          \
  HEDDLE_MIN_MAX(u, u, s)
HEDDLE_MIN_MAX_SIGNS(int, unsigned int)
HEDDLE_MIN_MAX_SIGNS(long, unsigned long)
HEDDLE_MIN_MAX_SIGNS(long long, unsigned long long)
#undef HEDDLE_MIN_MAX_SIGNS
#undef HEDDLE_MIN_MAX

// The floating-point forms ignore a single NaN operand.
HEDDLE_BOTH float min(float x, float y) { return __builtin_fminf(x, y); }
HEDDLE_BOTH float max(float x, float y) { return __builtin_fmaxf(x, y); }
HEDDLE_BOTH double min(double x, double y) { return __builtin_fmin(x, y); }
HEDDLE_BOTH double max(double x, double y) { return __builtin_fmax(x, y); }
HEDDLE_BOTH double min(float x, double y) { return __builtin_fmin(x, y); }
HEDDLE_BOTH double max(float x, double y) { return __builtin_fmax(x, y); }
HEDDLE_BOTH double min(double x, float y) { return __builtin_fmin(x, y); }
HEDDLE_BOTH double max(double x, float y) { return __builtin_fmax(x, y); }

HEDDLE_BOTH unsigned int umin(unsigned int x, unsigned int y) { return min(x, y); }
HEDDLE_BOTH unsigned int umax(unsigned int x, unsigned int y) { return max(x, y); }
HEDDLE_BOTH long long llmin(long long x, long long y) { return min(x, y); }
HEDDLE_BOTH long long llmax(long long x, long long y) { return max(x, y); }
HEDDLE_BOTH unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
HEDDLE_BOTH unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }
