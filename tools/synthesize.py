#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the blocks of rtl/ with Yosys and prints their gates and depth for several sizes.

Gates are inverters and two-input AND, OR and XOR after optimisation; depth is the longest path in such gates between
ports and registers. usage: synthesize.py [--quick] [--write PAGE] [--json FILE [--force]] [--jobs N]; --write replaces the
table between the markers in a page of docs/.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

from outputs import Refused, check_output, say_written

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = [
    ("subwarp_pack", [{"ROWS": rows, "COLUMNS": 32} for rows in (2, 4, 8, 16)]),
    ("prefix_sum_ks", [{"LANES": lanes} for lanes in (8, 16, 32, 64)]),
    ("prefix_sum_wf", [{"LANES": lanes} for lanes in (8, 16, 32, 64)]),
    ("cond_acc_address", [{"LANES": lanes, "ADDRESS_BITS": bits} for lanes, bits in ((8, 32), (32, 32), (32, 64))]),
    ("tree_traverse_sum", [{"LANES": lanes, "RESULT_BITS": bits} for lanes, bits in ((8, 32), (32, 32), (32, 64))]),
    ("context_sort", [{"HOT": hot, "PC_BITS": 32, "THREADS": 64} for hot in (1, 2)]),
    ("secondary_lookup", [{"WAYS": ways, "LANES": 64} for ways in (16, 24, 32, 48)]),
    ("dependency_step", [{"ENTRIES": entries} for entries in (6, 12)]),
    ("pc_coalescer", [{"SLICES": slices, "PC_BITS": 40} for slices in (4, 8)]),
    ("gang_table", [{"SETS": sets, "SLICES": slices, "GANGS": gangs}
                    for sets, slices, gangs in ((4, 4, 2), (32, 4, 2), (32, 8, 1), (32, 8, 2), (32, 8, 4), (48, 8, 2))]),
    ("partner_synch", [{"GROUPS": groups, "PARTNERS": partners} for groups, partners in ((16, 8), (32, 4), (64, 2))]),
    ("mask_merge", [{"PARTNERS": partners, "THREADS": 8} for partners in (2, 4, 8)]),
    ("victim_lookup", [{"WAYS": ways, "TAG_BITS": 40, "LRU": lru} for ways, lru in ((4, 0), (8, 0), (16, 0), (8, 1))]),
    ("prefix_cutoff", [{"LANES": lanes, "VALUE_BITS": 10} for lanes in (8, 32)]),
    ("score_cutoff", [{"WARPS": warps, "SCORE_BITS": 10} for warps in (8, 16, 32)]),
    ("two_level_round_robin", [{"CONTEXTS": contexts, "GROUP_SIZE": size, "COUNT_BITS": 16}
                               for contexts, size in ((4, 1), (32, 8), (32, 16), (32, 32))]),
]
PARTS = {"cond_acc_address": ["prefix_sum_ks"], "tree_traverse_sum": ["prefix_sum_ks"], "gang_table": ["gang_select"],
         "prefix_cutoff": ["prefix_sum_ks"], "score_cutoff": ["prefix_cutoff", "prefix_sum_ks"]}
# Proofs that nodes are equal, which the usual script makes without limit, do not end for sorted or summed numbers; these
# are limited.
LIMITED = "-script +strash;ifraig;scorr;dc2;dretime;strash;&get,-n;&dch,-f;&nf;&put"
SCRIPTS = {"prefix_cutoff": LIMITED, "score_cutoff": LIMITED}
BEGIN, END = "<!-- synthesis: ./heddle synthesize -->", "<!-- end -->"


def synthesize(job):
    block, parameters = job
    start = time.monotonic()
    sources = [ROOT / "rtl" / f"{name}.sv" for name in (block, *PARTS.get(block, []))]
    settings = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    script = "; ".join([
        f"read_verilog -sv {' '.join(map(str, sources))}", f"chparam {settings} {block}", f"synth -flatten -top {block}",
        "select -assert-none t:$_DLATCH* t:$dlatch*",  # no block may contain a latch
        f"abc -g AND,OR,XOR {SCRIPTS.get(block, '')}", "opt_clean", "ltp -noff", "stat"])
    done = subprocess.run(["yosys", "-p", script], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{block} {parameters}: yosys failed\n{done.stdout[-2000:]}{done.stderr}")
    # Only the last statistics count; earlier ones are of intermediate stages.
    counts = done.stdout[done.stdout.rindex("Number of cells"):]
    cells = {kind: int(count) for kind, count in re.findall(r"^\s+(\$_\w+_)\s+(\d+)$", counts, re.M)}
    depth = int(re.findall(r"Longest topological path in .* \(length=(\d+)\)", done.stdout)[-1])
    registers = sum(count for kind, count in cells.items() if "DFF" in kind)
    return {"block": block, "parameters": parameters, "gates": sum(cells.values()) - registers, "registers": registers,
            "depth": depth, "cells": cells, "seconds": round(time.monotonic() - start, 1)}


def table(results):
    lines = ["| block | size | gates | registers | depth |", "|---|---|---|---|---|"]
    for result in results:
        size = ", ".join(f"{name} {value}" for name, value in result["parameters"].items())
        lines.append(f"| `{result['block']}` | {size} | {result['gates']} | {result['registers'] or '-'} | {result['depth']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the smallest size of each block")
    parser.add_argument("--write", type=pathlib.Path, help="page whose table is replaced")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results to this file")
    parser.add_argument("-f", "--force", action="store_true", help="replace that file if it exists")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.json:
        check_output(options.json, options.force)
    if options.write:
        check_output(options.write, True)  # only the table in it is replaced
    jobs = [(block, size) for block, sizes in BLOCKS for size in (sizes[:1] if options.quick else sizes)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(synthesize, jobs))
    text = table(results)
    print(text)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
        say_written("synthesize", f"{options.json} (results)")
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
        say_written("synthesize", f"{options.write} (its table of gates and depth)")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refused:
        print(f"heddle synthesize: error: {refused}", file=sys.stderr)
        sys.exit(106)
