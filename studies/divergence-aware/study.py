# SPDX-License-Identifier: Apache-2.0
"""Divergence-aware scheduling on stand-ins for the benchmarks of its source.

usage: study.py [--quick] [--jobs N] [--no-build] [--energies FILE] [--output FOLDER]

--quick: programs at smaller sizes, and some points of the sweeps. --energies: nanojoules of each operation of the memory system,
which the source does not list. Targets of kind `structural` and `cost` are unit tests (tests/unit/studies/), except those on
benchmarks; the others are measured here. Runs are cached in out/studies/cache.
Source: docs/sources/cache-conscious-and-divergence-aware.md, chapter 4 of the thesis: 1.3, 2.5 to 2.9, 6.3, 6.4.
"""
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "locality"), str(HERE)]
import figures  # noqa: E402
from figures import CI, EVERY, HCS, SCHEDULERS  # noqa: E402
from machines import (BEST_LIMIT, FACTORS, HITS, MACHINES, SLICE, TRIPS, WARPS, Results, Scattered, add_energies, detected, energies, fewest, mean,  # noqa: E402
                      parser_of, ranked, run_study, swl)
from programs import PROGRAMS  # noqa: E402
from study import HEDDLE, ROOT, on_machine, output_of, targets  # noqa: E402

SMALL = 2  # percent: a smaller change counts as none
CCWS, PROFILED, DETECTED = "CCWS", "Profiled-DAWS", "Detected-DAWS"
BLIND, WITH_TAGS = "Detected-DAWS, all lanes", "Profiled-DAWS with victim tags"
LOSING = {CCWS: CCWS, PROFILED: WITH_TAGS, DETECTED: DETECTED}  # machines that count lost locality
LARGE = "GTO 8 MB"
DIVERGENT = ["BFS", "MEMC"]
INTRA = ("intra_thread", "inter_thread")
# Loads of BFS by what they load. The page infers which of the source's program counters each is (5.1).
OF_BFS = {"pc240": "neighbour[", "pc272": "seen[", "pc328": "distances[node]", "pc400": "row_start[", "pc408": "row_start["}

ON_BENCHMARKS = ("daws.workloads.", "daws.fig4.2.", "daws.sec4.4.1.no-locality-loops-", "daws.sec4.4.1.no-midloop-deschedule")


class Measurements(Results):
    """The runs of this study."""

    def __init__(self, quick, jobs):
        super().__init__(quick, jobs, [*SCHEDULERS, LARGE])
        self.factors = (1.0, 0.7, 0.6, 0.4) if quick else FACTORS

    def start_all(self):
        self.start(["GTO", CCWS, DETECTED, PROFILED], EVERY)
        for name in EVERY:
            self.start(map(swl, self.limits_of(name)), [name])
        self.start([WITH_TAGS], EVERY)
        self.start([BLIND, LARGE, "LRR", "oldest-first", *map(detected, self.factors)], HCS)

    def lost(self, scheduler, name):
        """Lost locality per 1,000 instructions, where it is counted."""
        return self.of(LOSING[scheduler], name).lost

    def descheduled(self, machine, name):
        """Cycles in which a ready instruction was held back and none issued, of those of GTO."""
        run = self.of(machine, name)
        return run.held * run.all_cycles / self.of("GTO", name).all_cycles

    def scatter(self, machine, name):
        """How often the loads of BFS accessed how many lines: {(active lanes, lines): times} by what they load."""
        key = ("scatter", machine, name)
        self.runs.start(key, Scattered, machine, *self._input(name, None))
        source = (ROOT / "workloads" / f"{PROGRAMS[name].name}.cu").read_text(encoding="utf-8").splitlines()
        found = {}
        for text in OF_BFS.values():
            counts = found.setdefault(text, collections.Counter())
            for (file, line), points in self.runs[key].points.items():
                if file == f"{PROGRAMS[name].name}.cu" and text in source[line - 1]:
                    counts.update({(lanes, lines): times for lanes, lines, times in points})
        return found

    def best_factor(self, name):
        return max(self.factors, key=lambda factor: self.of(detected(factor), name).ipc)


