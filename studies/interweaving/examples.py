# SPDX-License-Identifier: Apache-2.0
"""Patterns of control flow (patterns.cu) and worked examples (worked_examples.cu), each of which answers one question."""
import functools
import json
import pathlib
import tempfile

from machines import MACHINES, Interweaved, gain
from study import BUILD, HEDDLE, Run, RunFailed, on_machine, output_of, resolved

BLOCKS = 8


@functools.lru_cache(maxsize=None)
def pattern(name, machine, rounds="40", number=None):
    arguments = [name, str(BLOCKS), rounds, *([] if number is None else [number])]
    return Interweaved(machine, "studies/interweaving/patterns", arguments)


def pattern_gain(name, new, old, **more):
    return gain(pattern(name, new, **more), pattern(name, old, **more))


def unbalanced_and_balanced(machine):
    """Gains over one split at a time of if-then-else, with ways of equal length and of lengths one to nine."""
    return [pattern_gain(name, machine, "TF-64") for name in ("imbalanced", "balanced")]


def unstructured_issues():
    """Instructions issued where loops are left by jumps, without and with constraints."""
    return [pattern("breaks", machine, "20").instructions for machine in ("SBI", "SBI+constraints")]


@functools.lru_cache(maxsize=None)
def worked(kernel, machine):
    """Cycles of a worked example."""
    preset, settings = MACHINES[machine]
    return Run(preset, settings, "studies/interweaving/worked_examples", [kernel]).all_cycles


def subdivision_gain():
    """Gain of warp subdivision over its own baseline where only branches, no loads, diverge."""
    cycles = [Run(preset, [], "studies/interweaving/patterns", ["balanced", str(BLOCKS), "40"]).all_cycles for preset in ("barrel-core", "subdivision-core")]
    return 100 * (cycles[0] / cycles[1] - 1)


@functools.lru_cache(maxsize=None)
def description(machine, more=()):
    preset, settings = MACHINES[machine]
    return json.loads(resolved(preset, (*settings, *more)))


def value_of(node):
    return node["value"] if isinstance(node, dict) else node


def multiply_add_lanes(machine):
    alu = description(machine)["gpu"]["sm_classes"][0]["sm"]["alu"]
    return value_of(alu["count"]) * value_of(alu["lanes"])


def lanes_a_front_end(machine):
    """Multiply-add lanes for each instruction that is fetched a cycle."""
    return multiply_add_lanes(machine) / value_of(description(machine)["gpu"]["sm_classes"][0]["sm"]["fetch"]["width"])


@functools.lru_cache(maxsize=None)
def structure(preset, name, *settings):
    """Entries and bits of an entry of a declared structure, by the end of its path."""
    text = output_of([str(HEDDLE), "cost", "--all", "--json", "-", *on_machine(preset, settings)], f"cost of {preset}")
    for mechanism in json.loads(text)["mechanisms"]:
        for each in mechanism["structures"]:
            if each["name"].endswith("." + name):
                return each["entries"], each["bits"] // each["entries"]
    raise RunFailed(f"cost of {preset}: no structure {name}")


def matrix_bits():
    """Bits of an entry of the dependency matrix with warps of 32 and of 64 threads."""
    return [structure("interweaving-sm", "hazards.entries", f"sm.warp_size={size}", f"sm.simd_width={size}")[1] for size in (32, 64)]


def searched(machine):
    """Instructions that the second scheduler compares at once."""
    preset, settings = MACHINES[machine]
    return structure(preset, "cascade.search", *settings)[0]


@functools.lru_cache(maxsize=None)
def waveform(name):
    """Values over time of the splits that wait for the sorter and of the rows in use, of a pattern on SBI."""
    preset, settings = MACHINES["SBI"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.vcd"
        output_of([str(HEDDLE), "run", "--quiet", *on_machine(preset, settings), "--output", folder, "--vcd", str(file), "--signals", "sm0.*",
                   str(BUILD / "studies/interweaving/patterns"), name, "4", "6"], f"waveform of {name}")
        return changes(file.read_text(), {"new_splits", "used"})


def changes(vcd, names):
    """Values of signals of a waveform in order of time, by name."""
    codes, values = {}, {name: [] for name in names}
    for line in vcd.splitlines():
        words = line.split()
        if line.startswith("$var") and words[4] in names:
            codes[words[3]] = words[4]
        elif line.startswith("b") and words[1] in codes and "x" not in words[0]:
            values[codes[words[1]]].append(int(words[0][1:], 2))
    return values


def most_new_splits(name):
    """Most splits that became new in one cycle: one that the sorter takes, and those that it has to leave."""
    return 1 + max(waveform(name)["new_splits"])


def most_insertions(name):
    used = waveform(name)["used"]
    return max(after - before for before, after in zip(used, used[1:]))
