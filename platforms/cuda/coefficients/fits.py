# SPDX-License-Identifier: Apache-2.0
"""Functions the math library approximates by polynomials, with interval, weight and number of coefficients.

The weight turns the error of the polynomial into the error of the function it serves, relative to that function.
Names in the C++ headers say what the polynomial is a part of: `sin_tail` is P in sin(x) = x + x^3 P(x^2).
"""
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Callable

import mpmath as mp

mp.mp.prec = 180  # before the constants below are computed

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
    target, weight = lru_cache(None)(target), lru_cache(None)(weight)
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
QUARTER = (mp.pi / 4 + mp.mpf("0.002")) ** 2  # argument reduction may leave slightly more than pi/4
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


# --- error functions --------------------------------------------------------------------------------------------------
def relative(f):
    """Fits f itself, relative to f."""
    return f, lambda t: 1 / abs(f(t))


def one(_):
    return mp.mpf(1)


def erf_over_x(t):
    x = mp.sqrt(t)
    return mp.erf(x) / x - 1


add("erf_small", "erf(x) = x + x P(x^2), |x| <= 0.9.", erf_over_x, lambda t: 1 / (1 + erf_over_x(t)), TINY, mp.mpf("0.8101"),
    (6, 12))
add("erf_exponent", "log2(1 - erf(x)) for 0.9 <= x <= 4, at x - 2.", lambda t: mp.log(mp.erfc(t + 2), 2),
    lambda t: mp.erfc(t + 2) * mp.log(2), mp.mpf("-1.101"), mp.mpf("2.001"), (8, 0))


def scaled_erfcx(t):
    """(1 + 2 x) exp(x^2) erfc(x) with x = 4 (1 + t) / (1 - t), which takes all x >= 0 to -1 <= t < 1."""
    if t > 1 - mp.mpf(2) ** -40:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + t) / (1 - t)
    if x > 100:  # asymptotic: 1 / (x sqrt(pi)) sum (-1)^k (2k - 1)!! / (2 x^2)^k
        total, term = mp.mpf(0), mp.mpf(1)
        for k in range(1, 40):
            total += term
            term *= -(2 * k - 1) / (2 * x * x)
        return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * total
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


f, w = relative(scaled_erfcx)
add("scaled_erfcx", "(1 + 2 x) erfcx(x) at t = (x - 4) / (x + 4), x >= 0.", f, w, mp.mpf(-1), mp.mpf(1), (13, 25))


