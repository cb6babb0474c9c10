#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the totals of several runs side by side. usage: compare_runs.py run.json run.json..."""
import json
import pathlib
import sys

SCHEMA_VERSION = 1  # of run.json, the newest that is understood here


def check(path, run):
    """Ends the program unless `run` is the content of a run.json that this version understands."""
    version = run.get("schema_version") if isinstance(run, dict) else None
    if not isinstance(version, int):
        sys.exit(f"compare_runs: {path}: is no result of a run: it has no schema_version")
    if version > SCHEMA_VERSION:
        sys.exit(f"compare_runs: {path}: schema version {version} is newer than {SCHEMA_VERSION}, the newest understood "
                 "here: use the compare_runs.py of the version that wrote it")


def totals(run):
    """Ordered {quantity: number} of one run.json; a quantity that the run does not have is left out."""
    kernels = run.get("kernels", [])
    rows = {"kernel launches": len(kernels)}
    for name, key in (("thread-instructions", "thread_instructions"), ("warp-instructions", "warp_instructions")):
        if kernels and all(key in kernel for kernel in kernels):
            rows[name] = sum(kernel[key] for kernel in kernels)
    timed = [kernel for kernel in kernels if kernel.get("timed")]
    rows["timed launches"] = len(timed)
    whole = run.get("run", {})
    if "cycles" in whole:
        rows["cycles"] = whole["cycles"]
    elif timed and all("cycles" in kernel for kernel in timed):
        rows["cycles"] = sum(kernel["cycles"] for kernel in timed)
    if "simulated_seconds" in whole:
        rows["simulated time (us)"] = whole["simulated_seconds"] * 1e6
    rows.update(run.get("statistics", {}).get("machine", {}))
    return rows


def text(value):
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def main(paths):
    if not paths:
        sys.exit("usage: compare_runs.py run.json run.json...")
    runs = []
    for path in map(pathlib.Path, paths):
        try:
            run = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            sys.exit(f"compare_runs: {path}: {error}")
        check(path, run)
        name = run.get("identity", {}).get("machine") or path.parent.name
        runs.append((name, totals(run)))
    rows = list(dict.fromkeys(quantity for _, numbers in runs for quantity in numbers))
    table = [[""] + [name for name, _ in runs]]
    table += [[row] + [text(numbers.get(row)) for _, numbers in runs] for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
