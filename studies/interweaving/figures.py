# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the interweaving study: the figures of its source, each program, and the cost of the hardware."""
import sys

from machines import POLICIES, PROGRAMS, SETS, SPEEDUPS, gain, mean_gain
from study import HEDDLE, RunFailed, bars, output_of
import json

REGULAR = "geometric mean, regular"
IRREGULAR = "geometric mean, irregular"
WAITING = {"SBI": ("SBI+constraints", "SBI"), "SBI+SWI": ("SBI+SWI with constraints", "SBI+SWI")}

# Source: docs/sources/branch-and-warp-interweaving.md, 6, tables 3 and 4. Bits, and thousands of square micrometres.
COMPONENTS = ("scoreboard", "warp pool or hot contexts", "stack or cold contexts", "instruction buffer")
STATED_BITS = {"Baseline": (2304, 3072, 36864, 3072), "SBI": (3456, 4824, 13312, 3072), "SWI": (2304, 2496, 13312, 1536), "SBI+SWI": (6912, 4824, 13312, 3072)}
STATED_AREA = {"Baseline": (87.6, 66.8, 584.4, 52.8), "SBI": (65.6, 88.8, 480.8, 52.8), "SWI": (87.6, 43.8, 480.8, 33.4), "SBI+SWI": (131.2, 88.8, 480.8, 67.4)}
STATED_LOGIC = {"Baseline": 0, "SBI": 570, "SWI": 570 + 27.4, "SBI+SWI": 570 + 27.4}  # segmented registers, associative scheduler
SM_AREA = 15600
COST_MACHINES = {"Baseline": "interweaving-baseline-24", "SBI": "interweaving-sm-24", "SWI": "interweaving-warps-24", "SBI+SWI": "interweaving-both-24"}
# Structures of the model for each component: end of the path, and the fields that the source's table counts.
PARTS = {
    "scoreboard": (("hazards.scoreboard", None), ("hazards.entries", None)),
    "warp pool or hot contexts": (("hot_contexts.rows", None), ("issue.contexts", ("pc",))),
    "stack or cold contexts": (("grouping.stack", None), ("cold_contexts.rows", None)),
    "instruction buffer": (("issue.buffers", ("instructions",)),),
}


