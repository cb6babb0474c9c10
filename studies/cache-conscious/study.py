# SPDX-License-Identifier: Apache-2.0
"""Cache-conscious scheduling on stand-ins for the benchmarks of its source.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: programs at smaller sizes, and the first, middle and last points of the sweeps. Targets of kind `structural` and `cost`
are unit tests (tests/unit/studies/), except those on benchmarks; the others are measured here. Runs are cached in
out/studies/cache.
Source: docs/sources/cache-conscious-and-divergence-aware.md, chapter 3 of the thesis: 1.2, 2.1 to 2.4, 6.1, 6.2.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "locality"), str(HERE)]
import figures  # noqa: E402
from figures import CI, GRAPH_KILOBYTES, HCS, MCS, SCHEDULERS, SENSITIVE  # noqa: E402
from machines import (BEST_K, BEST_LIMIT, CCWS, GROUP_SIZES, K, KILOBYTES, POWER_K, USUAL_TAGS, VICTIM_TAGS, WARPS, Results, Traced, ccws, down, fetch_groups,  # noqa: E402
                      gto, harmonic_mean, mean, parser_of, peaks_inside, ranked, run_study, swl, up, values_of)
from programs import GRAPHS, PROGRAMS  # noqa: E402
from study import targets  # noqa: E402

SMALL = 2  # percent: a smaller change counts as none
FEW = 5  # percent: the same where the source speaks of little difference
CLEARLY = 20  # percent
TWO_LEVEL, ORIGINAL, POOL, POOL_ON_MISSES = "2LVL-GTO", "2LVL-LRR", "active pool", "active pool, left on misses"
TRACED = [*SCHEDULERS, ORIGINAL]
EVERY = [*SENSITIVE, *CI]
TALLEST = "KMN"  # whose bars are clipped and labelled in the source's figures
DENSITIES = (12, 24, 48)  # edges of a node of BFS, one more than most have

ON_BENCHMARKS = ("ccws.workloads.",)
# Targets that no run of this study can show, by the beginning of their names.
LEFT_OUT = {
    "ccws.sec7.1.2.perfect-cache-gain": "a result of another work on its own programs",
    "ccws.sec3.2.3.cap-at-llds": "the source does not describe the other caps",
    "ccws.sec3.4.6.swl-several-kernels": "not measured in the source, which names no kernels",
    "ccws.sec3.4.6.ccws-several-kernels": "not measured in the source, which names no kernels",
}


class Measurements(Results):
    """The runs of this study."""

    def __init__(self, quick, jobs):
        super().__init__(quick, jobs, TRACED)
        self.k = K[::3] + K[-1:] if quick else K
        self.tags = (1, 16, 32, 512) if quick else VICTIM_TAGS
        self.kilobytes = KILOBYTES[::2] if quick else KILOBYTES
        self.group_sizes = GROUP_SIZES[1::2] if quick else GROUP_SIZES
        self.graphs = {graph: sizes[quick] for graph, sizes in GRAPHS.items() if not quick or graph in ("500k", "20M")}

    def start_all(self):
        self.start([each for each in TRACED if each != BEST_LIMIT], EVERY)
        for name in EVERY:
            self.start(map(swl, self.limits_of(name)), [name])
        self.start(["LRR 8 MB"], [*EVERY, "HOTSP", "SPMV-Scalar"])
        self.start(["LRR"], ["HOTSP", "SPMV-Scalar"])
        self.start([ccws(k=k) for k in self.k], EVERY)
        self.start([ccws(k=k) for k in K], MCS)
        self.start([ccws(k=POWER_K)], HCS)
        self.start([ccws(tags=tags) for tags in self.tags], SENSITIVE)
        self.start([order(kilobytes=size) for size in self.kilobytes for order in (gto, ccws)], SENSITIVE)
        self.start(["CCWS of 10 bits", "CCWS K=32 of 10 bits"], HCS)
        self.start(["oldest-first", "greedy-then-round-robin", *map(fetch_groups, self.group_sizes)], HCS)
        self.start([POOL, POOL_ON_MISSES], SENSITIVE)
        for size in self.graphs.values():
            self.start([order(kilobytes=kilobytes) for kilobytes in GRAPH_KILOBYTES for order in (gto, ccws)], ["BFS"], size)
        for size in list(self.graphs.values())[:3]:
            self.start(map(swl, self.graph_limits), ["BFS"], size)

    def sharing(self, edges):
        """BFS on a graph of other density."""
        arguments = [*PROGRAMS["BFS"].of(True)[:2], "--most-edges", str(edges)]
        key = ("sharing", edges)
        self.runs.start(key, Traced, "GTO", PROGRAMS["BFS"].program, arguments)
        return self.runs[key]

    def limited(self, limit, names=HCS):
        """Mean IPC with a static limit over that of all warps."""
        return self.speed(swl(limit), names, swl(WARPS))

    def over_k(self, name):
        return [self.ratio(ccws(k=k), name) for k in self.k]

    def best_k(self, name):
        return max(self.k, key=lambda k: self.of(ccws(k=k), name).ipc)


def schedulers(study, got):
    gain = lambda new, old, names=HCS: lambda: got.gain(new, old, names)  # noqa: E731
    study.value("ccws.fig3.8.ccws-vs-gto-hcs", gain("CCWS", "GTO"))
    study.value("ccws.fig3.8.ccws-vs-2lvl-gto-hcs", gain("CCWS", TWO_LEVEL))
    study.value("ccws.fig3.8.lrr-vs-gto-hcs", gain("LRR", "GTO"))
    study.value("ccws.fig3.8.lrr-over-gto-ratio-hcs", lambda: got.speed("LRR", HCS))
    study.value("ccws.sec3.4.1.2lvl-lrr-vs-lrr-hcs", gain(ORIGINAL, "LRR"))
    study.value("ccws.sec3.4.1.2lvl-lrr-vs-gto-hcs", gain(ORIGINAL, "GTO"))
    study.value("ccws.sec3.4.1.2lvl-lrr-over-gto-ratio-hcs", lambda: got.speed(ORIGINAL, HCS))
    order = lambda *machines: lambda: {machine: got.speed(machine, HCS) for machine in machines}  # noqa: E731
    study.order("ccws.fig3.8.2lvl-gto-vs-gto-hcs", order("GTO", TWO_LEVEL))
    study.value("ccws.fig3.8.2lvl-gto-over-gto-ratio-hcs", lambda: got.speed(TWO_LEVEL, HCS))
    study.order("ccws.fig3.8.order-hcs", order(*SCHEDULERS, ORIGINAL))
    study.value("ccws.sec3.hcs-mcs-gain", gain("CCWS", "GTO", SENSITIVE), "over GTO")
    study.value("ccws.sec3.l1d-miss-reduction", lambda: 100 * (got.mean_of("CCWS", SENSITIVE, "mpki") / got.mean_of("GTO", SENSITIVE, "mpki") - 1), "over GTO")
    for name in HCS:
        study.order(f"ccws.fig3.8.best-swl-above-ccws-{name.lower()}", lambda name=name: {machine: got.ratio(machine, name) for machine in (BEST_LIMIT, "CCWS")})
    study.judged("ccws.sec3.4.1.double-vta-beats-best-swl", lambda: {name: got.ratio(ccws(tags=32), name, BEST_LIMIT) for name in HCS}, lambda found: max(found.values()) > 1,
                 "IPC with 32 victim tags a warp over Best-SWL: above 1 for one at least")
    study.judged("ccws.sec3.4.1.detect-and-back-off-cost", lambda: start_and_end(got, TALLEST), lambda found: found["misses at first"] > found["misses later"] and found["held at last"] > 0,
                 f"{TALLEST} with CCWS, misses of 100 accesses in the first tenth of its cycles and later, and percent of slots held back in the last tenth: more, and some")
    study.judged("ccws.sec3.4.1.gto-over-2lvl-reason", lambda: [got.mean_of(machine, HCS, "mpki") for machine in ("GTO", TWO_LEVEL)], lambda found: found[1] > found[0],
                 "misses per 1,000 instructions with GTO and 2LVL-GTO: more")
    study.judged("ccws.sec3.4.1.oldest-warps-overflow", lambda: [got.mean_of(machine, HCS, "mpki") for machine in (swl(1), swl(got.limits[len(got.limits) // 2]), "GTO")],
                 lambda found: up(found, SMALL), "misses per 1,000 instructions with the oldest warp only, with some of the oldest, and with GTO: rise")
    for machine in ("GTO", TWO_LEVEL, BEST_LIMIT, "CCWS"):
        study.order(f"ccws.sec3.4.1.cta-finish-spread-{machine.lower()}", lambda machine=machine: {each: mean(finish_spread(got.of(each, name)) for name in HCS) for each in (machine, "LRR")},
                    "highly cache-sensitive benchmarks; time between the first and the last end of the blocks that an SM starts with, part of the run")
    how = "highly cache-sensitive benchmarks"
    for other in ("greedy-rr", "oldest-first"):
        named = "greedy-then-round-robin" if other == "greedy-rr" else other
        study.order(f"ccws.sec3.4.1.gto-vs-{other}", order("GTO", named), how)
    study.value("ccws.sec3.4.1.2lvl-best-group-size", lambda: max(got.group_sizes, key=lambda size: got.speed(fetch_groups(size), HCS)),
                f"of {', '.join(map(str, got.group_sizes))}, GTO in and between groups, {how}")
    study.order("ccws.sec3.4.1.2lvl-gto-above-2lvl-lrr", order(TWO_LEVEL, ORIGINAL), how)
    study.judged("ccws.sec7.1.2.gebhart-exact", lambda: {name: got.gain_of(POOL, "LRR", name) for name in SENSITIVE}, lambda found: max(found.values()) > SMALL and min(found.values()) < -SMALL,
                 f"gain over LRR of the cache-sensitive benchmarks, percent: above {SMALL} for some and below -{SMALL} for others")
    study.value("ccws.sec7.1.2.gebhart-on-miss", gain(POOL_ON_MISSES, ORIGINAL), f"over {ORIGINAL}, {how}")


def start_and_end(got, name):
    """Misses early and late, and slots held back at the end, with CCWS."""
    series = got.series("CCWS", name, ("l1d.read_misses", "l1d.read_hits", "l1d.read_merges", "issue.slots.held", "issue.slots.cycles"))
    tenth = max(1, len(series) // 10)

    def share(rows, *names, of):
        return 100 * sum(row[each] for row in rows for each in names) / max(1, sum(row[each] for row in rows for each in of))

    accesses = ("l1d.read_misses", "l1d.read_hits", "l1d.read_merges")
    return {"misses at first": share(series[:tenth], "l1d.read_misses", of=accesses), "misses later": share(series[tenth:], "l1d.read_misses", of=accesses),
            "held at last": share(series[-tenth:], "issue.slots.held", of=("issue.slots.cycles",))}


def finish_spread(run):
    """Time between the first and the last end of the blocks with which an SM starts a launch, part of the launch, mean."""
    spreads = []
    for launch in run.kernels:
        blocks = [block for block in run.blocks if block["launch"] == launch["launch"]]
        for sm in {block["sm"] for block in blocks}:
            here = [block for block in blocks if block["sm"] == sm]
            first_end = min(block["last_cycle"] for block in here)
            ends = [block["last_cycle"] for block in here if block["first_cycle"] <= first_end]
            spreads.append((max(ends) - min(ends)) / launch["cycles"])
    return mean(spreads)


def replacement(study, got):
    optimal = lambda machine: lambda: mean(got.belady(machine, name) for name in HCS)  # noqa: E731
    usual = lambda machine: lambda: got.mean_of(machine, HCS, "mpki")  # noqa: E731
    least = lambda **measures: lambda: {name: -measure() for name, measure in measures.items()}  # noqa: E731
    study.order("ccws.fig3.9.ccws-below-gto-bel", least(**{"CCWS": usual("CCWS"), "GTO-BEL": optimal("GTO")}))
    study.order("ccws.fig3.9.ccws-below-2lvl-gto-bel", least(**{"CCWS": usual("CCWS"), "2LVL-GTO-BEL": optimal(TWO_LEVEL)}))
    for machine in ("GTO", TWO_LEVEL, BEST_LIMIT, "CCWS"):
        study.order(f"ccws.fig3.9.lrr-bel-above-{machine.lower()}", least(**{machine: usual(machine), "LRR-BEL": optimal("LRR")}))
    study.at_most("ccws.sec3.3.sagcs-vs-timing-sim", lambda: max(replay_difference(got.of(machine, name)) for machine in SCHEDULERS for name in EVERY),
                  "largest difference of the miss rates, points; a merge with an outstanding miss counts as a hit, as the replay has none")
    study.value("ccws.fig3.9.label-kmn-lrr", lambda: got.of("LRR", TALLEST).mpki)
    study.value("ccws.fig3.9.label-kmn-lrr-bel", lambda: got.belady("LRR", TALLEST))
    lowest = lambda names, but=(): max(value for machine in SCHEDULERS for name in names if (machine, name) not in but  # noqa: E731
                                       for value in (got.of(machine, name).mpki, got.belady(machine, name)))
    study.at_most("ccws.fig3.9.axis", lambda: lowest(HCS, {("LRR", TALLEST)}))
    study.at_most("ccws.fig3.11.mcs-axis", lambda: lowest(MCS))
    study.at_most("ccws.fig3.11.ci-axis", lambda: lowest(CI))


def replay_difference(run):
    """Between the miss rates of a run and of its replay under LRU, points."""
    accesses = max(1, run.sum("intra_thread", "inter_thread", "inter_warp", "merges", "misses"))
    return 100 * abs(run.sum("misses") - run.sum("misses", replay="lru")) / accesses


def sensitivity(study, got):
    larger = lambda name: got.ratio("LRR 8 MB", name, "LRR")  # noqa: E731
    for name in HCS:
        study.at_least(f"ccws.fig3.2.cache-sensitivity-{name.lower()}", lambda name=name: larger(name))
    study.value("ccws.fig3.2.label-36.3", lambda: larger(TALLEST))
    study.at_most("ccws.fig3.2.hcs-axis", lambda: max(larger(name) for name in HCS if name != TALLEST))
    study.at_most("ccws.fig3.2.mcs-axis", lambda: max(map(larger, MCS)))
    how = "IPC with 8 MB over that with 32 KB, LRR: "
    for name in MCS:
        study.judged(f"ccws.table3.2.class-{name.lower()}", lambda name=name: larger(name), lambda ratio: 1 + SMALL / 100 < ratio < 2, how + f"above {1 + SMALL / 100}, below 2")
    for name in [*CI, "HOTSP"]:
        study.judged(f"ccws.table3.2.class-{name.lower()}", lambda name=name: larger(name), lambda ratio: abs(ratio - 1) <= FEW / 100, how + f"1 to {FEW} %")
    study.judged("ccws.table4.2.class-spmv-scalar", lambda: larger("SPMV-Scalar"), lambda ratio: ratio >= 3, how + "at least 3")

    unbounded = lambda name: got.of("GTO", name)  # noqa: E731
    study.judged("ccws.fig3.1.hcs-intra-majority", lambda: mean(unbounded(name).intra_warp_share("unbounded") for name in HCS), lambda share: share > 0.5,
                 "intra-warp part of all hits in an unbounded cache, accesses of GTO: above half")
    study.at_most("ccws.fig3.1.axis", lambda: max(mean(unbounded(name).all_pki("unbounded") for name in names) for names in (HCS, MCS)))
    study.judged("ccws.fig3.13.sssp-intra-warp", lambda: {name: unbounded(name).pki("intra_thread", "inter_thread", replay="unbounded") for name in MCS},
                 lambda found: ranked([["SSSP"], [name for name in MCS if name != "SSSP"]], found), "intra-warp hits per 1,000 instructions in an unbounded cache: most with SSSP")
    study.at_most("ccws.fig3.13.axis", lambda: max(unbounded(name).all_pki("unbounded") for name in SENSITIVE))
    study.judged("ccws.sec3.4.4.sssp-fits", lambda: {size: got.of(gto(size), "SSSP").mpki for size in (8, 32, 128)},
                 lambda found: found[8] > (1 + CLEARLY / 100) * found[32] and found[32] < (1 + CLEARLY / 100) * found[128],
                 f"misses per 1,000 instructions with 8, 32 and 128 KB, GTO: the first more than {CLEARLY} % above the second, the second not above the third by that")


def limits(study, got):
    curve = lambda: [got.limited(limit) for limit in got.limits]  # noqa: E731
    over = f"limits {', '.join(map(str, got.limits))}"
    study.judged("ccws.fig3.3.ipc-peak-intermediate", curve, lambda found: peaks_inside(found, SMALL), f"mean IPC over that of 32 warps, {over}: the highest by more than {SMALL} % is not an end")
    study.value("ccws.fig3.3.mpki-minimum-warps", lambda: min(got.limits, key=lambda limit: got.mean_of(swl(limit), HCS, "mpki")), over)
    study.at_most("ccws.fig3.3.mpki-axis", lambda: max(got.mean_of(swl(limit), HCS, "mpki") for limit in got.limits), over)
    study.at_most("ccws.fig3.3.ipc-axis", lambda: max(curve()), over)
    for name in HCS:
        study.value(f"ccws.table3.3.best-limit-{name.lower()}", lambda name=name: got.best_limit(name), over)
    for name in [*MCS, *CI]:
        study.judged(f"ccws.table3.3.best-limit-{name.lower()}", lambda name=name: got.gain_of(BEST_LIMIT, swl(WARPS), name), lambda gain: gain <= SMALL,
                     f"gain of the best of limits {', '.join(map(str, got.few_limits))} over all warps, percent: at most {SMALL}")
    study.value("ccws.swl.limit-32-equals-gto", lambda: max(abs(got.of(swl(WARPS), name).all_cycles - got.of("GTO", name).all_cycles) for name in EVERY), "largest difference in cycles")
    study.judged("ccws.fig3.18.peaks-differ", lambda: {name: got.best_limit(name) for name in HCS}, lambda found: len(set(found.values())) > 1, "best limits: not all the same")
    study.value("ccws.fig3.18.label-1.15", lambda: got.ratio(BEST_LIMIT, "GC", swl(WARPS)))
    study.at_most("ccws.fig3.18.axis", lambda: max(got.ratio(BEST_LIMIT, name, swl(WARPS)) for name in HCS))
    graphs = list(got.graphs.values())[:3]
    best = lambda: {size: got.best_limit("BFS", size) for size in graphs}  # noqa: E731
    study.judged("ccws.fig3.19.peaks-differ-per-graph", best, lambda found: len(set(found.values())) > 1, "best limits by nodes of the graph: not all the same")
    study.at_most("ccws.fig3.19.axis", lambda: max(got.ratio(swl(limit), "BFS", swl(WARPS), size) for size in graphs for limit in got.graph_limits))
    study.judged("ccws.sec3.4.6.swl-phases", lambda: best_by_launch(got), lambda found: len(set(found)) > 1,
                 "BFS, best limits of the longest launches, a level of the graph each, of those that differ from all warps by more than "
                 f"{SMALL} %: not all the same")


def best_by_launch(got, most=6):
    """Best limits of the launches of BFS that take longest."""
    runs = {limit: got.of(swl(limit), "BFS") for limit in got.limits}
    every = runs[WARPS if WARPS in runs else got.limits[-1]]
    longest = sorted(range(len(every.kernels)), key=lambda launch: -every.kernels[launch]["cycles"])[:most]
    found = []
    for launch in longest:
        best = min(got.limits, key=lambda limit: runs[limit].kernels[launch]["cycles"])
        if runs[best].kernels[launch]["cycles"] < (1 - SMALL / 100) * every.kernels[launch]["cycles"]:
            found.append(best)
    return found


def headline_figures(study, got):
    study.value("ccws.fig3.8.label-kmn-best-swl", lambda: got.ratio(BEST_LIMIT, TALLEST))
    study.value("ccws.fig3.8.label-kmn-ccws", lambda: got.ratio("CCWS", TALLEST))
    study.value("ccws.fig3.8.label-gc", lambda: got.ratio("CCWS", "GC"), "CCWS")
    study.value("ccws.fig3.8.bfs-memc-mean", lambda: got.speed("CCWS", ["BFS", "MEMC"]))
    study.at_most("ccws.fig3.8.axis", lambda: max(got.ratio(machine, name) for machine in SCHEDULERS for name in HCS if name != TALLEST or machine not in (BEST_LIMIT, "CCWS")))
    for name in CI:
        study.at_least(f"ccws.fig3.10.no-loss-{name.lower()}", lambda name=name: got.gain_of("CCWS", "GTO", name))
    study.at_least("ccws.fig3.10.no-loss-ci-mean", lambda: got.gain("CCWS", "GTO", CI))
    study.judged("ccws.fig3.10.mcs-mostly-no-loss", lambda: {name: got.gain_of("CCWS", "GTO", name) for name in MCS}, lambda found: sum(gain >= -SMALL for gain in found.values()) > len(found) / 2,
                 f"gain over GTO, percent: not below -{SMALL} for most")
    study.at_most("ccws.fig3.10.axis", lambda: max(got.ratio(machine, name) for machine in SCHEDULERS for name in [*MCS, *CI]))


def reuse(study, got):
    intra = ("intra_thread", "inter_thread")
    for machine in ("CCWS", BEST_LIMIT):
        study.judged(f"ccws.fig3.12.{machine.lower()}-gain-is-intra-warp", lambda machine=machine: part_of_gain(got, machine, intra), lambda part: part > 0.5,
                     "more intra-warp hits than with GTO, part of the misses that it saves: above half")
    both = lambda name: [got.of(machine, name) for machine in ("CCWS", BEST_LIMIT)]  # noqa: E731
    for name in ("KMN", "MEMC", "GC"):
        study.judged(f"ccws.fig3.12.intra-thread-{name.lower()}", lambda name=name: [run.sum("intra_thread") / max(1, run.sum(*intra)) for run in both(name)], lambda parts: min(parts) >= 0.6,
                     "of intra-warp hits, those of a thread for which the line was loaded, CCWS and Best-SWL: at least 0.6")
    study.value("ccws.fig3.12.bfs-inter-thread-share", lambda: 100 * mean(run.sum("inter_thread") / max(1, run.sum(*intra)) for run in both("BFS")), "mean of CCWS and Best-SWL")
    study.value("ccws.fig3.12.bfs-inter-warp-increase", lambda: 100 * (mean(run.pki("inter_warp") for run in both("BFS")) / got.of("GTO", "BFS").pki("inter_warp") - 1),
                "mean of CCWS and Best-SWL, over GTO")
    study.judged("ccws.fig3.12.bfs-shared-neighbours", lambda: [got.sharing(edges).pki("inter_thread", "inter_warp", replay="unbounded") for edges in DENSITIES], lambda found: up(found, SMALL),
                 f"inter-thread and inter-warp hits per 1,000 instructions in an unbounded cache, up to {', '.join(str(edges - 1) for edges in DENSITIES)} edges a node: rise")
    study.at_most("ccws.fig3.12.axis", lambda: max(got.of(machine, name).all_pki() for machine in SCHEDULERS for name in HCS))


def part_of_gain(got, machine, hits):
    """Of the misses saved over GTO, per 1,000 instructions, those that these hits account for, mean of the class."""
    more = mean(got.of(machine, name).pki(*hits) - got.of("GTO", name).pki(*hits) for name in HCS)
    saved = mean(got.of("GTO", name).mpki - got.of(machine, name).mpki for name in HCS)
    return more / saved if saved > 0 else 0.0


def victim_tags(study, got):
    speed = lambda tags, names=SENSITIVE: got.speed(ccws(tags=tags), names)  # noqa: E731
    over = f"of {', '.join(map(str, got.tags))} a warp"
    study.value("ccws.fig3.14.best-vta-size", lambda: max(got.tags, key=speed), over)
    study.judged("ccws.fig3.14.small-vta", lambda: [speed(tags, HCS) for tags in got.tags if tags <= USUAL_TAGS], lambda found: up(found, SMALL),
                 f"mean IPC over GTO, {', '.join(str(tags) for tags in got.tags if tags <= USUAL_TAGS)} tags a warp: rises")
    study.judged("ccws.fig3.14.large-vta", lambda: {name: got.ratio(ccws(tags=512), name, "CCWS") for name in SENSITIVE}, lambda found: min(found.values()) < 1 - SMALL / 100,
                 f"IPC with 512 tags a warp over that with 16: below {1 - SMALL / 100} for one at least")
    study.order("ccws.fig3.14.order-16-512", lambda: {f"{tags} entries per warp": speed(tags) for tags in (16, 512)}, "cache-sensitive benchmarks")
    study.at_most("ccws.fig3.14.hcs-axis", lambda: max(got.ratio(ccws(tags=tags), name) for tags in got.tags for name in HCS))
    study.at_most("ccws.fig3.14.mcs-axis", lambda: max(got.ratio(ccws(tags=tags), name) for tags in got.tags for name in MCS))


def cache_sizes(study, got):
    gain_of = lambda size, name, nodes=None: got.gain_of(ccws(kilobytes=size), gto(size), name, nodes)  # noqa: E731
    gain = lambda size: 100 * (harmonic_mean(1 + gain_of(size, name) / 100 for name in SENSITIVE) - 1)  # noqa: E731
    study.value("ccws.fig3.15.sssp-8k", lambda: gain_of(8, "SSSP"), "over GTO with 8 KB")
    study.value("ccws.fig3.15.sssp-32k", lambda: gain_of(32, "SSSP"))
    how = f"mean gain over GTO at {', '.join(map(str, got.kilobytes))} KB, percent: "
    gains = lambda: [gain(size) for size in got.kilobytes]  # noqa: E731
    study.judged("ccws.fig3.15.gain-grows-as-cache-shrinks", gains, lambda found: max(found) == found[0], how + "most with the smallest")
    study.judged("ccws.fig3.15.gain-dwindles-as-cache-grows", gains, lambda found: all(after <= before + SMALL for before, after in zip(found, found[1:])) and found[-1] < found[0] / 2,
                 how + f"no step up by more than {SMALL} points, the last below half of the first")
    study.judged("ccws.fig3.15.large-cache-indifferent", gains, lambda found: abs(found[-1]) <= FEW, how + f"the last at most {FEW} either way")
    study.judged("ccws.fig3.15.128k-little-gain", lambda: gain(128), lambda found: abs(found) <= FEW, f"mean gain over GTO at 128 KB, percent: at most {FEW} either way")
    axis = lambda names: lambda: max(got.ratio(order(kilobytes=size), name) for size in got.kilobytes for order in (gto, ccws) for name in names)  # noqa: E731
    study.at_most("ccws.fig3.15.hcs-axis", axis(HCS))
    study.at_most("ccws.fig3.15.mcs-axis", axis(MCS))
    graphs = list(got.graphs.values())
    how = f"gain over GTO on graphs of {', '.join(map(str, graphs))} nodes, percent: the last above the first by more than {FEW} points"
    grows = lambda found: found[-1] > found[0] + FEW  # noqa: E731
    study.judged("ccws.fig3.16.gain-grows-with-graph", lambda: [mean(gain_of(size, "BFS", nodes) for size in GRAPH_KILOBYTES) for nodes in graphs], grows,
                 "mean of 32, 64 and 128 KB; " + how)
    study.judged("ccws.fig3.16.gain-grows-with-graph-128k", lambda: [gain_of(128, "BFS", nodes) for nodes in graphs], grows, "128 KB; " + how)
    study.at_most("ccws.fig3.16.axis", lambda: max(got.ratio(order(kilobytes=size), "BFS", "GTO", nodes) for nodes in graphs for size in GRAPH_KILOBYTES for order in (gto, ccws)))


def throttling(study, got):
    of_best = lambda name: 100 * got.of("CCWS", name).ipc / got.of(ccws(k=got.best_k(name)), name).ipc  # noqa: E731
    over = f"K {', '.join(map(str, got.k))}"
    study.at_least("ccws.sec3.2.3.k8-worst-of-optimal", lambda: min(map(of_best, EVERY)), over)
    study.at_most("ccws.sec3.2.3.k8-best-of-optimal", lambda: max(map(of_best, EVERY)), over)
    study.at_most("ccws.fig3.17.k8-mean-gap",
                  lambda: 100 * (harmonic_mean(got.ratio(ccws(k=got.best_k(name)), name) for name in HCS) / got.speed("CCWS", HCS) - 1), over)
    study.judged("ccws.sec3.2.3.best-k-depends", lambda: {name: got.best_k(name) for name in HCS}, lambda found: len(set(found.values())) > 1,
                 "best K of the highly cache-sensitive benchmarks: not all the same (of the four conditions, the benchmark varies)")
    power = ccws(k=POWER_K)
    study.value("ccws.fig3.17.k32-misses", lambda: 100 * (got.mean_of(power, HCS, "mpki") / got.mean_of("CCWS", HCS, "mpki") - 1))
    study.value("ccws.fig3.17.k32-vs-gto", lambda: got.gain(power, "GTO", HCS))
    study.value("ccws.sec1.6.k32-vs-gto", lambda: got.gain(power, "GTO", HCS), "over GTO")
    study.order("ccws.fig3.17.k8-faster-than-k32", lambda: {f"CCWS K={k}": got.speed(ccws(k=k), HCS) for k in (BEST_K, POWER_K)})
    study.value("ccws.sec3.4.5.mcs-k128", lambda: got.gain(ccws(k=128), "GTO", MCS))
    for k in K[:-1]:
        study.value(f"ccws.sec3.4.5.mcs-k{k}-equals-gto", lambda k=k: got.gain(ccws(k=k), "GTO", MCS))
    study.value("ccws.sec3.4.5.ci-no-effect", lambda: max((got.gain_of(ccws(k=k), "CCWS", name) for k in got.k for name in CI), key=abs), f"largest gain over K=8, {over}")
    for name in HCS:
        study.judged(f"ccws.fig3.17.misses-fall-{name.lower()}", lambda name=name: [got.of(ccws(k=k), name).mpki for k in got.k], lambda found: down(found, SMALL),
                     f"misses per 1,000 instructions, {over}: fall by more than {SMALL} %, and no step rises by more")
        if name != "GC":
            study.judged(f"ccws.fig3.17.peak-{name.lower()}", lambda name=name: got.over_k(name), lambda found: peaks_inside(found, SMALL),
                         f"IPC over GTO, {over}: the highest by more than {SMALL} % is not an end")
    study.judged("ccws.fig3.17.no-fall-gc", lambda: got.over_k("GC"), lambda found: all(after >= before * (1 - SMALL / 100) for before, after in zip(found, found[1:])),
                 f"IPC over GTO, {over}: no step falls by more than {SMALL} %")
    study.at_most("ccws.fig3.17.ipc-axis", lambda: max(max(got.over_k(name)) for name in HCS))
    study.at_most("ccws.fig3.17.mpki-axis", lambda: max(got.of(ccws(k=k), name).mpki for k in got.k for name in HCS))


def rules(study, got):
    value = lambda path: values_of("CCWS of 10 bits")[path]  # noqa: E731
    study.at_most("ccws.rule.deadlock-bound", lambda: (2 ** value(f"{CCWS}.score_bits") - 1 - value(f"{CCWS}.base_score")) / value(f"{CCWS}.decay"),
                  "steps of decay from the greatest score to the base score, from the values of the preset")
    study.at_least("ccws.cc7.512-covers-l1d", lambda: max(VICTIM_TAGS) / (value("caches.l1d.sets") * value("caches.l1d.ways")), "from the values of the preset")
    study.left_out("ccws.sec3.2.3.cutoff-follows-warps", "the cutoff cannot be fixed; the unit test of the scores shows that it follows the warps")
    instructions = lambda: [got.of("GTO", name).thread_instructions / 1e6 for name in EVERY]  # noqa: E731
    study.at_least("ccws.workloads.min-instructions", lambda: min(instructions()), "thread-instructions of a slice of the machine, a tenth of the source's inputs or less")
    study.at_most("ccws.workloads.max-instructions", lambda: max(instructions()))
    study.value("ccws.workloads.no-barriers-hcs", lambda: sum(got.of("GTO", name).counted("issue.barriers") for name in HCS))


def measured():
    """The targets of this study, by id."""
    return {target_id: target for target_id, target in targets("cache-conscious-and-divergence-aware", "ccws.").items()
            if target["kind"] not in ("structural", "cost") or target_id.startswith(ON_BENCHMARKS)}


def judge(study, got):
    for target_id, why in LEFT_OUT.items():
        study.left_out(target_id, why)
    for part in (schedulers, replacement, sensitivity, limits, headline_figures, reuse, victim_tags, cache_sizes, throttling, rules):
        study.part(part, study, got)


def main():
    options = parser_of("cache-conscious", __doc__).parse_args()
    return run_study("cache-conscious", options, measured(), Measurements, judge, figures.write)


if __name__ == "__main__":
    sys.exit(main())
