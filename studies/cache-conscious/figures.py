# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of the study of cache-conscious scheduling: the figures of its source, and each benchmark."""
from charts import answers, by_class, properties, table, write as write_all
from machines import BEST_LIMIT, WARPS, ccws, gto, harmonic_mean, mean, swl
from programs import HIGH, INSENSITIVE, MODERATE, OF_CHAPTER, PROGRAMS
from study import bars, curves

OF_CLASS = OF_CHAPTER[3]
HCS, MCS, CI = OF_CLASS[HIGH], OF_CLASS[MODERATE], OF_CLASS[INSENSITIVE]
SHORT = {"HCS": HCS, "MCS": MCS, "CI": CI}
SENSITIVE = [*HCS, *MCS]
SCHEDULERS = ["LRR", "GTO", "2LVL-GTO", BEST_LIMIT, "CCWS"]
ALL_SCHEDULERS = ["2LVL-LRR", "greedy-then-round-robin", "oldest-first", "active pool"]
GRAPH_KILOBYTES = (32, 64, 128)
BARS_OF_LIMITS = (1, 2, 4, 5, 7, 32)  # of figure 3.18


def write(got, folder):
    """Writes one chart per figure, and programs.md. Benchmarks with a failed run are omitted."""
    write_all(folder, charts(got), {"programs.md": lambda: tables(got)})


def charts(got):
    speed = lambda machine, program: got.ratio(machine, program)  # noqa: E731
    misses = lambda machine, program: got.of(machine, program).mpki  # noqa: E731
    yield answers("figure-3.1", "Unbounded L1 data cache", got, ["GTO"], SENSITIVE, "unbounded", means={"AVG HCS": HCS, "AVG MCS": MCS})
    yield by_class("figure-3.2", "L1 data cache of 8 MB, LRR", "IPC over 32 KB", got, ["LRR 8 MB"], {"HCS": HCS, "MCS": MCS}, lambda machine, program: got.ratio(machine, program, "LRR"))
    yield limits_chart(got)
    for figure, classes, title in (("3.8", {"HCS": HCS}, "highly cache-sensitive"), ("3.10", {"MCS": MCS, "CI": CI}, "moderately sensitive and insensitive")):
        yield by_class(f"figure-{figure}", f"Schedulers, {title}", "IPC over GTO", got, SCHEDULERS, classes, speed)
    for figure, classes, title in (("3.9", {"HCS": HCS}, "highly cache-sensitive"), ("3.11", {"MCS": MCS, "CI": CI}, "moderately sensitive and insensitive")):
        yield replacement_chart(f"figure-{figure}", title, got, classes)
    yield answers("figure-3.12", "What answered loads", got, SCHEDULERS, HCS, by_thread=True, means={"AVG": HCS})
    yield answers("figure-3.13", "Unbounded L1 data cache", got, ["GTO"], SENSITIVE, "unbounded")
    for short, members in (("HCS", HCS), ("MCS", MCS)):
        yield swept(f"figure-3.14-{short}", f"Victim tags of a warp, {short}", "IPC over GTO", got, members, {str(tags): ccws(tags=tags) for tags in got.tags})
        sizes = {f"{size} KB {order.__name__.upper()}": order(kilobytes=size) for size in got.kilobytes for order in (gto, ccws)}
        yield swept(f"figure-3.15-{short}", f"Size of the L1 data cache, {short}", "IPC over GTO with 32 KB", got, members, sizes)
    yield graphs_chart(got)
    yield lambda folder: curves(folder / "figure-3.17-ipc.svg", "K_THROTTLE", "IPC over GTO", "K", got.k, with_mean(
        {name: got.over_k(name) for name in HCS}, harmonic_mean))
    yield lambda folder: curves(folder / "figure-3.17-mpki.svg", "K_THROTTLE", "misses per 1,000 instructions", "K", got.k, with_mean(
        {name: [misses(ccws(k=k), name) for k in got.k] for name in HCS}, mean))
    shown = [limit for limit in BARS_OF_LIMITS if limit in got.limits]
    yield swept("figure-3.18", "Static limits", "IPC over 32 warps", got, HCS, {str(limit): swl(limit) for limit in shown}, swl(WARPS))
    yield lambda folder: curves(folder / "figure-3.19.svg", "BFS with static limits, by nodes of the graph", "IPC over 32 warps", "limit", got.graph_limits,
                                {str(size): [got.ratio(swl(limit), "BFS", swl(WARPS), size) for limit in got.graph_limits] for size in list(got.graphs.values())[:3]})


