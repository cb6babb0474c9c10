# SPDX-License-Identifier: Apache-2.0
"""Writes include/heddle_math/float_polynomials.h and double_polynomials.h: every fitted polynomial of the math library.

Usage: python3 generate.py [name ...]   (with names: fit those again, and what is not there yet; keep the rest)
"""
import re
import subprocess
import sys
from pathlib import Path

import mpmath as mp

from fits import FITS
from remez import fit, round_double, round_float


def literal(value, kind):
    if kind == "float":
        text = repr(float(mp.nstr(value, 9)))
        return (text if "." in text or "e" in text else text + ".0") + "f"
    return repr(float(value))


def render(entry):
    rounding = round_float if entry.kind == "float" else round_double
    powers = entry.powers
    coefficients, worst = fit(entry.target, entry.weight, powers, entry.a, entry.b, rounding, entry.exact)
    bits = float(mp.log(worst, 2))
    print(f"{entry.kind:6} {entry.name:28} {len(powers):2} coefficients, error 2^{bits:.1f}", file=sys.stderr)
    arguments = ", ".join(literal(c, entry.kind) for c in coefficients)
    text = f"// {entry.comment} Error 2^{bits:.1f}.\n"
    line = f"HEDDLE_MATH {entry.kind} {entry.name}({entry.kind} t) {{ return polynomial(t, {arguments}); }}\n"
    return text + line


def combined(known, kind):
    """One polynomial with selectable sine or cosine coefficients, to avoid divergence."""
    cosine, sine = (
        re.split(r",\s+", re.search(r"polynomial\(\s*t,\s+(.*?)\)", known[name], re.S).group(1))
        for name in ("cos_tail", "sin_tail")
    )
    arguments = ", ".join(f"cosine ? {c} : {s}" for c, s in zip(cosine, sine))
    return (
        "// sin_tail or cos_tail, by selected coefficients.\n"
        f"HEDDLE_MATH {kind} sin_or_cos_tail({kind} t, bool cosine) {{ return polynomial(t, {arguments}); }}\n"
    )


def write(file, kind, known):
    parts = [
        "// SPDX-License-Identifier: Apache-2.0\n"
        "// Minimax polynomials of the math library. Written by platforms/cuda/coefficients/generate.py: change that.\n"
        "#pragma once\n\n"
        '#include "primitives.h"\n\n'
        "namespace heddle_math {\n"
    ]
    parts += [known[entry.name] for entry in FITS if entry.kind == kind and entry.name in known]
    parts.append(combined(known, kind))
    parts.append("}  // namespace heddle_math\n")
    file.write_text("\n".join(parts))
    subprocess.run(["clang-format-14", "-i", str(file)], check=True)


def main():
    wanted = sys.argv[1:]
    include = Path(__file__).parent.parent / "include" / "heddle_math"
    for kind in ("float", "double"):
        file = include / f"{kind}_polynomials.h"
        known = {}
        if file.exists():
            for block in file.read_text().split("\n\n"):
                match = re.search(r"HEDDLE_MATH \w+ (\w+)\(", block)
                if match:
                    known[match.group(1)] = block.strip("\n") + "\n"
        for entry in FITS:
            if entry.kind == kind and (not wanted or entry.name in wanted or entry.name not in known):
                known[entry.name] = render(entry)
                if "sin_tail" in known and "cos_tail" in known:
                    write(file, kind, known)  # a fit takes minutes: save progress


if __name__ == "__main__":
    main()