def headline(study, got):
    ccws = lambda new: lambda: got.gain(new, CCWS, HCS, CCWS)  # noqa: E731
    best = lambda new: lambda: got.gain(new, BEST_LIMIT, HCS, CCWS)  # noqa: E731
    study.value("daws.fig4.7.profiled-vs-ccws-hcs", ccws(PROFILED))
    study.value("daws.fig4.7.detected-vs-ccws-hcs", ccws(DETECTED))
    study.value("daws.fig4.7.profiled-vs-best-swl-hcs", best(PROFILED))
    study.value("daws.fig4.7.detected-vs-best-swl-hcs", best(DETECTED))
    over_best = lambda name: got.gain_of(DETECTED, BEST_LIMIT, name)  # noqa: E731
    study.value("daws.fig4.7.detected-vs-best-swl-bfs", lambda: over_best("BFS"))
    study.at_most("daws.fig4.7.detected-vs-best-swl-max", lambda: max(map(over_best, HCS)))
    study.value("daws.fig4.7.detected-vs-best-swl-spmv-scalar", lambda: over_best("SPMV-Scalar"))
    study.order("daws.fig4.7.detected-above-best-swl-memc", lambda: {machine: got.ratio(machine, "MEMC") for machine in (DETECTED, BEST_LIMIT)})
    for target in ("best-swl-vs-ccws-hcs", "best-swl-vs-ccws-hcs-profiled"):
        study.value(f"daws.fig4.7.{target}", ccws(BEST_LIMIT))
    study.order("daws.fig4.7.order-hcs", lambda: {machine: got.speed(machine, HCS, CCWS) for machine in (DETECTED, PROFILED, BEST_LIMIT, CCWS)})
    for name in CI:
        for machine in (PROFILED, DETECTED):
            study.at_least(f"daws.fig4.7.no-loss-{machine.split('-')[0].lower()}-{name.lower()}", lambda machine=machine, name=name: got.gain_of(machine, CCWS, name), "over CCWS")
    study.at_most("daws.fig4.7.axis", lambda: max(got.ratio(machine, name, CCWS) for machine in SCHEDULERS for name in EVERY))
    study.judged("daws.sec4.4.1.one-limit-cannot-fit", lambda: [mean(map(over_best, names)) for names in (DIVERGENT, [name for name in HCS if name not in DIVERGENT])],
                 lambda found: found[0] > found[1], "gain of Detected-DAWS over Best-SWL, percent: mean of BFS and MEMC, and of the others; above")
    for name in ("BFS", "MEMC", "SPMV-Scalar", "GC", "KMN"):
        study.value(f"daws.sec4.4.1.no-control-flow-{name.lower()}", lambda name=name: got.gain_of(BLIND, DETECTED, name))
    order = lambda *machines: lambda: {machine: got.speed(machine, HCS) for machine in machines}  # noqa: E731
    study.order("daws.sec4.4.1.gto-vs-oldest-first", order("GTO", "oldest-first"), "highly cache-sensitive benchmarks")
    study.order("daws.sec4.4.1.gto-vs-lrr", order("GTO", "LRR"), "highly cache-sensitive benchmarks")
    over = f"limits {', '.join(map(str, got.limits))}"
    for name in HCS:
        study.value(f"daws.table4.3.best-limit-{name.lower()}", lambda name=name: got.best_limit(name), over)
    for name in CI:
        study.judged(f"daws.table4.3.best-limit-{name.lower()}", lambda name=name: got.gain_of(BEST_LIMIT, swl(WARPS), name), lambda gain: gain <= SMALL,
                     f"gain of the best of limits {', '.join(map(str, got.few_limits))} over all warps, percent: at most {SMALL}")