def with_mean(lines, average):
    return lines | {"mean": [average(column) for column in zip(*lines.values())]}


def limits_chart(got):
    def draw(folder):
        done = [curves(folder / "figure-3.3-ipc.svg", "Static limits, highly cache-sensitive", "mean IPC over 32 warps", "warps", got.limits, {"HMEAN": [got.limited(limit, HCS) for limit in got.limits]}),
                curves(folder / "figure-3.3-mpki.svg", "Static limits, highly cache-sensitive", "misses per 1,000 instructions", "warps", got.limits,
                       {"AVG": [got.mean_of(swl(limit), HCS, "mpki") for limit in got.limits]})]
        return all(done)
    return draw


def replacement_chart(name, title, got, classes):
    """Misses with LRU and, beside each, with optimal replacement."""
    def draw(folder):
        groups = {}
        for short, members in classes.items():
            members = got.without_failures(SCHEDULERS, members)
            rows = {program: {label: value for machine in SCHEDULERS
                              for label, value in ((machine, got.of(machine, program).mpki), (f"{machine}-BEL", got.belady(machine, program)))} for program in members}
            groups |= rows
            if rows:
                groups[f"AVG {short}"] = {label: mean(row[label] for row in rows.values()) for label in next(iter(rows.values()))}
        return bars(folder / f"{name}.svg", f"LRU and Belady, {title}", "misses per 1,000 instructions", groups)
    return draw


def swept(name, title, unit, got, names, machines, base="GTO"):
    """machines: {bar: machine}."""
    def draw(folder):
        rows = {program: {label: got.ratio(machine, program, base) for label, machine in machines.items()} for program in got.without_failures(machines.values(), names)}
        means = {"HMEAN": {label: harmonic_mean(row[label] for row in rows.values()) for label in machines}} if rows else {}
        return bars(folder / f"{name}.svg", title, unit, rows | means)
    return draw


def graphs_chart(got):
    def draw(folder):
        groups = {f"{graph}: {nodes} nodes": {f"{size} KB {order.__name__.upper()}": got.ratio(order(kilobytes=size), "BFS", "GTO", nodes)
                                              for size in GRAPH_KILOBYTES for order in (gto, ccws)} for graph, nodes in got.graphs.items()}
        return bars(folder / "figure-3.16.svg", "BFS by size of the graph", "IPC over GTO with 32 KB", groups)
    return draw


def tables(got):
    others = SCHEDULERS + ALL_SCHEDULERS
    lines = table("IPC over GTO", got, SCHEDULERS, SHORT, lambda machine, name: got.ratio(machine, name), ".3f")
    lines += ["", *table("The same, other orders", got, others[len(SCHEDULERS):][:3], {"HCS": HCS}, lambda machine, name: got.ratio(machine, name), ".3f")]
    lines += ["", *table("The same, CCWS with scores that end at 1,023", got, ["CCWS of 10 bits", "CCWS K=32", "CCWS K=32 of 10 bits"], {"HCS": HCS}, lambda machine, name: got.ratio(machine, name), ".3f")]
    lines += ["", *table("Misses per 1,000 instructions", got, SCHEDULERS, SHORT, lambda machine, name: got.of(machine, name).mpki, ".2f", mean)]
    lines += ["", *table("The same under optimal replacement", got, SCHEDULERS, SHORT, got.belady, ".2f", mean)]
    lines += ["", "Best static limits: " + ", ".join(f"{name} {got.best_limit(name)}" for name in got.without_failures([BEST_LIMIT], [*HCS, *MCS, *CI]))]
    return lines + ["", *properties(got, "GTO", [*HCS, *MCS, *CI], PROGRAMS)]
