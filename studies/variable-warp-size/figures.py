# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the study of variable warp size: the figures of its source, each program, and the cost of the hardware."""
import json
import sys

from machines import COMPARED, GANGING, L0_BYTES, OF_CLASS, PORTS, REFORMING, SCHEDULED, SHORT, SHOWN, SPLITTING, STATIC, WAITING, fetch_name, harmonic_mean, mean
from programs import PROGRAMS
from study import HEDDLE, RunFailed, bars, output_of, plotted

BASE, NARROW, STAYING, ELASTIC, IMPATIENT = "WS32", "WS4", "I-VWS", "E-VWS", "E-VWS-ImpatientMem"
GANGS = ["I-VWS, 1 gang", STAYING, "I-VWS, unlimited"]

# Source: docs/sources/variable-warp-size.md, 6.5. Square micrometres of a bit with what a structure needs around it; square millimetres.
LATCH, FLIP_FLOP = 2.1 * 1.5, 3.6 * 3
CACHE_ONE_PORT, CACHE_TWO_PORTS, SM, SMS, DIE = 0.087, 0.194, 16, 15, 529
CONTROL = 0.01 * SM  # of a slice
STATED = {8: {"second port of the instruction cache": 0.108, "instruction stores": 0.052, "instruction buffers": 0.103, "gang table": 0.026, "scoreboards": 0.154,
    "control": 1.28},
          4: {"second port of the instruction cache": 0.108, "instruction stores": 0.026, "instruction buffers": 0.052, "gang table": 0.026, "scoreboards": 0.077,
              "control": 0.64}}
WARPS_A_SLICE = 32
COST_MACHINES = {8: ("vws-proposed",), 4: ("vws-wide", "--set", "sm.variable_warps.l0_bytes=256", "--set", "sm.variable_warps.fetch_ports=2", "--set",
    "sm.fetch.width=6")}


