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
HEDDLE_MATH float tan_tail(float t) {
  return polynomial(t, 0.333331496f, 0.13338992f, 0.0533950664f, 0.0244889222f, 0.0030242072f, 0.00944286212f);
}

// asin(x) = x + x^3 P(x^2), |x| <= 9/16. Error 2^-29.0.
HEDDLE_MATH float asin_tail(float t) {
  return polynomial(t, 0.166666314f, 0.0750209913f, 0.0442318283f, 0.0340138562f, 0.00673173927f, 0.0474973843f);
}

// atan(x) = x + x^3 P(x^2), |x| <= 1. Error 2^-25.8.
HEDDLE_MATH float atan_tail(float t) {
  return polynomial(t, -0.333331525f, 0.199937671f, -0.142110005f, 0.106657572f, -0.0755162314f, 0.0432041623f,
                    -0.0163627677f, 0.00291929953f);
}

// exp(x) = 1 + x + x^2 P(x), |x| <= 0.43, relative to expm1. Error 2^-28.6.
HEDDLE_MATH float exp_tail(float t) {
  return polynomial(t, 0.5f, 0.166666657f, 0.0416662283f, 0.00833353866f, 0.00139574939f, 0.000198150025f);
}

// sinh(x) = x + x^3 P(x^2), |x| <= 1. Error 2^-31.6.
HEDDLE_MATH float sinh_tail(float t) {
  return polynomial(t, 0.166666672f, 0.00833331048f, 0.000198428912f, 2.78226776e-06f);
}

// tanh(x) = x + x^3 P(x^2), |x| <= 0.55. Error 2^-29.7.
HEDDLE_MATH float tanh_tail(float t) {
  return polynomial(t, -0.333333164f, 0.133325443f, -0.0538475476f, 0.0210507158f, -0.00624285778f);
}

// log(1 + x) = x + x^2 P(x), sqrt(1/2) <= 1 + x <= sqrt(2). Error 2^-29.8.
HEDDLE_MATH float log_tail(float t) {
  return polynomial(t, -0.5f, 0.333333135f, -0.250000149f, 0.200020283f, -0.166679204f, 0.142213956f, -0.12405891f,
                    0.118747942f, -0.116747364f, 0.0677721575f);
}

// atanh(s) = s + s^3 / 3 + s^5 P(s^2), |s| <= 0.172. Error 2^-36.8.
HEDDLE_MATH float atanh_tail(float t) { return polynomial(t, 0.200000763f, 0.142735437f, 0.117098808f); }

// erf(x) = x + x P(x^2), |x| <= 0.9. Error 2^-26.0.
HEDDLE_MATH float erf_small(float t) {
  return polynomial(t, 0.128379151f, -0.376125038f, 0.112819217f, -0.0267704912f, 0.00499895308f, -0.000602075539f);
}

// log2(1 - erf(x)) for 0.9 <= x <= 4, at x - 2. Error 2^-30.9.
HEDDLE_MATH float erf_exponent(float t) {
  return polynomial(t, -7.73997402f, -6.37405825f, -1.33269393f, -0.0237669684f, 0.00514396559f, -0.00103626878f,
                    0.000223734562f, -2.20765396e-05f);
}

// (1 + 2 x) erfcx(x) at t = (x - 4) / (x + 4), x >= 0. Error 2^-24.9.
HEDDLE_MATH float scaled_erfcx(float t) {
  return polynomial(t, 1.23299515f, -0.139621139f, 0.0153774098f, 0.0680975467f, -0.101015031f, 0.0937310457f,
                    -0.0664237365f, 0.0371642858f, -0.0160382427f, 0.00505595841f, -0.000872361416f, -0.000238081047f,
                    0.00016639402f);
}

// erfinv(x) / x, w = -log(1 - x^2), at w - 3.125, 0 <= w <= 6.2501. Error 2^-26.9.
HEDDLE_MATH float erfinv_central(float t) {
  return polynomial(t, 1.65365458f, 0.240158185f, -0.00603374559f, -0.00074071018f, 0.000186806952f, -1.3880971e-05f,
                    -1.39256406e-06f, 4.2464336e-07f, -2.42871128e-08f, -4.55433291e-09f, 6.4614275e-10f);
}

// erfinv(x) / x, w = -log(1 - x^2), at sqrt(w) - 3.25, 2.4999 <= sqrt(w) <= 4.0001. Error 2^-25.5.
HEDDLE_MATH float erfinv_near(float t) {
  return polynomial(t, 3.08388567f, 1.00525892f, 0.00536981784f, -0.0037453461f, 0.00249839714f, -0.0017318629f,
                    0.000943618943f, -0.000254028215f);
}

