// SPDX-License-Identifier: Apache-2.0
// Minimax polynomials of the math library. Written by platforms/cuda/coefficients/generate.py: change that.
#pragma once

#include "primitives.h"

namespace heddle_math {

// sin(x) = x + x^3 P(x^2), |x| <= pi/4. Error 2^-27.8.
HEDDLE_MATH float sin_tail(float t) { return polynomial(t, -0.166666538f, 0.00833210628f, -0.000195078857f); }

// cos(x) = 1 - x^2/2 + x^4 P(x^2), |x| <= pi/4. Error 2^-32.9.
HEDDLE_MATH float cos_tail(float t) { return polynomial(t, 0.0416666456f, -0.00138873083f, 2.44320927e-05f); }

// tan(x) = x + x^3 P(x^2), |x| <= pi/4. Error 2^-25.7.
HEDDLE_MATH float tan_tail(float t) { return polynomial(t, 0.333331496f, 0.13338992f, 0.0533950664f, 0.0244889222f, 0.0030242072f, 0.00944286212f); }

// asin(x) = x + x^3 P(x^2), |x| <= 9/16. Error 2^-29.0.
HEDDLE_MATH float asin_tail(float t) { return polynomial(t, 0.166666314f, 0.0750209913f, 0.0442318283f, 0.0340138562f, 0.00673173927f, 0.0474973843f); }

// atan(x) = x + x^3 P(x^2), |x| <= 1. Error 2^-25.8.
HEDDLE_MATH float atan_tail(float t) { return polynomial(t, -0.333331525f, 0.199937671f, -0.142110005f, 0.106657572f, -0.0755162314f, 0.0432041623f, -0.0163627677f, 0.00291929953f); }

// exp(x) = 1 + x + x^2 P(x), |x| <= 0.43, relative to expm1. Error 2^-28.6.
HEDDLE_MATH float exp_tail(float t) { return polynomial(t, 0.5f, 0.166666657f, 0.0416662283f, 0.00833353866f, 0.00139574939f, 0.000198150025f); }

// sinh(x) = x + x^3 P(x^2), |x| <= 1. Error 2^-31.6.
HEDDLE_MATH float sinh_tail(float t) { return polynomial(t, 0.166666672f, 0.00833331048f, 0.000198428912f, 2.78226776e-06f); }

// tanh(x) = x + x^3 P(x^2), |x| <= 0.55. Error 2^-29.7.
HEDDLE_MATH float tanh_tail(float t) { return polynomial(t, -0.333333164f, 0.133325443f, -0.0538475476f, 0.0210507158f, -0.00624285778f); }

// log(1 + x) = x + x^2 P(x), sqrt(1/2) <= 1 + x <= sqrt(2). Error 2^-29.8.
HEDDLE_MATH float log_tail(float t) { return polynomial(t, -0.5f, 0.333333135f, -0.250000149f, 0.200020283f, -0.166679204f, 0.142213956f, -0.12405891f, 0.118747942f, -0.116747364f, 0.0677721575f); }

// atanh(s) = s + s^3 / 3 + s^5 P(s^2), |s| <= 0.172. Error 2^-36.8.
HEDDLE_MATH float atanh_tail(float t) { return polynomial(t, 0.200000763f, 0.142735437f, 0.117098808f); }

// sin_tail or cos_tail, by selected coefficients.
HEDDLE_MATH float sin_or_cos_tail(float t, bool cosine) { return polynomial(t, cosine ? 0.0416666456f : -0.166666538f, cosine ? -0.00138873083f : 0.00833210628f, cosine ? 2.44320927e-05f : -0.000195078857f); }

}  // namespace heddle_math
