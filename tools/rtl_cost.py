#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the run time of RTL and lockstep: programs with a block as model, rtl and lockstep, alternating.

usage: rtl_cost.py HEDDLE PROGRAMS [--rounds N] [--size SIZE]. Prints, for each program, the median processor time with
the model and the median ratios of the other kinds to it; then the geometric means.
"""
import argparse
import math
import os
import resource
import statistics
import subprocess

RUNS = [("large-warp-core", "packer", ["mandelbrot", "matmul_tiled", "bfs", "hotspot", "spmv_scalar", "bitonic_sort"]),
        ("database-core", "prefix_sum", ["compaction", "full_table_scan", "index_search", "bfs"])]
KINDS = ["model", "rtl", "lockstep"]


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} exited with {done.returncode}\n{done.stderr[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="medium")
    options = parser.parse_args()
    print("| machine, block | program | model | rtl | lockstep |\n|---|---|---|---|---|")
    for machine, block, programs in RUNS:
        ratios = {kind: [] for kind in KINDS}
        for program in programs:
            path = f"{options.programs}/{program}"
            if not os.path.exists(path):
                continue
            rounds = [{kind: processor_seconds([options.heddle, "run", "-q", "--machine", machine, "--set",
                                                f"sm.blocks.{block}={kind}", path, "--size", options.size])
                       for kind in KINDS} for _ in range(options.rounds)]
            for kind in KINDS:
                ratios[kind].append(statistics.median(taken[kind] / taken["model"] for taken in rounds))
            seconds = statistics.median(taken["model"] for taken in rounds)
            print(f"| {machine}, {block} | {program} | {seconds:.2f} s | {ratios['rtl'][-1]:.2f} | {ratios['lockstep'][-1]:.2f} |",
                  flush=True)
        means = {kind: math.exp(sum(map(math.log, ratios[kind])) / len(ratios[kind])) for kind in KINDS}
        print(f"| {machine}, {block} | geometric mean | | {means['rtl']:.2f} | {means['lockstep']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
