# SPDX-License-Identifier: Apache-2.0
"""The functions that the math library approximates by polynomials, with interval, weight and number of coefficients.

The weight turns the error of the polynomial into the error of the function it serves, relative to that function.
Names in the C++ headers say what the polynomial is a part of: `sin_tail` is P in sin(x) = x + x^3 P(x^2).
"""
from dataclasses import dataclass, field
from typing import Callable

import mpmath as mp

FITS = []
TINY = mp.mpf(2) ** -60


@dataclass
class Fit:
    kind: str
    name: str
    comment: str
    target: Callable
    weight: Callable
    a: mp.mpf
    b: mp.mpf
    powers: list
    exact: list = field(default_factory=list)


def add(name, comment, target, weight, a, b, counts, exact=()):
    """counts: (coefficients in single precision, in double); 0 leaves one out."""
    for kind, count in zip(("float", "double"), counts):
        if count:
            FITS.append(Fit(kind, name, comment, target, weight, a, b, list(range(count)), list(exact)))


def odd_tail(f):
    """P of f(x) = x + x^3 P(x^2), as a function of t = x^2."""

    def target(t):
        x = mp.sqrt(t)
        return (f(x) - x) / x**3

    return target


def odd_weight(f):
    def weight(t):
        x = mp.sqrt(t)
        return x**3 / f(x)

    return weight


def away_from_zero(x, weight):
    """A weight that vanishes at zero, kept positive there."""
    return max(abs(weight(x)), mp.mpf("1e-4")) if x else mp.mpf("1e-4")


# --- trigonometry ---------------------------------------------------------------------------------------------------
QUARTER = (mp.pi / 4 + mp.mpf("0.002")) ** 2  # argument reduction may leave a little more than pi/4
add("sin_tail", "sin(x) = x + x^3 P(x^2), |x| <= pi/4.", odd_tail(mp.sin), odd_weight(mp.sin), TINY, QUARTER, (3, 6))
add("cos_tail", "cos(x) = 1 - x^2/2 + x^4 P(x^2), |x| <= pi/4.",
    lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2, lambda t: t**2 / mp.cos(mp.sqrt(t)), TINY, QUARTER, (3, 6))
add("tan_tail", "tan(x) = x + x^3 P(x^2), |x| <= pi/4.", odd_tail(mp.tan), odd_weight(mp.tan), TINY, QUARTER, (6, 15))
add("asin_tail", "asin(x) = x + x^3 P(x^2), |x| <= 9/16.", odd_tail(mp.asin), odd_weight(mp.asin), TINY,
    mp.mpf("0.3165"), (6, 14))
add("atan_tail", "atan(x) = x + x^3 P(x^2), |x| <= 1.", odd_tail(mp.atan), odd_weight(mp.atan), TINY, mp.mpf(1),
    (8, 19))

# --- exponentials ---------------------------------------------------------------------------------------------------
EXP_RANGE = mp.mpf("0.431")
add("exp_tail", "exp(x) = 1 + x + x^2 P(x), |x| <= 0.43, relative to expm1.",
    lambda x: (mp.expm1(x) - x) / x**2 if x else mp.mpf(1) / 2, lambda x: away_from_zero(x, lambda x: x**2 / mp.expm1(x)),
    -EXP_RANGE, EXP_RANGE, (6, 11))
add("sinh_tail", "sinh(x) = x + x^3 P(x^2), |x| <= 1.", odd_tail(mp.sinh), odd_weight(mp.sinh), TINY, mp.mpf("1.001"),
    (4, 8))
add("tanh_tail", "tanh(x) = x + x^3 P(x^2), |x| <= 0.55.", odd_tail(mp.tanh), odd_weight(mp.tanh), TINY,
    mp.mpf("0.3026"), (5, 11))

# --- logarithms -----------------------------------------------------------------------------------------------------
add("log_tail", "log(1 + x) = x + x^2 P(x), sqrt(1/2) <= 1 + x <= sqrt(2).",
    lambda x: (mp.log1p(x) - x) / x**2 if x else -mp.mpf(1) / 2, lambda x: away_from_zero(x, lambda x: x**2 / mp.log1p(x)),
    mp.sqrt(mp.mpf("0.5")) - mp.mpf("1.0001"), mp.sqrt(2) - mp.mpf("0.9999"), (10, 0))
LOG_RANGE = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")  # s^2 for arguments in [sqrt(1/2), sqrt(2)]
add("log_ratio_tail", "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2), |s| <= 0.172.",
    lambda t: (2 * mp.atanh(mp.sqrt(t)) - 2 * mp.sqrt(t)) / mp.sqrt(t) ** 3,
    lambda t: mp.sqrt(t) ** 3 / (2 * mp.atanh(mp.sqrt(t))), TINY, LOG_RANGE, (0, 7))
add("atanh_tail", "atanh(s) = s + s^3 / 3 + s^5 P(s^2), |s| <= 0.172.",
    lambda t: (mp.atanh(mp.sqrt(t)) - mp.sqrt(t) - mp.sqrt(t) ** 3 / 3) / mp.sqrt(t) ** 5,
    lambda t: mp.sqrt(t) ** 5 / mp.atanh(mp.sqrt(t)), TINY, LOG_RANGE, (3, 7))
