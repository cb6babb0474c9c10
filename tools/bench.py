#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the model's speed: the six programs of bench/ timed on a machine and run functionally, and what a cycle costs
by number of SMs.

Every figure is of the whole process: user processor time, largest resident memory. One process runs at a time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["vecadd", "matmul", "tmatmul", "mandel", "spmv", "bfs"]
SM_COUNTS = [1, 2, 4, 8, 15, 30]
# Elements of vecadd for each SM: 16 blocks of 256 threads, two rounds of what an SM holds and more.
ELEMENTS_PER_SM = 64 * 256


class Failed(Exception):
    """A program that did not end well."""


def run_once(heddle, program, arguments, options):
    """Runs a program to its end; returns user seconds, wall seconds, peak bytes and its run.json."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(heddle), "run", "--quiet", "--output", folder, *options, str(program), *arguments]
        output = Path(folder) / "output"
        start = time.monotonic()
        with open(output, "wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {process.returncode}\n{output.read_text(errors='replace')}")
        with open(Path(folder) / "run.json", encoding="utf-8") as file:
            return usage.ru_utime, wall, usage.ru_maxrss * 1024, json.load(file)


def measure(heddle, program, arguments, options, repeats):
    """Medians over `repeats` runs, after one that warms the machine and does not count."""
    if repeats > 1:
        run_once(heddle, program, arguments, options)
    runs = [run_once(heddle, program, arguments, options) for _ in range(repeats)]
    kernels = runs[0][3]["kernels"]
    user = statistics.median(run[0] for run in runs)
    cycles = sum(kernel.get("cycles", 0) for kernel in kernels)
    threads = sum(kernel["thread_instructions"] for kernel in kernels)
    warps = sum(kernel["warp_instructions"] for kernel in kernels)
    result = {
        "user_seconds": user,
        "wall_seconds": statistics.median(run[1] for run in runs),
        "peak_bytes": max(run[2] for run in runs),
        "thread_instructions": threads,
        "warp_instructions": warps,
        "thread_instructions_per_second": threads / user,
    }
    if cycles:
        result |= {"cycles": cycles, "cycles_per_second": cycles / user, "microseconds_per_cycle": 1e6 * user / cycles}
    return result


def number(value):
    """1234567 as 1.23 M."""
    for prefix in ("", " k", " M", " G"):
        if value < 1000:
            return f"{value:.3g}{prefix}"
        value /= 1000
    return f"{value:.3g} T"


def main():
    parser = argparse.ArgumentParser(prog="heddle bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--machine", default="gtx480", help="preset or machine description (gtx480)")
    parser.add_argument("--repeats", type=int, default=5,
                        help="runs of each program, of which the median counts (5); 1: one run, without a warm-up before it")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="which programs, by name")
    parser.add_argument("--sms", default=",".join(map(str, SM_COUNTS)), help="numbers of SMs; empty: none")
    parser.add_argument("--build", default=ROOT / "build/release", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    heddle, folder = options.build / "bin/heddle", options.build / "bench"
    with open(ROOT / "bench/incumbent.json", encoding="utf-8") as file:
        incumbent = json.load(file)["programs"]
    report = {"machine": options.machine, "repeats": options.repeats, "programs": {}, "functional": {}, "sms": {}}
    chosen = [name for name in options.programs.split(",") if name]
    for name in chosen:
        if name not in PROGRAMS:
            parser.error(f"--programs: '{name}' is not one of {', '.join(PROGRAMS)}")

    print(f"timed on {options.machine}")
    print(f"{'program':9}{'cycles':>10}{'user s':>8}{'cycles/s':>10}{'us/cycle':>10}{'thread-instr/s':>16}"
          f"{'memory':>9}{'against GPGPU-Sim':>20}{'its cycles':>12}")
    for name in chosen:
        figures = measure(heddle, folder / name, [], ["--machine", options.machine], options.repeats)
        ratio = figures["thread_instructions_per_second"] / incumbent[name]["thread_instructions_per_second"]
        figures["rate_against_incumbent"] = ratio
        report["programs"][name] = figures
        print(f"{name:9}{figures['cycles']:>10}{figures['user_seconds']:>8.2f}{number(figures['cycles_per_second']):>10}"
              f"{figures['microseconds_per_cycle']:>10.2f}{number(figures['thread_instructions_per_second']):>16}"
              f"{figures['peak_bytes'] / 1e6:>6.0f} MB{ratio:>19.1f}x{incumbent[name]['cycles']:>12}", flush=True)

    print("\nfunctionally")
    print(f"{'program':9}{'user s':>8}{'thread-instr/s':>16}{'memory':>9}")
    for name in chosen:
        figures = measure(heddle, folder / name, [], ["--functional"], options.repeats)
        report["functional"][name] = figures
        print(f"{name:9}{figures['user_seconds']:>8.2f}{number(figures['thread_instructions_per_second']):>16}"
              f"{figures['peak_bytes'] / 1e6:>6.0f} MB", flush=True)

    counts = [int(count) for count in options.sms.split(",") if count]
    if counts:
        print("\ncost of a cycle by number of SMs (vecadd, the same work for each SM)")
        print(f"{'SMs':>4}{'cycles':>10}{'user s':>8}{'us/cycle':>10}{'us/SM-cycle':>13}")
    for count in counts:
        settings = ["--machine", options.machine, f"--set=gpu.sm_classes.0.count={count}"]
        figures = measure(heddle, folder / "vecadd", [str(count * ELEMENTS_PER_SM)], settings, options.repeats)
        report["sms"][str(count)] = figures
        cost = figures["microseconds_per_cycle"]
        print(f"{count:>4}{figures['cycles']:>10}{figures['user_seconds']:>8.2f}{cost:>10.2f}{cost / count:>13.3f}",
              flush=True)

    if options.json:
        draft = Path(options.json + ".part")
        draft.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        draft.replace(options.json)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        print(f"heddle bench: error: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        print(f"heddle bench: error: {error}", file=sys.stderr)
        sys.exit(106)