// erfinv(x) / x, w = -log(1 - x^2), at sqrt(w) - 7.0, 3.9999 <= sqrt(w) <= 10.3. Error 2^-25.5.
HEDDLE_MATH float erfinv_far(float t) {
  return polynomial(t, 6.86901951f, 1.00859559f, -0.000512522587f, 6.38282336e-06f, 6.11545329e-06f, -1.67049723e-06f,
                    2.73945716e-07f, -4.3239762e-08f, 1.44253223e-08f, -2.32724351e-09f);
}

// 1 / Gamma(1 + f) = 1 + f P(f), |f| <= 1/2. Error 2^-25.6.
HEDDLE_MATH float inverse_gamma_1(float t) {
  return polynomial(t, 0.577215672f, -0.655878007f, -0.0420034118f, 0.166537374f, -0.0421814322f, -0.00961964391f,
                    0.00711116707f, -0.00112746865f);
}

// 1 / Gamma(2 + f) = 1 + f P(f), -1/2 <= f <= 1. Error 2^-25.5.
HEDDLE_MATH float inverse_gamma_2(float t) {
  return polynomial(t, -0.422784328f, -0.233093753f, 0.191091105f, -0.0245513748f, -0.0176470894f, 0.00801445916f,
                    -0.000787928526f, -0.000346774526f, 0.000105694737f);
}

// log Gamma(x) = (x - 1/2) log x - x + log sqrt(2 pi) + P(1 / x^2) / x, x >= 8. Error 2^-25.0.
HEDDLE_MATH float stirling_tail(float t) { return polynomial(t, 0.0833333358f, -0.00277897785f, 0.000861344277f); }

// J0(x) / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, at 1 - x^2 / 64, |x| <= 8. Error 2^-25.2.
HEDDLE_MATH float j0_core(float t) {
  return polynomial(t, 8.79387371e-05f, 0.000745360448f, 0.00159453752f, 0.00164140074f, 0.00101726991f,
                    0.000421117322f, 0.000135489798f, 2.19295398e-05f, 9.64923402e-06f);
}

// J1(x) / x / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, at 1 - x^2 / 64, |x| <= 8. Error 2^-27.2.
HEDDLE_MATH float j1_core(float t) {
  return polynomial(t, 4.02327569e-05f, 0.000148908686f, 0.000212556261f, 0.000166781101f, 8.40297726e-05f,
                    2.96487015e-05f, 8.00698854e-06f, 1.33238927e-06f, 4.26175262e-07f);
}

// (Y0(x) - 2/pi log(x/a) J0(x)) / (x^2 - a^2), a the first zero of Y0, at x^2, x <= 2. Error 2^-25.5.
HEDDLE_MATH float y0_small(float t) {
  return polynomial(t, 0.182144299f, -0.0167446807f, 0.00056178245f, -9.87751355e-06f, 1.01161142e-07f);
}

// J0(x) at x^2, x <= 2. Error 2^-28.8.
HEDDLE_MATH float j0_small(float t) {
  return polynomial(t, 1.0f, -0.249999985f, 0.0156249506f, -0.000433974434f, 6.75625824e-06f, -6.22358911e-08f);
}

// Y0(x) at x - 2.625, 2 <= x <= 3.25. Error 2^-25.5.
HEDDLE_MATH float y0_2(float t) {
  return polynomial(t, 0.476494551f, -0.198485836f, -0.20044066f, 0.0537329279f, 0.00765688997f, -0.00120234536f,
                    -0.000578324252f, 0.000148563282f);
}

// Y0(x) / (x - its zero) at x - 4.375, 3.25 <= x <= 5.5. Error 2^-24.8.
HEDDLE_MATH float y0_3(float t) {
  return polynomial(t, -0.371688604f, 0.0955206528f, 0.0478270017f, -0.0100888442f, -0.00165703311f, 0.000303742592f,
                    3.61756138e-05f, -5.88362536e-06f, -6.06601816e-07f);
}

// Y0(x) / (x - its zero) at x - 6.75, 5.5 <= x <= 8. Error 2^-24.7.
HEDDLE_MATH float y0_5(float t) {
  return polynomial(t, 0.301692545f, 0.0118879946f, -0.0498505197f, 0.000270529505f, 0.00233073323f, -4.27809973e-05f,
                    -4.9805476e-05f, 1.01671321e-06f, 4.48613577e-07f);
}

// (Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x at x^2, x <= 1.5. Error 2^-25.1.
HEDDLE_MATH float y1_small(float t) {
  return polynomial(t, -0.196057096f, 0.0543487333f, -0.00295535265f, 7.16251816e-05f, -9.59576141e-07f);
}