def write(got, folder, everything):
    """Writes one chart per figure, programs.md and hardware.md. Programs with a failed run are omitted."""
    drawn = [draw(folder) for draw in charts(got, everything)]
    if not all(drawn):
        print("no charts: they need gnuplot (package gnuplot-nox)", file=sys.stderr)
    for name, lines in (("programs.md", tables(got)), ("hardware.md", hardware())):
        with open(folder / name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def charts(got, everything):
    """Functions that draw a figure each into a folder."""
    def normalised(name, machines, title):
        return chart(name, title, "IPC over WS32", got, machines, lambda machine, program: got.ratio(machine, program), harmonic_mean, "HMEAN")

    def rate(name, machines, title):
        return chart(name, title, "fetches per cycle", got, machines, lambda machine, program: got.of(machine, program).fetches, mean, "AVG")

    yield sorted_lines("figure-6.1a", "WS4, programs in order of speed", [NARROW], got, everything)
    yield lambda folder: bars(folder / "figure-6.1b.svg", "Static warp sizes, harmonic means", "IPC over WS32",
                              {f"HMEAN-{SHORT[kind]}": {machine: got.speed(machine, complete(got, STATIC, members))
                                  for machine in STATIC[::-1]} for kind, members in OF_CLASS.items()})
    yield normalised("figure-6.2-top", STATIC[::-1], "Static warp sizes")
    yield chart("figure-6.2-bottom", "Static warp sizes: active lanes in cycles that issue", "lanes", got, STATIC[::-1],
        lambda machine, program: got.of(machine, program).lanes, mean, "AVG")
    yield stacked_accesses(got)
    yield rate("figure-6.4", STATIC[::-1], "Static warp sizes: fetches")
    yield normalised("figure-6.6", [BASE, NARROW, *GANGING], "Ganging")
    yield sorted_lines("figure-6.7", "All programs in order of WS4's speed", [NARROW, STAYING], got, everything)
    yield rate("figure-6.8", [BASE, NARROW, *GANGING], "Ganging: fetches")
    yield fetch_bandwidth(got)
    yield normalised("figure-6.10", [NARROW, *SCHEDULED, STAYING], "Gang schedulers")
    yield rate("figure-6.11", [BASE, NARROW, *SCHEDULED, STAYING], "Gang schedulers: fetches")
    yield normalised("figure-6.12", [NARROW, *GANGS], "Gangs that issue in a cycle")
    yield normalised("figure-6.13", [NARROW, ELASTIC, *WAITING], "Waiting at reconvergence points")
    yield rate("figure-6.14", [BASE, NARROW, ELASTIC, *WAITING], "Waiting at reconvergence points: fetches")
    yield normalised("figure-6.15", [NARROW, STAYING, *SPLITTING], "Splits on memory divergence")
    yield rate("figure-6.16", [BASE, NARROW, STAYING, *SPLITTING], "Splits on memory divergence: fetches")
    for name in ("GamePhysics", "Lighting"):
        for machine in (STAYING, ELASTIC):
            yield sizes_over_time(got, machine, name)
    yield lambda folder: bars(folder / "figure-6.18.svg", "Compaction and formation", "IPC over 32-wide warps", with_average(got))


def complete(got, machines, names):
    return got.without_failures({BASE, *machines}, names)


def chart(name, title, unit, got, machines, value, average, label):
    """A bar per machine for each application, and the mean of each class."""
    def draw(folder):
        groups, means = {}, {}
        for kind, members in OF_CLASS.items():
            members = complete(got, machines, members)
            rows = {program: {machine: value(machine, program) for machine in machines} for program in members}
            groups |= rows
            if rows:
                means[f"{label}-{SHORT[kind]}"] = {machine: average(row[machine] for row in rows.values()) for machine in machines}
        return bars(folder / f"{name}.svg", title, unit, groups | means) if groups else True
    return draw


def with_average(got):
    names = complete(got, [STAYING, *REFORMING], COMPARED)
    groups = {name: {"32-wide": 1.0} | {machine: got.ratio(machine, name) for machine in ("DWF", "TBC", STAYING)} for name in names}
    return groups | {"average": {bar: mean(group[bar] for group in groups.values()) for bar in ("32-wide", "DWF", "TBC", STAYING)}}


def sorted_lines(name, title, machines, got, everything):
    def draw(folder):
        order = sorted(everything, key=lambda program: got.ratio(NARROW, program))
        rows = [[program, *(f"{got.ratio(machine, program):.4f}" for machine in machines)] for program in order]
        lines = "set yrange [0:*]\nset xtics rotate by -60 nomirror font ',7' noenhanced\nplot " + ", ".join(
            f"$data using 0:{column}:xtic(1) with linespoints pointtype 7 pointsize 0.4 title '{machine}'" for column, machine in enumerate(machines, 2)) + ", 1 linetype 0 notitle"
        return plotted(folder / f"{name}.svg", title, "IPC over WS32", rows, lines, 1100)
    return draw


def stacked_accesses(got):
    def draw(folder):
        rows = []
        for program in complete(got, STATIC, SHOWN):
            for machine in STATIC[::-1]:
                run = got.of(machine, program)
                rows.append([f"{program} {machine[2:]}", f"{run.hits:.2f}", f"{run.misses:.2f}", f"{run.merges:.2f}"])
            rows.append(["", 0, 0, 0])
        lines = ("set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8 noborder\nset boxwidth 0.9\nset xtics rotate by -70 nomirror font ',6'\n"
                 "plot $data using 2:xtic(1) title 'hits', '' using 3 title 'misses', '' using 4 title 'merges'")
        return plotted(folder / "figure-6.3.svg", "L1 data cache by warp size", "per 1,000 instructions of 32 threads", rows, lines, 1100)
    return draw


def fetch_bandwidth(got):
    def draw(folder):
        groups = {}
        for kind, members in OF_CLASS.items():
            members = complete(got, [STAYING, *got.fetching], members)
            for size in [size for size in L0_BYTES if fetch_name(PORTS[0], size) in got.fetching] if members else ():
                groups[f"{SHORT[kind]} {f'{size} B' if size else 'no L0'}"] = {
                    f"{ports} fetches a cycle": got.speed(fetch_name(ports, size), members) / got.speed(STAYING, members) for ports in PORTS}
        return bars(folder / "figure-6.9.svg", "Bandwidth of the instruction cache and stores of the slices", "IPC over 8 fetches a cycle", groups)
    return draw


def sizes_over_time(got, machine, name):
    def draw(folder):
        try:
            found = got.gang_sizes(machine, name)
        except RunFailed:
            return True
        rows = [[cycle, *(f"{sum(row[size - 1:]):.2f}" for size in range(1, 9))] for cycle, row in found]
        lines = "set xlabel 'cycle'\nset yrange [0:*]\nset style fill solid 0.9 noborder\nplot " + ", ".join(
            f"$data using 1:{size + 1} with filledcurves y1=0 linecolor rgb '#{shade:02x}{shade:02x}{shade:02x}' title '{size}'"
            for size, shade in zip(range(1, 9), (230, 205, 180, 150, 120, 90, 50, 0)))
        return plotted(folder / f"figure-6.17-{name.lower()}-{machine.lower()}.svg", f"{name} on {machine}: warps by size of their gang",
            "warps of four threads", rows, lines)
    return draw


def tables(got):
    machines = [*STATIC[1:], *GANGING, "E-VWS-ImpatientMem, any ready", *SPLITTING, *SCHEDULED, *GANGS[::2], *WAITING, "I-VWS, 8-wide"]
    names = complete(got, machines, SHOWN)
    lines = ["IPC over WS32", "", "| application | " + " | ".join(machines) + " |", "|---|" + "---|" * len(machines)]
    lines += [f"| {name} | " + " | ".join(f"{got.ratio(machine, name):.3f}" for machine in machines) + " |" for name in names]
    for kind, members in OF_CLASS.items():
        members = [name for name in members if name in names]
        if members:
            lines.append(f"| HMEAN-{SHORT[kind]} | " + " | ".join(f"{got.speed(machine, members):.3f}" for machine in machines) + " |")
    lines += ["", "Fetches per cycle", "", "| application | WS32 | " + " | ".join(machines) + " |", "|---|---|" + "---|" * len(machines)]
    lines += [f"| {name} | " + " | ".join(f"{got.of(machine, name).fetches:.2f}" for machine in [BASE, *machines]) + " |" for name in names]
    for kind, members in OF_CLASS.items():
        members = [name for name in members if name in names]
        if members:
            lines.append(f"| AVG-{SHORT[kind]} | " + " | ".join(f"{got.fetches(machine, members):.2f}" for machine in [BASE, *machines]) + " |")
    lines += ["", "Properties on WS32, and on I-VWS", "", "| application | run as | thread-instructions | IPC | active lanes | divergent branches, % | L1 hits, misses, merges per 1,000 | in gangs of 8, 4-7, 2-3, 1, % |",
              "|---|---|---|---|---|---|---|---|"]
    for name in names:
        run, ganged, program = got.of(BASE, name), got.of(STAYING, name), PROGRAMS[name]
        share = 100 * run.counted("issue.divergent_branches") / max(1, run.counted("issue.branches"))
        sizes = ", ".join(f"{100 * ganged.in_gangs(*sizes):.0f}" for sizes in ((8,), (4, 5, 6, 7), (2, 3), (1,)))
        lines.append(f"| {name} | {program.program.split('/')[-1]} {' '.join(program.of(got.quick))} | {run.thread_instructions:,} | {run.ipc:.1f} | {run.lanes:.1f} | {share:.1f} | "
                     f"{run.hits:.0f}, {run.misses:.0f}, {run.merges:.0f} | {sizes} |")
    return lines


def declared_bits(slices):
    """Bits a slice, and of the gang table, that the machine declares, by structure and field."""
    text = output_of([str(HEDDLE), "cost", "--all", "--json", "-", "--machine", *COST_MACHINES[slices]], f"cost of {' '.join(COST_MACHINES[slices])}")
    structures = {each["name"].split(".", 1)[1]: each for mechanism in json.loads(text)["mechanisms"] for each in mechanism["structures"]}

    def bits(name, fields=None):
        each = structures[name]
        return each["entries"] * sum(field["bits"] for field in each["fields"] if fields is None or field["name"] in fields)

    return {"instruction store": bits("slice0.l0.lines", ("bytes",)), "instruction store, tags and valid bits": bits("slice0.l0.lines", ("line", "valid")),
            "instruction buffers": bits("issue.buffers", ("instructions",)) / slices, "scoreboard": bits("hazards.scoreboard") / slices,
                "gang table": bits("ganging.gang_table")}


def areas(bits, slices):
    """Rows of the source's table 6.2 from the bits of a slice, square millimetres."""
    return {"second port of the instruction cache": CACHE_TWO_PORTS - CACHE_ONE_PORT, "instruction stores": slices * bits["instruction store"] * LATCH / 1e6,
            "instruction buffers": slices * bits["instruction buffers"] * LATCH / 1e6, "gang table": bits["gang table"] * LATCH / 1e6,
            "scoreboards": slices * bits["scoreboard"] * FLIP_FLOP / 1e6, "control": slices * CONTROL}


def added_area(slices):
    """Square millimetres added to an SM. Slices have what one of eight has, which a slice holds for 32 warps."""
    return sum(areas(declared_bits(8), slices).values())


def hardware():
    """Bits beside those of the source, and areas at its densities."""
    lines = ["Areas added to an SM in square millimetres: the bits that the machine declares at the source's densities, and the source's table 6.2", "",
             "| | 8 slices | source | 4 slices | source |", "|---|---|---|---|---|"]
    try:
        bits = {slices: declared_bits(slices) for slices in COST_MACHINES}
    except RunFailed as failure:
        return [f"not known: {failure}"]
    ours = {slices: areas(bits[slices], slices) for slices in COST_MACHINES}
    for row in STATED[8]:
        lines.append(f"| {row} | " + " | ".join(f"{ours[slices][row]:.4f} | {STATED[slices][row]}" for slices in (8, 4)) + " |")
    total = {slices: sum(ours[slices].values()) for slices in ours}
    lines += [f"| an SM | {total[8]:.3f} | 1.7 | {total[4]:.3f} | 0.93 |", f"| of {SM} mm2, % | {100 * total[8] / SM:.1f} | 11 | {100 * total[4] / SM:.1f} | 6 |",
              f"| {SMS} SMs | {SMS * total[8]:.1f} | 25.8 | {SMS * total[4]:.1f} | 13.9 |", f"| of {DIE} mm2, % | {100 * SMS * total[8] / DIE:.2f} | 5 | {100 * SMS * total[4] / DIE:.2f} | 2.5 |",
              "", "Bits of a slice, of eight", "", "| | model | source |", "|---|---|---|"]
    for name, stated in (("instruction store", 2048), ("instruction buffers", 4096), ("scoreboard", 1800), ("gang table", 8192), ("instruction store, tags and valid bits", "not stated")):
        lines.append(f"| {name} | {bits[8][name]:.0f} | {stated} |")
    lines += ["", "The model's scoreboard entry has nine bits for a register and a valid bit, the source's 56.25 bits a warp fit eight entries of seven bits."]
    return lines
