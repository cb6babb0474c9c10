# SPDX-License-Identifier: Apache-2.0
"""Minimax polynomials for the device math library, by Remez exchange in high precision (needs mpmath).

A fit minimises max |weight(t) * (target(t) - P(t))| over [a, b]. Coefficients are rounded one after the other, the
lowest first, and the rest is fitted again after each, so that the later ones absorb the rounding of the earlier.
"""
import struct

import mpmath as mp

mp.mp.prec = 180


def round_float(v):
    """v rounded to the nearest single-precision number."""
    return mp.mpf(struct.unpack("f", struct.pack("f", float(v)))[0])


def round_double(v):
    return mp.mpf(float(v))


def _solve(target, weight, powers, points):
    """Coefficients for which the weighted error has equal size and alternating sign at the points."""
    n = len(powers)
    matrix = mp.matrix(n + 1, n + 1)
    right = mp.matrix(n + 1, 1)
    for i, t in enumerate(points):
        w = weight(t)
        for j, p in enumerate(powers):
            matrix[i, j] = w * t**p
        matrix[i, n] = (-1) ** i
        right[i] = w * target(t)
    solution = mp.lu_solve(matrix, right)
    return [solution[j] for j in range(n)], abs(solution[n])


def minimax(target, weight, powers, a, b, iterations=12, samples=40):
    """The coefficients of t**p for p in powers, and the weighted error they reach."""
    a, b = mp.mpf(a), mp.mpf(b)
    n = len(powers) + 1
    points = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / n) for i in range(n)]
    grid_size = samples * n
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / grid_size) for i in range(grid_size + 1)]
    # Targets like (f(t) - t) / t^2 lose all digits at exactly 0.
    grid = [t if abs(t) > (b - a) * mp.mpf("1e-9") else (b - a) * mp.mpf("1e-9") for t in grid]
    # There is no extremum where the weight vanishes, and starting there would end the exchange at once.
    points = [t if abs(t) > (b - a) / (20 * n) else (b - a) / (10 * n) for t in points]
    values = [target(t) for t in grid]
    weights = [weight(t) for t in grid]
    best = None
    for _ in range(iterations):
        coefficients, level = _solve(target, weight, powers, points)
        errors = []
        for t, v, w in zip(grid, values, weights):
            p = sum(c * t**k for c, k in zip(coefficients, powers))
            errors.append(w * (v - p))
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[1]:
            best = (coefficients, worst)
        # One extremum per run of equal sign, then the n largest adjacent ones.
        extrema = []
        for t, e in zip(grid, errors):
            if extrema and (extrema[-1][1] > 0) == (e > 0):
                if abs(e) > abs(extrema[-1][1]):
                    extrema[-1] = (t, e)
            else:
                extrema.append((t, e))
        while len(extrema) > n:
            if abs(extrema[0][1]) < abs(extrema[-1][1]):
                extrema.pop(0)
            else:
                extrema.pop()
        if len(extrema) < n or worst < level * mp.mpf("1.0005"):
            break
        points = [t for t, _ in extrema]
    return best


def _worst(target, weight, powers, coefficients, a, b):
    worst = mp.mpf(0)
    for i in range(800):
        t = a + (b - a) * (i + mp.mpf("0.37")) / 800
        p = sum(c * t**k for c, k in zip(coefficients, powers))
        worst = max(worst, abs(weight(t) * (target(t) - p)))
    return worst


def fit(target, weight, powers, a, b, rounding, exact=()):
    """Rounded coefficients, lowest power first, and the weighted error of the rounded polynomial.

    exact: leading coefficients that are given, not fitted.
    """
    a, b = mp.mpf(a), mp.mpf(b)
    fixed = [mp.mpf(c) for c in exact]
    best = None
    while True:
        done = list(zip(fixed, powers))
        rest = powers[len(fixed) :]
        # Powers of t that all vanish at 0 are not a Chebyshev system around it: divide out the lowest one.
        lowest = rest[0]

        def remaining(t):
            return (target(t) - sum(c * t**k for c, k in done)) / t**lowest

        def remaining_weight(t):
            return weight(t) * abs(t) ** lowest

        coefficients, _ = minimax(remaining, remaining_weight, [k - lowest for k in rest], a, b)
        candidate = fixed + [rounding(c) for c in coefficients]
        error = _worst(target, weight, powers, candidate, a, b)
        if best is None or error < best[1]:
            best = (candidate, error)
        fixed.append(candidate[len(fixed)])
        if len(fixed) >= min(len(powers), len(exact) + 5):
            return best