def misses(study, got):
    study.judged("daws.fig4.8.most-divergent", lambda: {name: got.of("GTO", name).efficiency for name in HCS},
                 lambda found: ranked([DIVERGENT, [name for name in HCS if name not in DIVERGENT]], {name: -value for name, value in found.items()}),
                 "active lanes of those of a warp, GTO: least with BFS and MEMC")
    study.value("daws.fig4.8.axis", lambda: max((sum(got.of("GTO", name).lanes) for name in HCS), key=lambda total: abs(total - 1)))
    rate = lambda machine: got.mean_of(machine, HCS, "miss_rate")  # noqa: E731
    per_kilo = lambda machine: got.mean_of(machine, HCS, "mpki")  # noqa: E731
    for machine in (PROFILED, DETECTED):
        part = machine.split("-")[0].lower()
        study.value(f"daws.fig4.9.miss-rate-{part}-vs-best-swl", lambda machine=machine: rate(machine) / rate(BEST_LIMIT), "of mean miss rates of the class")
        study.order(f"daws.fig4.9.misses-{part}-below-ccws", lambda machine=machine: fewest(per_kilo, machine, CCWS))
        study.order(f"daws.fig4.10.lost-{part}-below-ccws", lambda machine=machine: fewest(lambda each: mean(got.lost(each, name) for name in EVERY), machine, CCWS))
        study.order(f"daws.fig4.11.descheduled-{part}-below-ccws", lambda machine=machine: fewest(lambda each: mean(got.descheduled(each, name) for name in HCS), machine, CCWS))
    study.order("daws.fig4.10.detected-above-profiled", lambda: fewest(lambda each: mean(got.lost(each, name) for name in EVERY), PROFILED, DETECTED))
    study.at_most("daws.fig4.9.axis", lambda: max(got.of(machine, name).all_pki() for machine in SCHEDULERS for name in HCS))
    study.at_most("daws.fig4.10.axis", lambda: max(got.lost(machine, name) / 1000 for machine in LOSING for name in EVERY), "per thread-instruction")
    study.at_most("daws.fig4.11.axis", lambda: max(got.of(machine, name).all_cycles / got.of("GTO", name).all_cycles for machine in SCHEDULERS for name in HCS))
    study.value("daws.sec4.4.1.lost-after-deschedule", lambda: 100 * sum(got.of(CCWS, name).lost_after_descheduling for name in HCS) / max(1, sum(got.of(CCWS, name).lost_lines for name in HCS)),
                "highly cache-sensitive benchmarks together: lost lines whose warp had a load held back since it last used them")


def factors(study, got):
    over = f"factors {', '.join(map(str, got.factors))}"
    for name in HCS:
        if name != "BFS":
            study.value(f"daws.fig4.12.peak-{name.lower()}", lambda name=name: got.best_factor(name), over)
    study.order("daws.fig4.12.peak-bfs", lambda: {str(factor): got.of(detected(factor), "BFS").ipc for factor in (0.7, 0.6)})
    study.value("daws.fig4.12.peak-value-bfs", lambda: got.best_factor("BFS"), over)
    every = lambda: [got.ratio(detected(factor), name, CCWS) for factor in got.factors for name in HCS]  # noqa: E731
    study.at_most("daws.fig4.12.axis-high", lambda: max(every()))
    study.at_least("daws.fig4.12.axis-low", lambda: min(every()))


def energy(study, got, table):
    names = ("energy-vs-gto", "energy-vs-ccws", "energy-ccws-vs-gto", "order")
    if table is None:
        for name in names:
            study.left_out(f"daws.sec4.4.4.{name}", "no energies of operations given (--energies)")
        return
    mean_energy = lambda machine: mean(got.of(machine, name).energy(table) / got.of("GTO", name).energy(table) for name in HCS)  # noqa: E731
    how = "Detected-DAWS; mean of the energies over those of GTO"
    study.value("daws.sec4.4.4.energy-vs-gto", lambda: 1 / mean_energy(DETECTED), how)
    study.value("daws.sec4.4.4.energy-vs-ccws", lambda: 100 * (mean_energy(DETECTED) / mean_energy(CCWS) - 1), how)
    study.value("daws.sec4.4.4.energy-ccws-vs-gto", lambda: 1 / mean_energy(CCWS), how)
    study.order("daws.sec4.4.4.order", lambda: {"DAWS": -mean_energy(DETECTED), "CCWS": -mean_energy(CCWS), "GTO": -1}, how)


