#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line, branch and toggle coverage of the blocks of rtl/ by their vectors: everything reachable must be reached.

usage: coverage.py PROGRAM UNREACHABLE. PROGRAM is rtl_vectors_covered. UNREACHABLE lists, by block, the signal bits that
cannot toggle, and why: {block: {signal: [rule, why]}}; `module.signal` where modules of a block share a name. A rule is an expression of `bit`, the bit's number, and of LANES,
`lane` = bit % LANES and `plane` = bit // LANES. The bits not reached and the bits listed must be identical. Requires
verilator_coverage, which merges the counts of several objects of a block.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

KINDS = ["line", "branch", "toggle"]


def points(folder, block):
    """Yields (kind, module, signal or place, bit, count) for every coverage point of a block."""
    merged = f"{folder}/{block}.merged"
    subprocess.run(["verilator_coverage", "--write", merged, *map(str, pathlib.Path(folder).glob(f"{block}.*.dat"))],
                   check=True, stdout=subprocess.DEVNULL)
    for line in pathlib.Path(merged).read_text(encoding="utf-8", errors="replace").splitlines():
        match = re.match(r"C '(.*)' (\d+)$", line)
        if not match:
            continue
        fields = dict(field.split("\x02", 1) for field in match[1].split("\x01") if field)
        kind = fields["page"].split("/")[0].removeprefix("v_")
        name = re.match(r"([^\[]*)(?:\[(\d+)\])?", fields["o"])
        where = name[1] if kind == "toggle" else f"{os.path.basename(fields['f'])}:{fields['l']} {fields['o']}"
        yield kind, pathlib.Path(fields["f"]).stem, where, int(name[2] or 0), int(match[2])


def main():
    program, unreachable = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    wrong = []
    print("| block | lines | branches | toggles | of these unreachable |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program], env=os.environ | {"HEDDLE_RTL_COVERAGE": folder}, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} failed:\n{done.stdout[-3000:]}")
        for block, rules in unreachable.items():
            lanes = int(re.search(r"(\d+)$", block)[1])
            reached, all_points, named = collections.Counter(), collections.Counter(), 0
            for kind, module, where, bit, count in points(folder, block):
                all_points[kind] += 1
                reached[kind] += count > 0
                rule = rules.get(f"{module}.{where}", rules.get(where, ["False"]))[0] if kind == "toggle" else "False"
                never = bool(eval(rule, {"bit": bit, "lane": bit % lanes, "plane": bit // lanes, "LANES": lanes}))
                named += never
                if never == (count > 0):
                    wrong.append(f"{block}: {kind} {where} bit {bit} is " +
                                 ("listed as unreachable but was reached" if never else "not reached"))
            if all_points["toggle"] == 0:
                wrong.append(f"{block}: no coverage was recorded")
            print(f"| `{block}` | " + " | ".join(f"{reached[kind]} of {all_points[kind]}" for kind in KINDS) + f" | {named} |")
    print("\n".join(wrong[:50]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
