# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the study of dynamic warp resizing: the figures of its source, each program, each kernel."""
import sys

from machines import BASE, BEST, FIXED, MACHINES, RESIZED, VARIANTS, WIDTHS, harmonic_mean, mean, of_width, readable, suffixed
from programs import ALL, KERNELS, PROGRAMS, SENSITIVE, SHOWN
from study import RunFailed, bars

COMPARED = FIXED + RESIZED


def write(got, folder):
    """Writes one chart per figure, programs.md and machines.md. Programs with a failed run are omitted."""
    drawn = [draw(folder) for draw in charts(got)]
    if not all(drawn):
        print("no charts: they need gnuplot (package gnuplot-nox)", file=sys.stderr)
    for name, lines in (("programs.md", tables(got)), ("machines.md", machines())):
        with open(folder / name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def complete(got, needed, names):
    """Programs all of whose runs on these machines succeeded."""
    def succeeded(name):
        try:
            return all(got.of(machine, name) for machine in needed) and got.accesses(name) is not None
        except RunFailed:
            return False
    return [name for name in names if succeeded(name)]


def charts(got):
    def of_programs(file, title, unit, needed, names, value):
        def draw(folder):
            there = complete(got, needed, names)
            groups = {name: {machine: value(machine, name) for machine in needed} for name in there}
            if len(there) > 3:
                groups["mean"] = {machine: mean(groups[name][machine] for name in there) for machine in needed}
            return bars(folder / f"{file}.svg", title, unit, groups)
        return draw

    def of_widths(folder):
        there = complete(got, [BASE, *(machine for width in WIDTHS for machine in of_width("fixed", width))], ALL)
        return bars(folder / "figure-1.svg", "Fixed warps by multiple of the SIMD width", "mean IPC over fixed-16 on 8 lanes",
                    {f"{width} lanes": {f"{times}X": got.speed(machine, there) for times, machine in zip((1, 2, 4, 8), of_width("fixed", width))}
                     for width in WIDTHS} if there else {})

    def over(title, file, machines_of):
        def draw(folder):
            groups = {}
            for label, of in machines_of.items():
                there = complete(got, [BASE, *of.values()], SENSITIVE)
                if there:
                    groups[label] = {bar: got.speed(machine, there) for bar, machine in of.items()}
            return bars(folder / f"{file}.svg", title, "mean IPC of NNC, MP, MU over fixed-16, 48 KB", groups)
        return draw

    yield of_widths
    yield of_programs("figure-2a", "Coalescing rate by warp size", "accesses of threads for each request", FIXED, SHOWN, got.coalescing)
    yield of_programs("figure-2b", "Idle cycles by warp size", "share of cycles", FIXED, SHOWN, lambda machine, name: got.of(machine, name).idle)
    yield of_programs("figure-2c", "Performance by warp size", "IPC over fixed-16", FIXED, SHOWN, got.ratio)
    yield of_programs("figure-4a", "Coalescing rate", "accesses of threads for each request", COMPARED, ALL, got.coalescing)
    yield of_programs("figure-4b", "Idle cycles", "share of cycles", COMPARED, ALL, lambda machine, name: got.of(machine, name).idle)
    yield of_programs("figure-4c", "Performance", "IPC over fixed-16", COMPARED, ALL, got.ratio)
    yield over("L1 data caches", "figure-5a", {label: {machine: suffixed(machine, suffix) for machine in COMPARED} for label, suffix in (("12 KB", "12 KB"), ("48 KB", ""), ("192 KB", "192 KB"))})
    times = [*(f"fixed {n}X" for n in (1, 2, 4, 8)), *(f"DWR {n}X" for n in (2, 4, 8))]
    yield over("SIMD widths", "figure-5b", {f"{width} lanes": dict(zip(times, of_width("fixed", width) + of_width("DWR", width))) for width in WIDTHS})
    yield over("Ignore lists", "figure-5c", {"DWR-64": {"32 entries": BEST, "16 entries": "DWR-64, list of 16", "8 entries": "DWR-64, list of 8"}})
    yield of_programs("kernels", "Six kernels with one property each", "IPC over fixed-16", COMPARED, list(KERNELS), got.ratio)


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(title, heads, rows):
    return [title, "", row(heads), "|" + "---|" * len(heads), *(row(cells) for cells in rows), ""]


def tables(got):
    names = complete(got, COMPARED + VARIANTS, ALL)
    if not names:
        return ["no program ran on all machines"]
    lines = table("Programs beside table 1 of the source", ["program", "run as", "launches", "of the source", "M thread-instructions", "of the source",
                  "accesses in the code", "with parameters", "of the source", "ignored", "of the source"],
                  [program_row(got, name) for name in names])
    for title, value in (("IPC over fixed-16", got.ratio), ("Coalescing rate", got.coalescing), ("Idle share of cycles", lambda machine, name: got.of(machine, name).idle)):
        shown = COMPARED + (VARIANTS if title.startswith("IPC") else [])
        rows = [[name, *(f"{value(machine, name):.3f}" for machine in shown)] for name in names]
        rows.append(["mean", *(f"{mean(value(machine, name) for name in names):.3f}" for machine in shown)])
        if title.startswith("IPC"):
            rows.append(["harmonic mean", *(f"{got.speed(machine, names, average=harmonic_mean):.3f}" for machine in shown)])
        lines += table(title, ["program", *shown], rows)
    lines += table("Properties: on fixed-32 divergent branches of 100 and active threads of 100 in a warp; on DWR-64 accesses combined, barriers ignored, cycles at a barrier, releases",
                   ["program", "divergent", "active", "combined, %", "ignored, %", "cycles", "same PC, different, waiting, exit"], [properties(got, name) for name in names])
    kernels = complete(got, COMPARED, list(KERNELS))
    lines += table("Kernels: IPC over fixed-16, and the same properties", ["kernel", *COMPARED, "combined, %", "ignored, %"],
                   [[name, *(f"{got.ratio(machine, name):.3f}" for machine in COMPARED), f"{100 * got.of(BEST, name).combined_share:.0f}",
                     f"{100 * got.of(BEST, name).ignored_share:.0f}"] for name in kernels])
    return lines


def program_row(got, name):
    program, source = PROGRAMS[name], PROGRAMS[name].source
    accesses = got.accesses(name)
    entries = got.of("DWR-64, unlimited list", name).counted("ignore_list.most_entries")
    return [name, f"`{program.program.split('/')[-1]} {' '.join(program.of(got.quick))}`", "smaller" if got.quick else program.launches, source.launches,
            f"{got.of(BASE, name).thread_instructions / 1e6:.1f}", source.instructions, accesses.lats, accesses.lats + accesses.parameters, source.lats,
            entries, source.ignored]


def properties(got, name):
    fixed, resized = got.of("fixed-32", name), got.of(BEST, name)
    return [name, f"{100 * fixed.counted('issue.divergent_branches') / max(1, fixed.counted('issue.branches')):.1f}", f"{100 * fixed.activity:.1f}",
            f"{100 * resized.combined_share:.0f}", f"{100 * resized.ignored_share:.0f}", f"{resized.wait:.0f}",
            ", ".join(f"{resized.counted(f'sub_warp_synchroniser.releases_{cause}'):,}" for cause in ("same_pc", "different_pc", "waiting", "exit"))]


def machines():
    return table("Machines", ["machine", "preset and settings"], [[name, f"`{readable(name)}`"] for name in MACHINES])