def loads(study, got):
    ccws = lambda name: got.of(CCWS, name)  # noqa: E731
    study.judged("daws.fig4.2.mostly-intra-warp", lambda: {name: ccws(name).intra_warp_share() for name in HCS}, lambda found: mean(found.values()) > 0.5,
                 "intra-warp part of all hits, CCWS: mean above half")
    study.judged("daws.fig4.2.few-loads", lambda: {name: share_of_most(ccws(name), 4) for name in HCS}, lambda found: min(found.values()) >= 0.75,
                 "of intra-warp hits, those of the four loads with most: at least three of four")
    study.judged("daws.fig4.2.in-loops", lambda: {name: most_hits(ccws(name))["loop"] >= 0 for name in HCS}, lambda found: all(found.values()),
                 "whether the load with most intra-warp hits is in a loop: yes")
    tallest = lambda name: max(ccws(name).all_pki(of=[load]) for load in ccws(name).loads)  # noqa: E731
    study.at_most("daws.fig4.2.axis", lambda: max(tallest(name) for name in HCS if name != "MEMC"))
    study.at_most("daws.fig4.2.axis-memc", lambda: tallest("MEMC"))
    for name in HCS:
        study.value(f"daws.fig4.2.load-count-{name.lower()}", lambda name=name: len(ccws(name).loads), "static loads of our program that were executed")
    large = lambda name: [got.of(LARGE, name).sum(trip) for trip in TRIPS]  # noqa: E731
    last = lambda name: large(name)[1] / max(1, sum(large(name)))  # noqa: E731
    study.judged("daws.fig4.3.majority-last-trip", lambda: {name: last(name) for name in HCS}, lambda found: mean(found.values()) > 0.5,
                 "of intra-warp hits of loads in loops, those on a line of the trip before, 8 MB L1 data cache: mean above half")
    study.value("daws.fig4.3.spmv-scalar-last-trip", lambda: 100 * last("SPMV-Scalar"))
    study.value("daws.fig4.3.axis", lambda: max((sum(large(name)) / max(1, got.of(LARGE, name).sum(*INTRA, of=got.of(LARGE, name).looped())) for name in HCS), key=lambda total: abs(total - 1)),
                "sum of the three kinds, of all intra-warp hits of loads in loops")
    for number, pc in enumerate((1568, 1600)):
        study.judged(f"daws.sec4.2.1.gc-pc{pc}", lambda number=number: outside(ccws("GC"))[number], lambda share: share >= 0.05,
                     f"of all accesses, those of the load outside loops with the {('most', 'second most')[number]}: at least one of twenty")


def hits_of(run, load, *names):
    return run.sum(*names, of=[load])


def most_hits(run):
    return max(run.loads, key=lambda load: hits_of(run, load, *INTRA))


def share_of_most(run, count):
    hits = sorted((hits_of(run, load, *INTRA) for load in run.loads), reverse=True)
    return sum(hits[:count]) / max(1, sum(hits))


def outside(run):
    """Shares of all accesses of loads outside loops, most first."""
    counts = sorted((hits_of(run, load, *HITS, "merges", "misses") for load in run.loads if load["loop"] < 0), reverse=True)
    return [count / max(1, run.sum(*HITS, "merges", "misses")) for count in [*counts, 0, 0]]


def divergence(study, got):
    found = lambda: got.scatter("GTO", "BFS")  # noqa: E731
    points = lambda target: found()[OF_BFS[target]]  # noqa: E731
    total = lambda counts, index: sum(point[index] * count for point, count in counts.items())  # noqa: E731
    several = lambda counts: {point: count for point, count in counts.items() if point[0] > 2}  # noqa: E731
    study.judged("daws.fig4.4.pc240", lambda: [mean_of_points(several(points("pc240")), index) for index in (0, 1)], lambda means: 2 < means[1] < means[0],
                 "neighbour[edge], where more than two lanes are active: mean active lanes and mean accesses; more than two, fewer than lanes")
    study.judged("daws.fig4.4.pc272", lambda: sum(count for (lanes, lines), count in points("pc272").items() if lines == lanes) / sum(points("pc272").values()), lambda share: share >= 0.9,
                 "seen[other]: part of the executions with as many accesses as active lanes: at least 0.9")
    for pc in ("pc328", "pc400", "pc408"):
        study.at_most(f"daws.fig4.4.{pc}", lambda pc=pc: max(lines for lanes, lines in points(pc)), f"{OF_BFS[pc]}...]")
    study.at_most("daws.fig4.4.pc328-lanes", lambda: max(lanes for lanes, lines in points("pc328")))
    study.at_most("daws.fig4.4.loop-lanes", lambda: max(lanes for lanes, lines in points("pc240")))
    ratio = lambda text: total(found()[text], 1) / total(found()[text], 0)  # noqa: E731
    study.judged("daws.sec5.1.bfs-visited-load", lambda: {text: ratio(text) for text in found()}, lambda ratios: max(ratios, key=ratios.get) == "seen[", "accesses for each active lane: most with seen[other]")
    study.judged("daws.sec5.1.bfs-visited-sharing", lambda: sharing(got.of(CCWS, "BFS")), lambda most: "seen[" in most, "source line of the load with most inter-warp hits: that of seen[other]")


