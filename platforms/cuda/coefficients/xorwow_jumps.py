#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes include/heddle_curand/xorwow_jumps.h: what curand_init and skipahead multiply a XORWOW state by.

The five shifted words of XORWOW (Marsaglia, Xorshift RNGs, 2003) are linear over GF(2), so n steps are a polynomial of
degree below 160 in one step: x^n modulo the characteristic polynomial. The polynomial comes from 320 bits of output by
Berlekamp and Massey's algorithm.
"""
from pathlib import Path

WORD = 0xFFFFFFFF
DEGREE = 160
SEQUENCE_EXPONENT = 67  # sequences are 2^67 numbers apart


def bits_of_output(count):
    state, bits = [1, 2, 3, 4, 5], []
    for _ in range(count):
        t = state[0] ^ (state[0] >> 2)
        v = state[4]
        state = state[1:] + [v ^ (v << 4 & WORD) ^ t ^ (t << 1 & WORD)]
        bits.append(state[4] & 1)
    return bits


def characteristic_polynomial(bits):
    """Bit i is the coefficient of x^i."""
    connection, previous, length, shift = 1, 1, 0, 1
    for n in range(len(bits)):
        wrong = 0
        for i in range(length + 1):
            wrong ^= (connection >> i & 1) & bits[n - i]
        if not wrong:
            shift += 1
        elif 2 * length <= n:
            connection, previous, length, shift = connection ^ (previous << shift), connection, n + 1 - length, 1
        else:
            connection, shift = connection ^ (previous << shift), shift + 1
    assert length == DEGREE
    return int(format(connection, f"0{DEGREE + 1}b")[::-1], 2)


def multiply(a, b, modulus):
    product = 0
    for i in range(DEGREE):
        if b >> i & 1:
            product ^= a << i
    for i in range(2 * DEGREE, DEGREE - 1, -1):
        if product >> i & 1:
            product ^= modulus << (i - DEGREE)
    return product


def table(name, comment, first, digit_bits, modulus):
    """x^(digit * first exponent * 2^(digit_bits * place)), for the digits from 1 on, of a 64-bit number."""
    lines = [f"// {comment}", f"HEDDLE_CURAND_TABLE unsigned int {name}[{64 // digit_bits}][{2**digit_bits - 1}][5] = {{"]
    base = first
    for _ in range(64 // digit_bits):
        rows, power = [], 1
        for _ in range(2**digit_bits - 1):
            power = multiply(power, base, modulus)
            rows.append("{" + ", ".join(f"0x{power >> 32 * w & WORD:08x}u" for w in range(5)) + "}")
        lines.append("    {" + ",\n     ".join(rows) + "},")
        base = multiply(power, base, modulus)
    return lines + ["};"]


def main():
    modulus = characteristic_polynomial(bits_of_output(2 * DEGREE))
    sequence = 2
    for _ in range(SEQUENCE_EXPONENT):
        sequence = multiply(sequence, sequence, modulus)
    text = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Written by platforms/cuda/coefficients/xorwow_jumps.py. Polynomials over GF(2), lowest power first, that move a",
        "// XORWOW state by the value of one digit of a 64-bit count.",
        "#pragma once",
        "",
        '#include "macros.h"',
        "",
        "namespace heddle_curand {",
        "// clang-format off",
        *table("xorwow_sequence_jumps", "Hexadecimal digits of a number of sequences (2^67 numbers each).", sequence, 4, modulus),
        *table("xorwow_offset_jumps", "Base-4 digits of a number of numbers.", 2, 2, modulus),
        "// clang-format on",
        "}  // namespace heddle_curand",
        "",
    ]
    (Path(__file__).parent.parent / "include/heddle_curand/xorwow_jumps.h").write_text("\n".join(text))


main()
