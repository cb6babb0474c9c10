#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the model's speed: the six programs of bench/, timed on a machine and in functional mode, timed on
several threads, and the cost of a cycle by number of SMs.

All figures are of whole processes (user processor time, with several threads wall time, peak resident memory), which run
one at a time. Each is the best of several runs.
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

from outputs import check_output, say_written

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["vecadd", "matmul", "tmatmul", "mandel", "spmv", "bfs"]
SM_COUNTS = [1, 2, 4, 8, 15, 30]
# Elements of vecadd per SM: 64 blocks of 256 threads, several times what an SM holds.
ELEMENTS_PER_SM = 64 * 256


class Failed(Exception):
    """A program that failed."""


def run_once(heddle, program, arguments, options):
    """Runs a program. Returns user seconds, wall seconds, peak bytes, and the cycles, thread-instructions and
    warp-instructions from its run.json. The file itself is not kept in memory: a child's peak memory includes that of
    this process at its start."""
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
            kernels = json.load(file)["kernels"]
    sums = [sum(kernel.get(key, 0) for kernel in kernels)
            for key in ("cycles", "thread_instructions", "warp_instructions")]
    return usage.ru_utime, wall, usage.ru_maxrss * 1024, sums


def measure(heddle, jobs, repeats):
    """Figures by job name. jobs: (name, program, arguments, options). All jobs run in `repeats` rounds, after a warm-up
    round that does not count. The best run counts, since other load on the host can only add to a process's time; the
    median shows how much it added."""
    runs = {job[0]: [] for job in jobs}
    for turn in range(repeats + 1 if repeats > 1 else 1):
        if sys.stderr.isatty():
            print(f"  round {turn + 1}\r", end="", file=sys.stderr, flush=True)
        for name, program, arguments, options in jobs:
            runs[name].append(run_once(heddle, program, arguments, options))
    if repeats > 1:
        runs = {name: counted[1:] for name, counted in runs.items()}
    return {name: figures_of(counted) for name, counted in runs.items()}


def figures_of(runs):
    user = min(run[0] for run in runs)
    cycles, threads, warps = runs[0][3]
    result = {
        "user_seconds": user,
        "median_user_seconds": statistics.median(run[0] for run in runs),
        "wall_seconds": min(run[1] for run in runs),
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
    parser.add_argument("-f", "--force", action="store_true", help="replace FILE if it exists")
    parser.add_argument("--machine", default="gtx480", help="preset or machine description (gtx480)")
    parser.add_argument("--repeats", type=int, default=5,
                        help="runs of each program, of which the best counts (5); 1: a single run without warm-up")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="names of the programs to run")
    parser.add_argument("--sms", default=",".join(map(str, SM_COUNTS)), help="numbers of SMs; empty: none")
    parser.add_argument("--threads", default="2", help="numbers of threads to run the programs on as well (2); empty: none")
    parser.add_argument("--build", default=ROOT / "build/release", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        check_output(options.json, options.force)
    heddle, folder = options.build / "bin/heddle", options.build / "bench"
    with open(ROOT / "bench/incumbent.json", encoding="utf-8") as file:
        incumbent = json.load(file)["programs"]
    report = {"machine": options.machine, "repeats": options.repeats}
    chosen = [name for name in options.programs.split(",") if name]
    for name in chosen:
        if name not in PROGRAMS:
            parser.error(f"--programs: '{name}' is not one of {', '.join(PROGRAMS)}")

    print(f"timed on {options.machine}")
    print(f"{'program':9}{'cycles':>10}{'user s':>8}{'median':>8}{'cycles/s':>10}{'us/cycle':>10}{'thread-instr/s':>16}"
          f"{'memory':>9}{'against GPGPU-Sim':>20}{'its cycles':>12}", flush=True)
    timed = ["--machine", options.machine]
    report["programs"] = measure(heddle, [(name, folder / name, [], timed) for name in chosen], options.repeats)
    for name, figures in report["programs"].items():
        ratio = figures["thread_instructions_per_second"] / incumbent[name]["thread_instructions_per_second"]
        figures["rate_against_incumbent"] = ratio
        print(f"{name:9}{figures['cycles']:>10}{figures['user_seconds']:>8.2f}{figures['median_user_seconds']:>8.2f}"
              f"{number(figures['cycles_per_second']):>10}{figures['microseconds_per_cycle']:>10.2f}"
              f"{number(figures['thread_instructions_per_second']):>16}{figures['peak_bytes'] / 1e6:>6.0f} MB"
              f"{ratio:>19.1f}x{incumbent[name]['cycles']:>12}")

    print("\nfunctional mode")
    print(f"{'program':9}{'user s':>8}{'thread-instr/s':>16}{'memory':>9}", flush=True)
    report["functional"] = measure(heddle, [(name, folder / name, [], ["--functional"]) for name in chosen],
                                   options.repeats)
    for name, figures in report["functional"].items():
        print(f"{name:9}{figures['user_seconds']:>8.2f}{number(figures['thread_instructions_per_second']):>16}"
              f"{figures['peak_bytes'] / 1e6:>6.0f} MB")

    counts = [count for count in options.threads.split(",") if count]
    if counts:
        print("\nwall time by number of threads, in seconds and times as fast as one")
        print(f"{'program':9}{1:>8}" + "".join(f"{count:>16}" for count in counts), flush=True)
    report["threads"] = {}
    for name in chosen if counts else []:
        runs = measure(heddle, [(count, folder / name, [], [*timed, "--threads", count]) for count in ["1", *counts]], options.repeats)
        report["threads"][name] = runs
        one = runs["1"]["wall_seconds"]
        print(f"{name:9}{one:>8.2f}" + "".join(f"{runs[count]['wall_seconds']:>8.2f}{one / runs[count]['wall_seconds']:>7.2f}x" for count in counts))

    counts = [count for count in options.sms.split(",") if count]
    if counts:
        print("\ncost of a cycle by number of SMs (vecadd, equal work per SM)")
        print(f"{'SMs':>4}{'cycles':>10}{'user s':>8}{'us/cycle':>10}{'us/SM-cycle':>13}", flush=True)
    report["sms"] = measure(
        heddle, [(count, folder / "vecadd", [str(int(count) * ELEMENTS_PER_SM)],
                  [*timed, f"--set=gpu.sm_classes.0.count={count}"]) for count in counts], options.repeats)
    for count, figures in report["sms"].items():
        cost = figures["microseconds_per_cycle"]
        print(f"{count:>4}{figures['cycles']:>10}{figures['user_seconds']:>8.2f}{cost:>10.2f}{cost / int(count):>13.3f}")

    if options.json:
        text = json.dumps(report, indent=2) + "\n"
        if Path(options.json).exists() and not Path(options.json).is_file():
            Path(options.json).write_text(text, encoding="utf-8")  # a device or a pipe
        else:
            draft = Path(options.json + ".part")
            draft.write_text(text, encoding="utf-8")
            draft.replace(options.json)
        say_written("bench", f"{options.json} (figures)")
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
