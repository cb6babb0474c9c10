# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the large-warps study: the figures of its source, and the results of each program."""
import itertools
import sys

from machines import BUCKETS, FIVE, MACHINES, PROGRAMS, gain, mean
from study import bars


def write(got, folder, known):
    """Writes one chart per figure, and programs.md. Programs with a failed run are omitted, which the titles mention."""
    drawn = [bars(folder / f"{name}.svg", title, "IPC over the baseline, %", groups, marks) for name, title, groups, marks in charts(got, known)]
    if not all(drawn):
        print("no charts: they need gnuplot (package gnuplot-nox)", file=sys.stderr)
    with open(folder / "programs.md", "w", encoding="utf-8") as file:
        file.write("\n".join(tables(got)) + "\n")


def charts(got, known):
    stated = {machine: known[f"lw.fig5.1.{name}-vs-baseline"]["source"]
              for machine, name in (("TBC", "tbc"), ("LWM", "lwm"), ("2Lev", "2lev"), ("LWM+2Lev", "both"))}
    figures = {
        "figure-5-1": ("Five machines", {machine: machine for machine in FIVE[1:]}),
        "figure-5-3": ("Size of the large warp", {"64": "LWM-64", "128": "LWM-128", "256": "LWM", "512": "LWM-512"}),
        "figure-5-4": ("Packing", {"columns": "LWM", "arbitrary": "LWM perfRF"}),
        "figure-5-5": ("Tokens and rows", {name: name for name in ("LWM -mem -jump", "LWM +mem", "LWM +jump", "LWM")}),
        "figure-5-6": ("Size of the fetch group", {"8": "2Lev", "16": "2Lev16", "32": "2Lev32"}),
    }
    for name, (title, machines) in figures.items():
        programs = programs_of(got, machines.values())
        if not programs:
            continue
        groups = {program: {label: gain(got.of(machine, program), got.of("baseline", program)) for label, machine in machines.items()} for program in programs}
        groups["average"] = {label: mean(groups[program][label] for program in programs) for label in machines}
        yield name, title + without(programs), groups, stated if name == "figure-5-1" else None


def programs_of(got, machines):
    return got.without_failures({"baseline", *machines})


def without(programs):
    missing = [program for program in PROGRAMS if program not in programs]
    return f" (without {', '.join(missing)}: a run failed)" if missing else ""


def gain_table(title, got, machines):
    programs = programs_of(got, machines)
    lines = [title + without(programs), "", "| program | " + " | ".join(machines) + " |", "|---|" + "---|" * len(machines)]
    gains = {machine: got.gains(machine, "baseline", programs) for machine in machines}
    for program in programs:
        lines.append(f"| {program} | " + " | ".join(f"{gains[machine][program]:+.1f}" for machine in machines) + " |")
    if programs:
        lines.append("| average | " + " | ".join(f"{mean(gains[machine].values()):+.1f}" for machine in machines) + " |")
    return lines


def tables(got):
    lines = gain_table("IPC over the baseline, %", got, FIVE[1:])
    lines += ["", *gain_table("The same on the other machines", got, [machine for machine in MACHINES if machine not in FIVE])]
    programs = programs_of(got, FIVE)
    lines += ["", "Cycles by active lanes, %" + without(programs), "", "| program | machine | " + " | ".join(BUCKETS) + " |", "|---|---|" + "---|" * len(BUCKETS)]
    for program, machine in itertools.product(programs, FIVE):
        histogram = got.of(machine, program).histogram
        lines.append(f"| {program} | {machine} | " + " | ".join(f"{histogram[bucket]:.1f}" for bucket in BUCKETS) + " |")
    lines += ["", "| program | thread-instructions | row hits, % | D-cache hits, % | accesses to one line that are under a part of the mask, % |", "|---|---|---|---|---|"]
    for program in programs:
        run = got.of("baseline", program)
        lines.append(f"| {program} | {run.thread_instructions:,} | {run.row_hit_rate:.1f} | {run.hit_rate:.1f} | {run.partial_coalesced:.1f} |")
    return lines