def erfc_inverse(q):
    y = mp.sqrt(-mp.log(q)) if q < 0.5 else mp.sqrt(mp.pi) / 2 * (1 - q)
    for _ in range(60):
        e = mp.erfc(y)
        step = (mp.log(e) - mp.log(q)) * e / (-2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        y -= step
        if abs(step) < mp.mpf(2) ** -150 * (abs(y) + mp.mpf(2) ** -20):
            break
    return y


def erfinv_over_x(w):
    """erfinv(x) / x at w = -log(1 - x^2)."""
    if w < mp.mpf(2) ** -40:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    return erfc_inverse(mp.exp(-w) / (1 + x)) / x


def erfinv_piece(name, centre, low, high, counts, root):
    def target(t):
        return erfinv_over_x((t + centre) ** 2 if root else t + centre)

    variable = "sqrt(w)" if root else "w"
    add(name, f"erfinv(x) / x, w = -log(1 - x^2), at {variable} - {centre}, {low} <= {variable} <= {high}.", target,
        lambda t: 1 / target(t), mp.mpf(low) - mp.mpf(centre), mp.mpf(high) - mp.mpf(centre), counts)


erfinv_piece("erfinv_central", mp.mpf("3.125"), "0", "6.2501", (11, 24), False)
erfinv_piece("erfinv_near", mp.mpf("3.25"), "2.4999", "4.0001", (8, 19), True)
erfinv_piece("erfinv_middle", mp.mpf("5"), "3.9999", "6.1001", (0, 19), True)
erfinv_piece("erfinv_far", mp.mpf("7"), "3.9999", "10.3", (10, 0), True)
erfinv_piece("erfinv_far", mp.mpf("9"), "6.0999", "12.001", (0, 21), True)
erfinv_piece("erfinv_farthest", mp.mpf("19.5"), "11.999", "27.4", (0, 23), True)

# --- gamma ------------------------------------------------------------------------------------------------------------
add("inverse_gamma_1", "1 / Gamma(1 + f) = 1 + f P(f), |f| <= 1/2.",
    lambda t: (mp.rgamma(1 + t) - 1) / t if t else mp.euler, lambda t: 1 / abs((mp.rgamma(1 + t) - 1) / t) if t else one(t),
    mp.mpf("-0.5001"), mp.mpf("0.5001"), (8, 15))
add("inverse_gamma_2", "1 / Gamma(2 + f) = 1 + f P(f), -1/2 <= f <= 1.",
    lambda t: (mp.rgamma(2 + t) - 1) / t if t else mp.euler - 1,
    lambda t: 1 / abs((mp.rgamma(2 + t) - 1) / t) if t else one(t), mp.mpf("-0.5001"), mp.mpf("1.0001"), (9, 18))


def stirling_rest(v):
    """x (log Gamma(x) - (x - 1/2) log(x) + x - log(sqrt(2 pi))) at v = 1 / x^2."""
    if v < mp.mpf(2) ** -30:
        return mp.mpf(1) / 12 - v / 360 + v * v / 1260
    x = 1 / mp.sqrt(v)
    return x * (mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


f, w = relative(stirling_rest)
add("stirling_tail", "log Gamma(x) = (x - 1/2) log x - x + log sqrt(2 pi) + P(1 / x^2) / x, x >= 8.", f, w, mp.mpf(0),
    mp.mpf(1) / 64, (3, 7))

# --- Bessel functions
# --------------------------------------------------------------------------------------------------- Up to 8 the zeros
# are divided out, so that the error remains relative across them. The rest of J is a product of (c - x^2): in powers of
# 1 - x^2 / 64 all its coefficients are positive, so nothing cancels.


def j_zero(order, index):
    return mp.besseljzero(order, index)


def y_zero(order, index):
    return mp.besselyzero(order, index)


def j_without_zeros(order):
    zeros = [j_zero(order, 1) ** 2, j_zero(order, 2) ** 2]

    def target(u):
        t = 64 * (1 - u)
        x = mp.sqrt(t)
        if abs(u - 1) < mp.mpf(2) ** -50:
            value = mp.mpf(1) if order == 0 else mp.mpf(1) / 2
        else:
            value = mp.besselj(order, x) / x**order
        return value / ((t - zeros[0]) * (t - zeros[1]))

    return target


for order in (0, 1):
    f, w = relative(j_without_zeros(order))
    divided = "" if order == 0 else " / x"
    add(f"j{order}_core", f"J{order}(x){divided} / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, at 1 - x^2 / 64, |x| <= 8.", f, w,
        mp.mpf(0), mp.mpf(1), (9, 15))


def y0_entire(z):
    """(Y0(x) - 2/pi log(x / z) J0(x)) / (x^2 - z^2), z a zero of Y0, as a function of t = x^2."""

    def target(t):
        x = mp.sqrt(t)
        return (mp.bessely(0, x) - 2 / mp.pi * mp.log(x / z) * mp.besselj(0, x)) / (t - z * z)

    return target


Y0_FIRST = y_zero(0, 1)
f, w = relative(y0_entire(Y0_FIRST))
add("y0_small", "(Y0(x) - 2/pi log(x/a) J0(x)) / (x^2 - a^2), a the first zero of Y0, at x^2, x <= 2.", f, w,
    mp.mpf("1e-9"), mp.mpf("4.001"), (5, 10))
f, w = relative(lambda t: mp.besselj(0, mp.sqrt(t)))
add("j0_small", "J0(x) at x^2, x <= 2.", f, w, mp.mpf("1e-15"), mp.mpf("4.001"), (6, 12))


def around_zero(f, zero, centre):
    def target(t):
        x = t + centre
        if abs(x - zero) < mp.mpf(2) ** -40:
            return mp.diff(f, zero)
        return f(x) / (x - zero)

    return target


def bessel_piece(name, what, f, zero, centre, low, high, counts):
    target = around_zero(f, zero, mp.mpf(centre)) if zero else (lambda t: f(t + mp.mpf(centre)))
    add(name, f"{what} at x - {centre}, {low} <= x <= {high}.", target, lambda t: 1 / abs(target(t)),
        mp.mpf(low) - mp.mpf(centre) - mp.mpf("1e-5"), mp.mpf(high) - mp.mpf(centre) + mp.mpf("1e-5"), counts)


def y0(x):
    return mp.bessely(0, x)


def y1(x):
    return mp.bessely(1, x)


bessel_piece("y0_2", "Y0(x)", y0, None, "2.625", "2", "3.25", (8, 18))
bessel_piece("y0_3", "Y0(x) / (x - its zero)", y0, y_zero(0, 2), "4.375", "3.25", "5.5", (9, 19))
bessel_piece("y0_5", "Y0(x) / (x - its zero)", y0, y_zero(0, 3), "6.75", "5.5", "8", (9, 17))


def y1_entire(t):
    """(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x as a function of t = x^2."""
    x = mp.sqrt(t)
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


f, w = relative(y1_entire)
add("y1_small", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x at x^2, x <= 1.5.", f, w, mp.mpf("1e-9"), mp.mpf("2.251"), (5, 9))
f, w = relative(lambda t: mp.besselj(1, mp.sqrt(t)) / mp.sqrt(t))
add("j1_small", "J1(x) / x at x^2, x <= 1.5.", f, w, mp.mpf("1e-15"), mp.mpf("2.251"), (5, 9))
bessel_piece("y1_1", "Y1(x) / (x - its zero)", y1, y_zero(1, 1), "2.25", "1.5", "3", (10, 22))
bessel_piece("y1_3", "Y1(x)", y1, None, "3.75", "3", "4.5", (8, 18))
bessel_piece("y1_4", "Y1(x) / (x - its zero)", y1, y_zero(1, 2), "6.25", "4.5", "8", (10, 21))


def modulus(order):
    """sqrt(pi x / 2) |J + i Y| at v = 64 / x^2."""

    def target(v):
        if v < mp.mpf("1e-8"):
            return 1 + (4 * order**2 - 1) * v / 64 / 16
        x = 8 / mp.sqrt(v)
        return mp.sqrt(mp.pi * x / 2 * (mp.besselj(order, x) ** 2 + mp.bessely(order, x) ** 2))

    return target


def phase(order):
    """(arg(J + i Y) - x + (order / 2 + 1 / 4) pi) x at v = 64 / x^2."""

    def target(v):
        mu = 4 * order**2
        if v < mp.mpf("1e-8"):
            return mp.mpf(mu - 1) / 8 + mp.mpf((mu - 1) * (mu - 25)) / 384 * v / 64
        x = 8 / mp.sqrt(v)
        angle = mp.atan2(mp.bessely(order, x), mp.besselj(order, x)) - x + (mp.mpf(order) / 2 + mp.mpf(1) / 4) * mp.pi
        angle -= 2 * mp.pi * mp.nint(angle / (2 * mp.pi))
        return angle * x

    return target


for order in (0, 1):
    add(f"bessel_modulus_{order}", f"sqrt(pi x / 2) |J{order} + i Y{order}| at 64 / x^2, x >= 8.", modulus(order), one, mp.mpf(0),
        mp.mpf(1), (3, 11))
    add(f"bessel_phase_{order}", f"(arg(J{order} + i Y{order}) - x + {2 * order + 1} pi / 4) x at 64 / x^2, x >= 8.", phase(order),
        one, mp.mpf(0), mp.mpf(1), (3, 11))


def i_small(order):
    return lambda t: mp.besseli(order, mp.sqrt(t)) / mp.sqrt(t) ** order if t else mp.mpf(1) / 2**order


def i_large(order):
    def target(u):
        x = 8 / (u + mp.mpf(2) ** -60)
        if x > 2000:
            total, term = mp.mpf(0), mp.mpf(1)
            for k in range(1, 30):
                total += term
                term *= -mp.mpf(4 * order**2 - (2 * k - 1) ** 2) / (k * 8 * x)
            return total / mp.sqrt(2 * mp.pi)
        return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)

    return target


for order in (0, 1):
    divided = "" if order == 0 else " / x"
    f, w = relative(i_small(order))
    add(f"i{order}_small", f"I{order}(x){divided} at x^2, |x| <= 8.", f, w, mp.mpf(0), mp.mpf("64.01"), (10, 18))
    f, w = relative(i_large(order))
    add(f"i{order}_large", f"I{order}(x) sqrt(x) exp(-x) at 8 / x, x >= 8.", f, w, mp.mpf(0), mp.mpf(1), (7, 21))