def mean_of_points(counts, index):
    return sum(point[index] * count for point, count in counts.items()) / max(1, sum(counts.values()))


def sharing(run):
    load = max(run.loads, key=lambda load: hits_of(run, load, "inter_warp"))
    return run.source_of(load)


def applications(study, got):
    known = lambda name: got.of("GTO", name)  # noqa: E731
    study.at_most("daws.workloads.max-loops", lambda: max(known(name).loops() for name in EVERY))
    study.at_most("daws.workloads.max-static-loads", lambda: max(len(known(name).looped()) for name in EVERY), "those that were executed")
    study.at_most("daws.workloads.max-nesting", lambda: max(known(name).depth() for name in EVERY))
    study.value("daws.workloads.no-overlarge-prediction", lambda: sum(got.of(machine, name).counted("load_scheduler.over_capacity") for machine in (PROFILED, DETECTED) for name in EVERY))
    study.value("daws.workloads.no-mixed-repetition", lambda: sum(mixed_groups(got.profile(name)) for name in EVERY), "groups of loads in the profiles")
    for name in CI:
        study.value(f"daws.sec4.4.1.no-locality-loops-{name.lower()}", lambda name=name: locality_loops(got.profile(name)), "loops with locality in the profile")
    study.left_out("daws.sec4.4.1.no-midloop-deschedule", "checked in every cycle by tests/module/sm/divergence_aware_machines_test.cpp")
    study.at_most("daws.cost.detected-table-entries", lambda: largest_table(), "largest table of the classifier")


def loops_of(profile):
    return [loop for kernel in json.loads(pathlib.Path(profile).read_text(encoding="utf-8"))["kernels"] for loop in kernel["loops"]]


def locality_loops(profile):
    return sum(loop["locality"] for loop in loops_of(profile))


def mixed_groups(profile):
    """Groups of loads that share a line, of which some diverge and some do not."""
    count = 0
    for loop in loops_of(profile):
        groups = {}
        for load in loop["loads"]:
            groups.setdefault(load["repetition"], set()).add(load["divergent"])
        count += sum(len(kinds) > 1 for kinds in groups.values())
    return count


def largest_table():
    """Entries of the largest table of a load classifier."""
    preset, settings = MACHINES[DETECTED]
    text = output_of([str(HEDDLE), "cost", "--all", "--json", "-", *on_machine(preset, [*SLICE, *settings])], f"cost of {preset}")
    return max(each["entries"] for mechanism in json.loads(text)["mechanisms"] for each in mechanism["structures"] if ".load_classifier." in each["name"])


def measured():
    """The targets of this study, by id."""
    return {target_id: target for target_id, target in targets("cache-conscious-and-divergence-aware", "daws.").items()
            if target["kind"] not in ("structural", "cost") or target_id.startswith(ON_BENCHMARKS)}


def judge(study, got, table=None):
    for part in (headline, misses, factors, loads, divergence, applications):
        study.part(part, study, got)
    study.part(energy, study, got, table)


def main():
    options = parser_of("divergence-aware", __doc__, add_energies).parse_args()
    table = energies(options)
    return run_study("divergence-aware", options, measured(), Measurements, lambda study, got: judge(study, got, table),
                     lambda got, output: figures.write(got, output, table))


if __name__ == "__main__":
    sys.exit(main())
