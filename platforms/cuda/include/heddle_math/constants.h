// SPDX-License-Identifier: Apache-2.0
// Constants in the requested precision: x_high is the nearest number to x, x_low the nearest to the remainder.
#pragma once

#include "primitives.h"

namespace heddle_math {

template <class T>
struct Constant;

template <>
struct Constant<float> {
  static constexpr float pi_over_2_high = 1.57079637f, pi_over_2_low = -4.37113883e-8f;
  // The same in three positive parts, for reductions that preserve the sign of zero.
  static constexpr float pi_over_2_first = 1.57079625f, pi_over_2_second = 7.54978942e-8f;
  static constexpr float pi_over_2_third = 5.39030253e-15f;
  static constexpr float two_over_pi = 0.636619747f;
  static constexpr float pi_high = 3.14159274f, pi_low = -8.74227766e-8f;
  static constexpr float ln2_high = 0.693147182f, ln2_low = -1.90465421e-9f;
  static constexpr float log2_e_high = 1.44269502f, log2_e_low = 1.92596303e-8f;
  static constexpr float log10_2_high = 0.30103001f, log10_2_low = -1.43209888e-8f;
  static constexpr float log2_10 = 3.32192802f;
  static constexpr float ln10_high = 2.30258512f, ln10_low = -3.19754356e-8f;
  static constexpr float log10_e_high = 0.434294492f, log10_e_low = -1.010305e-8f;
  static constexpr float sqrt_half_high = 0.707106769f, sqrt_half_low = 1.21016175e-8f;
  static constexpr float sqrt_2 = 1.41421354f;
  static constexpr float two_over_sqrt_pi = 1.12837923f;
  static constexpr float sqrt_two_over_pi = 0.797884583f;
  static constexpr float ln_sqrt_2pi = 0.918938518f;
  static constexpr float sqrt_2pi_high = 2.50662827f, sqrt_2pi_low = -2.86602048e-10f;
  static constexpr float ln_pi = 1.14472985f;
};

template <>
struct Constant<double> {
  static constexpr double pi_over_2_high = 1.5707963267948966, pi_over_2_low = 6.123233995736766e-17;
  static constexpr double pi_over_2_first = 1.5707963267948966, pi_over_2_second = 6.123233995736765e-17;
  static constexpr double pi_over_2_third = 1.0828566739219139e-32;
  static constexpr double two_over_pi = 0.6366197723675814;
  static constexpr double pi_high = 3.141592653589793, pi_low = 1.2246467991473532e-16;
  static constexpr double ln2_high = 0.6931471805599453, ln2_low = 2.3190468138462996e-17;
  static constexpr double log2_e_high = 1.4426950408889634, log2_e_low = 2.0355273740931033e-17;
  static constexpr double log10_2_high = 0.3010299956639812, log10_2_low = -2.8037281277851704e-18;
  static constexpr double log2_10 = 3.321928094887362;
  static constexpr double ln10_high = 2.302585092994046, ln10_low = -2.1707562233822494e-16;
  static constexpr double log10_e_high = 0.4342944819032518, log10_e_low = 1.098319650216765e-17;
  static constexpr double sqrt_half_high = 0.7071067811865476, sqrt_half_low = -4.833646656726457e-17;
  static constexpr double sqrt_2 = 1.4142135623730951;
  static constexpr double two_over_sqrt_pi = 1.1283791670955126;
  static constexpr double sqrt_two_over_pi = 0.7978845608028654;
  static constexpr double ln_sqrt_2pi = 0.9189385332046728;
  static constexpr double sqrt_2pi_high = 2.5066282746310007, sqrt_2pi_low = -1.8328579980459167e-16;
  static constexpr double ln_pi = 1.1447298858494002;
};

}  // namespace heddle_math