def write(got, folder, known):
    """Writes one chart per figure, programs.md and hardware.md. Programs with a failed run are omitted, which titles mention."""
    drawn = [bars(folder / f"{name}.svg", title, unit, groups, marks) for name, title, unit, groups, marks in charts(got, known)]
    if not all(drawn):
        print("no charts: they need gnuplot (package gnuplot-nox)", file=sys.stderr)
    for name, lines in (("programs.md", tables(got)), ("hardware.md", hardware())):
        with open(folder / name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def stated(known, **targets):
    return {name.replace("_", " "): known[f"bwi.{target}"]["source"] for name, target in targets.items()}


def with_means(got, programs, values):
    """Values by program and bar, and their means by class, for the programs of which all runs succeeded."""
    groups = {program: values(program) for program in programs}
    for label, members in ((REGULAR, got.regular), (IRREGULAR, got.irregular)):
        members = [program for program in members if program in groups]
        if members:
            groups[label] = {bar: mean_gain(groups[program][bar] for program in members) for bar in groups[members[0]]}
    return groups


def charts(got, known):
    def speedups(machines, base):
        programs = got.without_failures({base, "TF-64", *machines})
        return with_means(got, programs, lambda program: {machine: gain(got.of(machine, program), got.of(base, program)) for machine in machines})

    regular = stated(known, SBI="fig7.sbi-regular", SWI="fig7.swi-regular") | {"SBI+SWI with constraints": known["bwi.fig7.both-regular"]["source"]}
    irregular = stated(known, SBI="fig7.sbi-irregular", SWI="fig7.swi-irregular") | {"SBI+SWI with constraints": known["bwi.fig7.both-irregular"]["source"]}
    yield from by_class("figure-7", "Speed over the baseline", got, speedups(SPEEDUPS, "Baseline"), regular, irregular)
    programs = got.without_failures({"TF-64", *(machine for pair in WAITING.values() for machine in pair)})
    waits = with_means(got, programs, lambda program: {name: gain(got.of(new, program), got.of(old, program)) for name, (new, old) in WAITING.items()})
    yield from by_class("figure-8a", "Constraints: speed over the same machine without", got, waits, {"SBI": 0}, {"SBI": 0})
    policies = [name for name in POLICIES if name != "Identity"]
    programs = got.without_failures({"TF-64", *(f"SWI {name}" for name in POLICIES)})
    lanes = with_means(got, programs, lambda program: {name: gain(got.of(f"SWI {name}", program), got.of("SWI Identity", program)) for name in policies})
    yield from by_class("figure-8b", "Lane policies: speed over Identity", got, lanes, stated(known, XorRev="fig8b.xorrev-regular"),
                        stated(known, XorRev="fig8b.xorrev-irregular"))
    sets = {name: name for name in list(SETS)[1:]}
    programs = got.without_failures({"TF-64", *SETS})
    kept = with_means(got, programs, lambda program: {name: gain(got.of(name, program), got.of("SWI", program)) for name in sets})
    yield from by_class("figure-9", "Sets of warps: speed over fully associative look-up", got, kept,
                        {"SWI direct-mapped": known["bwi.fig9.dm-regular"]["source"] - 100}, {"SWI direct-mapped": known["bwi.fig9.dm-irregular-quotient"]["source"] - 100})


def by_class(name, title, got, groups, regular, irregular):
    """A chart each of the regular and the irregular programs, with the source's means as marks."""
    for label, members, mean, marks in (("regular", got.regular, REGULAR, regular), ("irregular", got.irregular, IRREGULAR, irregular)):
        shown = {group: bars_of for group, bars_of in groups.items() if group in members or group == mean}
        if shown:
            yield f"{name}-{label}", f"{title}, {label} programs", "%", shown, marks


def tables(got):
    machines = [machine for machine in SPEEDUPS + ["SWI direct-mapped", "SBI, splits at memory"]]
    programs = got.without_failures({"Baseline", *machines})
    lines = ["Speed over the baseline, %", "", "| program | class | " + " | ".join(machines) + " |", "|---|---|" + "---|" * len(machines)]
    gains = {machine: got.gains(machine, "Baseline", programs) for machine in machines}
    for program in programs:
        lines.append(f"| {program} | {class_of(got, program)} | " + " | ".join(f"{gains[machine][program]:+.1f}" for machine in machines) + " |")
    for label, members in (("regular", got.regular), ("irregular", got.irregular)):
        members = [program for program in members if program in programs]
        lines.append(f"| geometric mean | {label} | " + " | ".join(f"{mean_gain(gains[machine][program] for program in members):+.1f}" for machine in machines) + " |")
    lines += ["", "Properties with 64-wide thread frontiers", "",
              "| program | run as | thread-instructions | IPC | lanes filled, % | divergent branches, % | L1 hits, % | memory channel busy, % |", "|---|---|---|---|---|---|---|---|"]
    for program in programs:
        run = got.of("TF-64", program)
        branches = 100 * run.counted("issue.divergent_branches") / max(1, run.counted("issue.branches"))
        name, size, small = PROGRAMS[program]
        lines.append(f"| {program} | {name} --size {small if got.quick else size} | {run.thread_instructions:,} | {run.ipc:.1f} | {run.filled:.0f} | {branches:.1f} | "
                     f"{run.hit_rate:.0f} | {run.channel:.0f} |")
    lines += ["", "Second instructions, of 100 that issue", "", "| program | SBI: row, unit, other warp | SWI: row, other unit | conflicts |", "|---|---|---|---|"]
    for program in programs:
        split, warp = got.of("SBI", program), got.of("SWI", program)
        shares = [[100 * run.counted(f"coissue.{name}") / run.instructions for name in names]
                  for run, names in ((split, ("same_row", "same_warp", "other_warp")), (warp, ("same_row", "other_unit", "conflicts")))]
        lines.append(f"| {program} | " + ", ".join(f"{value:.1f}" for value in shares[0]) + " | " + ", ".join(f"{value:.1f}" for value in shares[1][:2]) + f" | {shares[1][2]:.1f} |")
    return lines


def class_of(got, program):
    return "regular" if program in got.regular else "irregular" if program in got.irregular else "apart"


def declared(preset):
    text = output_of([str(HEDDLE), "cost", "--all", "--json", "-", "--machine", preset], f"cost of {preset}")
    return {each["name"]: each for mechanism in json.loads(text)["mechanisms"] for each in mechanism["structures"]}


def bits_of(structures, component):
    """Bits of a component in the model, of the first structure that the machine has."""
    for end, fields in PARTS[component]:
        for name, each in structures.items():
            if name.endswith("." + end):
                return each["entries"] * sum(field["bits"] for field in each["fields"] if fields is None or field["name"] in fields)
    return 0


def hardware():
    """Bits by component beside table 3, and areas at the densities of table 4."""
    lines = ["Bits of the presets with 24 warps (baseline: 48), and those of the source's table 3", "",
             "| component | " + " | ".join(f"{machine} | source" for machine in STATED_BITS) + " |", "|---|" + "---|---|" * len(STATED_BITS)]
    try:
        model = {machine: declared(preset) for machine, preset in COST_MACHINES.items()}
    except RunFailed as failure:
        return [f"not known: {failure}"]
    bits = {machine: [bits_of(model[machine], component) for component in COMPONENTS] for machine in STATED_BITS}
    for row, component in enumerate(COMPONENTS):
        lines.append(f"| {component} | " + " | ".join(f"{bits[machine][row]} | {STATED_BITS[machine][row]}" for machine in STATED_BITS) + " |")
    lines += ["", "Areas in 1,000 square micrometres: the model's bits at the densities that the source's areas and bits give, and the source's areas for logic and register file", "",
              "| | " + " | ".join(f"{machine} | source" for machine in STATED_BITS) + " |", "|---|" + "---|---|" * len(STATED_BITS)]
    areas = {machine: [bits[machine][row] * STATED_AREA[machine][row] / STATED_BITS[machine][row] for row in range(len(COMPONENTS))] for machine in STATED_BITS}
    for row, component in enumerate(COMPONENTS):
        lines.append(f"| {component} | " + " | ".join(f"{areas[machine][row]:.1f} | {STATED_AREA[machine][row]}" for machine in STATED_BITS) + " |")
    ours = {machine: sum(areas[machine]) + STATED_LOGIC[machine] for machine in STATED_BITS}
    source = {machine: sum(STATED_AREA[machine]) + STATED_LOGIC[machine] for machine in STATED_BITS}
    lines.append("| total with register file and scheduler | " + " | ".join(f"{ours[machine]:.1f} | {source[machine]:.1f}" for machine in STATED_BITS) + " |")
    lines.append("| more than the source's baseline, % of an SM of 15.6 mm2 | " + " | ".join(
        f"{100 * (ours[machine] - source['Baseline']) / SM_AREA:.1f} | {100 * (source[machine] - source['Baseline']) / SM_AREA:.1f}" for machine in STATED_BITS) + " |")
    lines += ["", "The model's baseline keeps a stack entry for each thread of a warp, with three fields, where the source has twelve entries of two; masks are in the stack, not in "
              "the warp pool. Its scoreboard entries have nine bits and a valid bit. Warp interweaving has one scoreboard, the source's table two copies."]
    return lines