// J1(x) / x at x^2, x <= 1.5. Error 2^-29.1.
HEDDLE_MATH float j1_small(float t) {
  return polynomial(t, 0.5f, -0.0624999888f, 0.00260412041f, -5.41933296e-05f, 6.47057846e-07f);
}

// Y1(x) / (x - its zero) at x - 2.25, 1.5 <= x <= 3. Error 2^-24.9.
HEDDLE_MATH float y1_1(float t) {
  return polynomial(t, 0.51442945f, -0.122024082f, -0.0334986411f, -0.00329747656f, 0.00679206336f, -0.00228984794f,
                    0.000842908281f, -0.00039973433f, 0.000272428617f, -0.000118317177f);
}

// Y1(x) at x - 3.75, 3 <= x <= 4.5. Error 2^-25.1.
HEDDLE_MATH float y1_3(float t) {
  return polynomial(t, 0.415868789f, -0.0256415866f, -0.189729303f, 0.0179019701f, 0.0118924174f, -0.000693732465f,
                    -0.000410299748f, 3.64988482e-05f);
}

// Y1(x) / (x - its zero) at x - 6.25, 4.5 <= x <= 8. Error 2^-24.2.
HEDDLE_MATH float y1_4(float t) {
  return polynomial(t, -0.283535749f, 0.102173232f, 0.0330630615f, -0.00982378237f, -0.00116691913f, 0.000319902174f,
                    2.14050924e-05f, -5.5418559e-06f, -2.22376187e-07f, 5.81688333e-08f);
}

// sqrt(pi x / 2) |J0 + i Y0| at 64 / x^2, x >= 8. Error 2^-24.0.
HEDDLE_MATH float bessel_modulus_0(float t) { return polynomial(t, 0.99999994f, -0.000975642004f, 2.26557804e-05f); }

// (arg(J0 + i Y0) - x + 1 pi / 4) x at 64 / x^2, x >= 8. Error 2^-22.8.
HEDDLE_MATH float bessel_phase_0(float t) { return polynomial(t, -0.124999866f, 0.00101466733f, -4.36597766e-05f); }

// sqrt(pi x / 2) |J1 + i Y1| at 64 / x^2, x >= 8. Error 2^-23.0.
HEDDLE_MATH float bessel_modulus_1(float t) { return polynomial(t, 1.00000012f, 0.002927789f, -4.2640153e-05f); }

// (arg(J1 + i Y1) - x + 3 pi / 4) x at 64 / x^2, x >= 8. Error 2^-22.2.
HEDDLE_MATH float bessel_phase_1(float t) { return polynomial(t, 0.374999791f, -0.00255955267f, 7.93743893e-05f); }

// I0(x) at x^2, |x| <= 8. Error 2^-26.3.
HEDDLE_MATH float i0_small(float t) {
  return polynomial(t, 1.0f, 0.25000003f, 0.0156249627f, 0.000434041169f, 6.77957178e-06f, 6.79911238e-08f,
                    4.62780619e-10f, 2.6265897e-12f, 5.88712462e-15f, 5.68843902e-17f);
}

// I0(x) sqrt(x) exp(-x) at 8 / x, x >= 8. Error 2^-25.1.
HEDDLE_MATH float i0_large(float t) {
  return polynomial(t, 0.398942292f, 0.00623288704f, 0.00044467827f, 2.98950872e-05f, 6.50197544e-05f, -4.84486482e-05f,
                    2.00295726e-05f);
}

// I1(x) / x at x^2, |x| <= 8. Error 2^-27.8.
HEDDLE_MATH float i1_small(float t) {
  return polynomial(t, 0.5f, 0.0625f, 0.00260416558f, 5.42539965e-05f, 6.78077527e-07f, 5.65915936e-09f, 3.3272031e-11f,
                    1.60236286e-13f, 3.64695806e-16f, 2.69644688e-18f);
}

// I1(x) sqrt(x) exp(-x) at 8 / x, x >= 8. Error 2^-25.1.
HEDDLE_MATH float i1_large(float t) {
  return polynomial(t, 0.398942292f, -0.018701205f, -0.000721657998f, -0.000116020834f, 5.20793037e-05f,
                    -5.78466097e-05f, 1.46364146e-05f);
}

// sin_tail or cos_tail, by selected coefficients.
HEDDLE_MATH float sin_or_cos_tail(float t, bool cosine) {
  return polynomial(t, cosine ? 0.0416666456f : -0.166666538f, cosine ? -0.00138873083f : 0.00833210628f,
                    cosine ? 2.44320927e-05f : -0.000195078857f);
}

}  // namespace heddle_math
