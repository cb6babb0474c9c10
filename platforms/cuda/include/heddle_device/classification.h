// SPDX-License-Identifier: Apache-2.0
// Floating-point classification under the names CUDA's libraries call. std::isnan and similar are constexpr
// host-library functions, which kernels may call too.
#pragma once

#include "macros.h"

#define HEDDLE_CLASSIFY(name, type, expression) \
  HEDDLE_DEVICE int name(type x) { return expression; }
HEDDLE_CLASSIFY(__isnan, double, __builtin_isnan(x))
HEDDLE_CLASSIFY(__isnanf, float, __builtin_isnan(x))
HEDDLE_CLASSIFY(__isinf, double, __builtin_isinf(x))
HEDDLE_CLASSIFY(__isinff, float, __builtin_isinf(x))
HEDDLE_CLASSIFY(__finite, double, __builtin_isfinite(x))
HEDDLE_CLASSIFY(__finitef, float, __builtin_isfinite(x))
HEDDLE_CLASSIFY(__signbitd, double, __builtin_signbit(x))
HEDDLE_CLASSIFY(__signbit, double, __builtin_signbit(x))
HEDDLE_CLASSIFY(__signbitf, float, __builtin_signbitf(x))
#undef HEDDLE_CLASSIFY
