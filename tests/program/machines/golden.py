#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the model's cycles and counters with the recorded ones.

For every workload on every preset, and on preset `small` in every variant, the record holds the cycles and instructions of
each kernel and a digest of all counters; for presets also the counters, by class of module. A change without timing
effects must reproduce all of them; a change that affects some updates the record and states this in its commit.

usage: golden.py HEDDLE PROGRAMS CATALOGUE compare [--shard I/N] [--machines a,b] [--variants v,w] [--programs p,q] [--jobs N]
       golden.py HEDDLE PROGRAMS CATALOGUE record  [--machines a,b] [--variants v,w] [--programs p,q] [--jobs N]

`compare` runs the recorded runs and prints the differences. `record` runs all, or the selected ones, and writes the
record.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

import matrix

RECORD = Path(__file__).resolve().parent / "golden.json.xz"
PUBLISHED = "as published"
SHOWN = 12  # differences of one run


def leaves(node, path=""):
    """Numbers of nested objects by path, without zeros, so that an absent counter equals one that never counted."""
    if isinstance(node, dict):
        return {key: value for name, child in node.items() for key, value in leaves(child, f"{path}.{name}".lstrip(".")).items()}
    return {} if node == 0 or not isinstance(node, (int, float)) else {path: node}


def digest(node):
    return hashlib.sha256(json.dumps(leaves(node), sort_keys=True).encode()).hexdigest()[:16]


def of_run(run):
    """The recorded part of a run.json."""
    kernels = [[kernel["cycles"], kernel["thread_instructions"], kernel["warp_instructions"]] for kernel in run["kernels"]
               if kernel["timed"]]
    statistics = run["statistics"]
    return {"kernels": kernels, "counters": leaves(statistics["classes"]), "digest": digest(statistics)}


def measure(heddle, folder, name, machine, variant):
    """Returns (name, machine, variant), the recorded part, and the reason if there is none."""
    key = (name, machine, variant)
    program = f"{folder}/{name}"
    with tempfile.TemporaryDirectory() as results:
        command = [heddle, "run", "--quiet", "--output", f"{results}/run", "--machine", machine, *matrix.settings_of(variant),
                   *matrix.profile_settings(heddle, program, machine, variant, results), program, "--size", "small"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return key, None, f"status {done.returncode}: {' | '.join((done.stdout + done.stderr).strip().splitlines()[-2:])}"
        with open(f"{results}/run/run.json", encoding="utf-8") as file:
            return key, of_run(json.load(file)), None


def all_keys(options):
    """All runs of the record: workload, machine, variant."""
    with open(options.catalogue, encoding="utf-8") as file:
        programs = json.load(file)["programs"]
    small = [v for v in matrix.different_machines(options.heddle, "small", [PUBLISHED, *matrix.VARIANTS]) if v != PUBLISHED]
    machines = [(machine, PUBLISHED) for machine in matrix.PRESETS] + [("small", variant) for variant in small]
    return [(program["name"], machine, variant) for machine, variant in machines for program in programs
            if not matrix.may_never_end(program, variant)]


def chosen(keys, options):
    wanted = [names.split(",") if names else None for names in (options.programs, options.machines, options.variants)]
    return [key for key in keys if all(names is None or part in names for part, names in zip(key, wanted))]


def run_all(keys, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda key: measure(options.heddle, options.folder, *key), keys)


def differences(was, now):
    """Differences of a run, those in kernel cycles first."""
    if [kernel[1] for kernel in was["kernels"]] != [kernel[1] for kernel in now["kernels"]]:
        yield "its kernels execute other instructions: was the program compiled as it was for the record?"
    for what, place in (("cycles", 0), ("warp-instructions", 2)):
        before, after = ([kernel[place] for kernel in run["kernels"]] for run in (was, now))
        if before != after:
            yield f"{what}: {sum(before):,} -> {sum(after):,}"
    if was["digest"] == now["digest"]:
        return
    if was["counters"] is None:
        yield "counters, which the record has of presets only"
        return
    moved = [name for name in sorted(was["counters"].keys() | now["counters"].keys())
             if was["counters"].get(name, 0) != now["counters"].get(name, 0)]
    for name in moved:
        yield f"{name}: {was['counters'].get(name, 0):,} -> {now['counters'].get(name, 0):,}"
    if not moved:
        yield "counters of single instances; their sums are the same"


def read_record():
    with lzma.open(RECORD, "rt", encoding="utf-8") as file:
        record = json.load(file)
    runs = {tuple(key): {"kernels": kernels, "counters": None, "digest": digest} for key, kernels, digest in record["runs"]}
    # By counter, because similar numbers next to each other compress better.
    published = [run for key, run in runs.items() if key[2] == PUBLISHED]
    for run in published:
        run["counters"] = {}
    for name, values in record["counters"].items():
        for run, value in zip(published, values):
            if value:
                run["counters"][name] = value
    return runs


def write_record(runs):
    runs = dict(sorted(runs.items()))
    published = [run["counters"] for key, run in runs.items() if key[2] == PUBLISHED]
    names = sorted({name for counters in published for name in counters})
    record = {"runs": [[key, run["kernels"], run["digest"]] for key, run in runs.items()],
              "counters": {name: [counters.get(name, 0) for counters in published] for name in names}}
    with lzma.open(RECORD, "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as file:
        json.dump(record, file, separators=(",", ":"))


def record(options):
    keys = chosen(all_keys(options), options)
    part = bool(options.machines or options.programs or options.variants)
    runs, failed = read_record() if part and RECORD.exists() else {}, 0
    for key, run, problem in run_all(keys, options):
        if problem:
            failed += 1
            print(f"FAILED {key[0]} on {key[1]} ({key[2]}): {problem}", flush=True)
        else:
            runs[key] = run
    if failed:
        print(f"{failed} of {len(keys)} runs failed: nothing was written")
        return 1
    write_record(runs)
    print(f"{len(keys)} runs recorded, {RECORD.stat().st_size:,} bytes")
    return 0


def compare(options):
    runs = read_record()
    keys = chosen(list(runs), options)
    first, step = (int(number) for number in options.shard.split("/"))
    keys = keys[first - 1::step]
    moved = collections.Counter()
    for key, run, problem in run_all(keys, options):
        lines = [problem] if problem else list(differences(runs[key], run))
        if not lines:
            continue
        moved[key[1:]] += 1
        print(f"DIFFERS {key[0]} on {key[1]} ({key[2]}):", flush=True)
        for line in lines[:SHOWN]:
            print(f"  {line}")
        if len(lines) > SHOWN:
            print(f"  and {len(lines) - SHOWN} more")
    print(f"{len(keys)} runs compared, {sum(moved.values())} differ")
    for (machine, variant), count in sorted(moved.items()):
        print(f"  {count:3} on {machine} ({variant})")
    if not keys:
        print("FAILED: the record has none of these")
    return 1 if moved or not keys else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("folder")
    parser.add_argument("catalogue")
    parser.add_argument("action", choices=["compare", "record"])
    parser.add_argument("--machines", default="")
    parser.add_argument("--programs", default="")
    parser.add_argument("--variants", default="", help=f"'{PUBLISHED}' for presets without changes")
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth run of the record, from the Ith on")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    return record(options) if options.action == "record" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
