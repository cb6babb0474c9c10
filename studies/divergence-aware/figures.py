# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the study of divergence-aware scheduling: the figures of its source, and each benchmark."""
from charts import ANSWERS, answers, by_class, properties, table, write as write_all
from machines import BEST_LIMIT, HITS, TRIPS, detected, harmonic_mean, mean
from programs import HIGH, INSENSITIVE, OF_CHAPTER, PROGRAMS
from study import bars, curves, plotted, stacked

HCS, CI = OF_CHAPTER[4][HIGH], OF_CHAPTER[4][INSENSITIVE]
EVERY = [*HCS, *CI]
SCHEDULERS = ["GTO", "CCWS", BEST_LIMIT, "Profiled-DAWS", "Detected-DAWS"]
LOADS_SHOWN = 16  # of a benchmark, those with most accesses


def write(got, folder, energies):
    """Writes one chart per figure, and programs.md. Benchmarks with a failed run are omitted."""
    write_all(folder, charts(got), {"programs.md": lambda: tables(got, energies)})


def charts(got):
    for name in HCS:
        yield by_load(got, name)
    yield trips(got)
    yield scatter(got)
    yield by_class("figure-4.7", "Schedulers", "IPC over CCWS", got, SCHEDULERS, {"HCS": HCS, "CI": CI}, lambda machine, name: got.ratio(machine, name, "CCWS"))
    yield lambda folder: stacked(folder / "figure-4.8.svg", "Active lanes, GTO", "part of the instructions", [f"W[{least}:{least + 4}]" for least in range(0, 32, 4)],
                                 {name: {"": got.of("GTO", name).lanes} for name in got.without_failures(["GTO"], HCS)})
    yield answers("figure-4.9", "What answered loads", got, SCHEDULERS, HCS, means={"AVG": HCS})
    yield lost(got)
    yield cycles(got)
    yield lambda folder: curves(folder / "figure-4.12.svg", "Associativity factor", "IPC over CCWS", "factor", got.factors, with_mean(
        {name: [got.ratio(detected(factor), name, "CCWS") for factor in got.factors] for name in HCS}))


def with_mean(lines):
    return lines | {"HMEAN": [harmonic_mean(column) for column in zip(*lines.values())]}


def by_load(got, name):
    """Figure 4.2: what answered each load with CCWS."""
    def draw(folder):
        run = got.of("CCWS", name)
        most = sorted(run.loads, key=lambda load: -run.sum(*HITS, "merges", "misses", of=[load]))[:LOADS_SHOWN]
        groups = {"": {f"{load['pc']}{' in a loop' if load['loop'] >= 0 else ''}": [run.pki(*names, of=[load]) for names in
                                                                                   (("misses",), ("merges",), ("inter_warp",), ("intra_thread", "inter_thread"))]
                       for load in sorted(most, key=lambda load: load["pc"])}}
        return stacked(folder / f"figure-4.2-{name.lower()}.svg", f"{name} with CCWS, by load (program counter)", "per 1,000 instructions", ANSWERS, groups)
    return draw


def trips(got):
    def draw(folder):
        groups = {}
        for name in got.without_failures(["GTO 8 MB"], HCS):
            counts = [got.of("GTO 8 MB", name).sum(trip) for trip in TRIPS]
            groups[name] = {"": [count / max(1, sum(counts)) for count in counts]}
        return stacked(folder / "figure-4.3.svg", "Intra-warp hits in loops, 8 MB", "part", ["this trip", "last trip", "other"], groups)
    return draw


def scatter(got):
    def draw(folder):
        found = got.scatter("GTO", "BFS")
        rows = [[number, lanes, lines] for number, points in enumerate(found.values()) for lanes, lines in points]
        plots = ", ".join(f"$data using ($1=={number} ? $2 + 0.1 * {number} : 1/0):3 with points pointtype {number + 1} pointsize 0.5 title '{text}'" for number, text in enumerate(found))
        return plotted(folder / "figure-4.4.svg", "Loads of BFS", "accesses", rows, f"set xlabel 'active lanes'\nset xrange [0:33]\nset yrange [0:33]\nset key noenhanced\nplot {plots}")
    return draw


def lost(got):
    def draw(folder):
        groups = {name: {machine: got.lost(machine, name) for machine in ("CCWS", "Profiled-DAWS", "Detected-DAWS")} for name in got.without_failures(SCHEDULERS, EVERY)}
        return bars(folder / "figure-4.10.svg", "Lost intra-warp locality", "per 1,000 thread-instructions", groups)
    return draw


def cycles(got):
    """Figure 4.11: cycles in which a slot issued, had nothing ready, or had only ready instructions that were held back."""
    def draw(folder):
        groups = {}
        for name in got.without_failures(SCHEDULERS, HCS):
            base = got.of("GTO", name).all_cycles
            rows = {machine: (got.of(machine, name), got.of(machine, name).all_cycles / base) for machine in SCHEDULERS}
            groups[name] = {machine: [part * run.issued, part * (1 - run.issued - run.held), part * run.held] for machine, (run, part) in rows.items()}
        return stacked(folder / "figure-4.11.svg", "Cycles", "part of those of GTO", ["issued", "nothing ready", "held back"], groups)
    return draw


def tables(got, energies):
    classes = {"HCS": HCS, "CI": CI}
    lines = table("IPC over CCWS", got, SCHEDULERS, classes, lambda machine, name: got.ratio(machine, name, "CCWS"), ".3f")
    lines += ["", *table("Misses per 1,000 instructions", got, SCHEDULERS, classes, lambda machine, name: got.of(machine, name).mpki, ".2f", mean)]
    lines += ["", *table("Lost intra-warp locality per 1,000 thread-instructions", got, ["CCWS", "Profiled-DAWS", "Detected-DAWS"], classes, got.lost, ".2f", mean)]
    lines += ["", *table("Part of the issue slots in which a ready instruction was held back", got, SCHEDULERS, classes, lambda machine, name: got.of(machine, name).held, ".3f", mean)]
    if energies is not None:
        lines += ["", *table("Dynamic energy of the memory system over that of GTO", got, SCHEDULERS, classes,
                             lambda machine, name: got.of(machine, name).energy(energies) / got.of("GTO", name).energy(energies), ".3f", mean)]
    lines += ["", "Best static limits: " + ", ".join(f"{name} {got.best_limit(name)}" for name in got.without_failures([BEST_LIMIT], EVERY))]
    return lines + ["", *properties(got, "GTO", EVERY, PROGRAMS)]
