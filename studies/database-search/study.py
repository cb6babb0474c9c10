# SPDX-License-Identifier: Apache-2.0
"""Database search on the barrel core: conditional accumulate in a table scan, tree traverse and row-buffer hints in an index search.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: 262,144 rows and 8,192 queries instead of 4,194,304 and 131,072. Targets of kind `structural` and `cost` are unit tests
(tests/unit/studies/); the others are measured here.
Source: docs/sources/large-warps-and-database-search.md, 5.3, 5.4 and 6.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from study import BUILD, Run, Runs, Study, add_output, build, output_folder, output_of, replay, targets  # noqa: E402

MACHINE = "database-core"
CONTROLLER = "memory.controller"
SELECTIVITIES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
BANDWIDTHS = {32: 4, 16: 8, 8: 16, 4: 32}  # GB/s: data bus cycles per line
CHANNEL = "controller.channel."


class Scan(Run):
    """A full table scan. rounds: passes of a warp over its rows."""

    def __init__(self, rows, variant, selectivity=2, skip="no", bandwidth=32):
        cycles = BANDWIDTHS[bandwidth]
        settings = [f"{CONTROLLER}.hit_conflict.{key}={cycles}" for key in ("burst_cycles", "hit_interval")]
        super().__init__(MACHINE, settings, "workloads/full_table_scan",
                         ["--variant", variant, "--selectivity", str(selectivity), "--skip", skip, "--threads", "1024", "--counts", "yes",
                          "--size", str(rows)])
        counts = re.search(r"counts rounds=(\d+) empty=(\d+) found=(\d+) most=(\d+)", self.output)
        self.rounds, self.empty, self.found, self.most_held = (int(count) for count in counts.groups())
        self.row_hit_rate = 100 * self.of("mc", CHANNEL + "row_hit_rate")
        self.bus_cycles_a_round = self.of("mc", CHANNEL + "data_cycles") / self.rounds


class Search(Run):
    """An index search through three levels."""

    def __init__(self, queries, variant, scheduler, more=()):
        super().__init__(MACHINE, [f"{CONTROLLER}.scheduler={scheduler}", *more], "workloads/index_search",
                         ["--variant", variant, "--levels", "3", "--threads", "1024", "--size", str(queries)])
        self.throughput = queries * 1000 / self.cycles
        self.row_hit_rate = 100 * self.of("mc", CHANNEL + "row_hit_rate")
        self.bus = 100 * self.of("mc", CHANNEL + "data_cycles") / self.cycles


def banks(**options):
    """The memory controller alone, with the requests of a search."""
    arguments = [item for key, value in options.items() for item in ([f"--{key}"] if value is True else [f"--{key}", str(value)])]
    return json.loads(output_of([str(BUILD / "studies" / "index_banks"), *arguments], " ".join(["index_banks", *arguments])))["model"]


def gain(new, old):
    return 100 * (new / old - 1)


def scans(study, runs, rows):
    pairs = {(selectivity, skip) for selectivity in SELECTIVITIES for skip in ("yes",)} | {(2, "no"), (8, "no")}
    for selectivity, skip in sorted(pairs):
        for variant in ("base", "cond_acc"):
            runs.start(("scan", variant, selectivity, skip, 32), Scan, rows, variant, selectivity, skip)
    for bandwidth in (16, 8, 4):
        for variant in ("base", "cond_acc"):
            runs.start(("scan", variant, 2, "no", bandwidth), Scan, rows, variant, 2, "no", bandwidth)


def judge_scans(study, runs):
    def scan(variant, selectivity=2, skip="no", bandwidth=32):
        return runs["scan", variant, selectivity, skip, bandwidth]

    base, cond = scan("base"), scan("cond_acc")

    def speedup(*arguments):
        return gain(scan("base", *arguments).cycles, scan("cond_acc", *arguments).cycles)

    def instructions(*arguments):
        return gain(scan("cond_acc", *arguments).warp_instructions, scan("base", *arguments).warp_instructions)

    study.value("db.fig8.1a.cond-acc-speedup", speedup())
    study.value("db.fig8.1b.instruction-count", instructions())
    study.value("db.fig8.1c.row-hit-base", base.row_hit_rate)
    study.value("db.fig8.1c.row-hit-cond-acc", cond.row_hit_rate)
    difference = cond.row_hit_rate - base.row_hit_rate
    study.judged("db.fig8.1c.row-hit-equal", difference, abs(difference) <= 2, "points between the two, at most 2")

    speedups = [speedup(selectivity, "yes") for selectivity in SELECTIVITIES]
    differences = [instructions(selectivity, "yes") for selectivity in SELECTIVITIES]
    rule = "with the uniform skip in both versions: "
    study.judged("db.fig8.2.flat", speedups[:3], max(speedups[:3]) - min(speedups[:3]) <= 5, rule + "5 points between 1/2, 1/4 and 1/8")
    falls = all(later <= earlier + 1 for earlier, later in zip(speedups[2:], speedups[3:]))
    study.judged("db.fig8.2.falls", speedups[2:], falls and speedups[-1] < speedups[2], rule + "no step up of more than a point from 1/8 on")
    study.judged("db.fig8.2.zero-at-1-1024", speedups[-1], abs(speedups[-1]) <= 2, rule + "at most 2 %")
    rises = all(later >= earlier - 1 for earlier, later in zip(differences[2:], differences[3:]))
    study.judged("db.fig8.2.instruction-difference", differences, rises and abs(differences[-1]) <= 5, rule + "towards 0 from 1/8 on, at most 5 % at 1/1024")
    skipped = [100 * scan("base", selectivity, "yes").empty / base.rounds for selectivity in SELECTIVITIES]
    study.judged("db.sec8.2.1.why-gain-vanishes", skipped, skipped == sorted(skipped) and speedups[-1] < speedups[0],
                 "the share of skipped rounds rises as the gain falls")
    study.value("db.sec8.2.1.all-fail-stated", skipped[2])
    for selectivity, share in zip(SELECTIVITIES, skipped):
        target = f"db.sec8.2.1.all-fail-1-{selectivity}"
        # Rare events: the tolerance is three standard deviations of the expected count.
        expected = (1 - 1 / selectivity) ** 32 * base.rounds
        if expected < 50:
            count = share * base.rounds / 100
            study.judged(target, share, abs(count - expected) <= 3 * max(expected, 1) ** 0.5, "three standard deviations of the count")
        else:
            study.value(target, share)

    for bandwidth in (32, 16, 8):
        value = speedup(2, "no", bandwidth)
        study.judged(f"db.fig8.3.gain-{bandwidth}", value, value >= 5, "at least 5 %")
    value = speedup(2, "no", 4)
    study.judged("db.fig8.3.none-4", value, abs(value) <= 2, "at most 2 %")
    ratio = scan("base", 2, "no", 4).bus_cycles_a_round / base.bus_cycles_a_round
    study.judged("db.fig8.3.bandwidth-means-columns", ratio, abs(ratio - 8) <= 0.16,
                 "cycles of the data bus a round at 4 GB/s, in those at 32: what eight columns would take")

    study.value("db.fts.cal-base-instructions", base.warp_instructions / base.rounds)
    study.value("db.fts.cal-lean-instructions", base.warp_instructions / base.rounds)
    study.value("db.fts.cal-lean-reduction", instructions())
    study.value("db.fts.cal-base-cycles", base.cycles / base.rounds)
    study.value("db.fts.cal-cond-acc-cycles", cond.cycles / cond.rounds)
    for bandwidth in (32, 8, 4):
        cycles = scan("base", 2, "no", bandwidth).bus_cycles_a_round
        study.at_least(f"db.fts.cal-mem-{bandwidth}-low", cycles)
        study.at_most(f"db.fts.cal-mem-{bandwidth}-high", cycles)
    study.at_most("db.vec3.11.max-found", base.most_held)
    study.value("db.fts.same-output", 0, "each run's rows equal the reference's, or it fails")
    study.value("db.fts.counter", 0, "each run's count equals the reference's, or it fails")
    eighth = scan("base", 8)
    flush = (base.warp_instructions - eighth.warp_instructions) / (base.found - eighth.found) * base.found
    share = 100 * flush / base.warp_instructions
    study.judged("db.fts.flush-not-bottleneck", share, share <= 25,
                 "instructions that grow with the rows found, from 1/8 to 1/2, of all: at most a quarter")
    conflicts = (base.of("sm", "shared_memory.passes") - base.of("sm", "shared_memory.accesses")) / base.rounds
    study.judged("db.fts.scratchpad-write-cheap", conflicts, conflicts < 0.01, "extra passes of shared memory a round, none but by flushes")
    study.judged("db.fts.coalesced-row-local", base.row_hit_rate, base.row_hit_rate >= 85, "a row hit rate of 85 % or more")


def searches(runs, queries):
    for variant in ("base", "traverse"):
        runs.start(("search", variant), Search, queries, variant, "fr_fcfs")
    for variant in ("hint", "both"):
        runs.start(("search", variant), Search, queries, variant, "fr_fcfs_hold")
    runs.start(("search", "no bit"), Search, queries, "base", "fr_fcfs_hold")


def judge_searches(study, runs):
    base, traverse, hint, both = (runs["search", variant] for variant in ("base", "traverse", "hint", "both"))
    study.value("db.fig8.4a.hint", gain(hint.throughput, base.throughput))
    value = gain(traverse.throughput, base.throughput)
    study.judged("db.fig8.4a.tt", value, abs(value) <= 2, "at most 2 %")
    study.value("db.fig8.4a.hint-tt", gain(both.throughput, base.throughput))
    study.order("db.fig8.4a.order", {"IDX base": base.throughput, "IDX hint": hint.throughput, "IDX hint+TT": both.throughput})
    study.at_most("db.fig8.4b.row-hit-base", base.row_hit_rate)
    study.value("db.fig8.4b.row-hit-hint", hint.row_hit_rate)
    study.at_most("db.fig8.4b.potential", hint.row_hit_rate)
    study.order("db.fig8.4c.bus-utilisation", {"IDX base": base.bus, "IDX hint": hint.bus})
    study.judged("db.sec7.2.why-frfcfs-misses", base.row_hit_rate, base.row_hit_rate < hint.row_hit_rate / 2,
                 "fewer than half of the hits that waiting for the second request gives")
    study.value("db.sec7.2.no-hint-is-frfcfs", runs["search", "no bit"].cycles - base.cycles)
    longest = hint.of("mc", CHANNEL + "mean_hold")
    study.judged("db.sec7.2.hold-bound", longest, longest <= 200, "mean length of a satisfied hold; an unsatisfied one ends at 200")


def judge_banks(study, queries):
    """Judges the figures that the source's page computed with its own model, measured on the memory controller."""
    cache = {}

    def run(**options):
        key = tuple(sorted(options.items()))
        if key not in cache:
            cache[key] = banks(queries=queries, **options)
        return cache[key]

    def compare(name, compute, traverse, **level):
        base, hint = run(compute=compute, **level), run(hint=True, compute=compute, **level)
        measured = {"base-throughput": base["queries_per_kilocycle"], "base-row-hit": 100 * base["row_hit_rate"],
                    "hint-gain": gain(hint["queries_per_kilocycle"], base["queries_per_kilocycle"]),
                    "hint-row-hit": 100 * hint["row_hit_rate"]}
        if traverse:
            both, tree = run(hint=True, compute=traverse, **level), run(compute=traverse, **level)
            measured["hint-tt-gain"] = gain(both["queries_per_kilocycle"], base["queries_per_kilocycle"])
            measured["tt-gain"] = gain(tree["queries_per_kilocycle"], base["queries_per_kilocycle"])
        for what, value in measured.items():
            if f"db.ref.{name}.{what}" in study.targets:
                study.value(f"db.ref.{name}.{what}", value)
        return measured

    without = compare("nol2-45", 45, 30)
    compare("nol2-60", 60, 45)
    modulo = compare("l2mod-45", 45, 30, l2="modulo")
    hashed = compare("l2hash-45", 45, None, l2="hashed")
    compare("pipelined-hits", 60, 45, occupancy=4, interval=4)
    base = run(compute=45)["queries_per_kilocycle"]
    holds = {hold: gain(run(hint=True, compute=45, hold=hold)["queries_per_kilocycle"], base) for hold in (0, 40, 60, 200, 400)}
    for hold in (0, 40, 60, 400):
        study.value(f"db.ref.hold-{hold}", holds[hold])
    flat = [holds[hold] for hold in (60, 200, 400)]
    study.judged("db.ref.hold-insensitive", flat, max(flat) - min(flat) <= 3, "3 points between 60, 200 and 400 cycles")
    bus = {"IDX base": run(compute=45), "IDX hint": run(hint=True, compute=45), "IDX hint+TT": run(hint=True, compute=30)}
    for name, target in (("IDX base", "bus-base"), ("IDX hint", "bus-hint"), ("IDX hint+TT", "bus-hint-tt")):
        study.value(f"db.ref.{target}", 100 * bus[name]["bus_utilisation"])
    study.order("db.ref.bus-order", {name: outcome["bus_utilisation"] for name, outcome in bus.items()})
    delays = range(15, 91, 5)
    gains = {delay: gain(run(hint=True, compute=delay)["queries_per_kilocycle"], run(compute=delay)["queries_per_kilocycle"]) for delay in delays}
    fit = min(delays, key=lambda delay: abs(gains[delay] - 34))
    study.value("db.ref.fit-delay-base", fit, "of 15, 20, ... 90 the one whose gain by hints is nearest to 34 %")
    with_tree = {delay: gain(run(hint=True, compute=delay)["queries_per_kilocycle"], base) for delay in delays}
    study.value("db.ref.fit-delay-tt", min(delays, key=lambda delay: abs(with_tree[delay] - 39)), "nearest to 39 % over the base at 45")
    study.value("db.ref.hold-for-34", run(hint=True, compute=45)["mean_hold"], "mean hold at 45 cycles, where the gain is " + f"{without['hint-gain']:.1f} %")
    study.value("db.ref.hold-for-39", run(hint=True, compute=30)["mean_hold"], "mean hold at 30 cycles, where the gain is " + f"{without['hint-tt-gain']:.1f} %")
    study.order("db.ref.hash-breaks-50", {"IDX hint, modulo L2": modulo["hint-row-hit"], "IDX hint, hashed L2": hashed["hint-row-hit"]})


def judge_accesses(study):
    """Judges single accesses at the controller."""
    def trace(*rows):
        return [dict(zip(("cycle", "kind", "address", "bytes", "hint"), row)) for row in rows]

    def cycles(settings, *rows):
        return [row["end"] - row["begin"] for row in replay(MACHINE, settings, trace(*rows))]

    opened, conflict, hit = cycles([], (0, "read", 0, 128, 0), (1000, "read", 8 * 4096, 128, 0), (2000, "read", 8 * 4096 + 128, 128, 0))
    study.value("db.sec6.2.3.hit-conflict-ratio", hit / conflict, "unloaded accesses at the controller")
    hold = [f"{CONTROLLER}.scheduler=fr_fcfs_hold"]
    with_hint, without = (cycles(hold, (0, "read", 0, 128, bit), (310, "read", 4096, 128, 0))[1] for bit in (1, 0))
    study.value("db.sec7.2.other-banks", with_hint - without, "a read of another bank, while a row is held and while none is")


def judge_costs(study):
    """Judges the accesses of conditional accumulates of one warp."""
    sizes = json.loads(output_of([str(BUILD / "studies" / "network_sizes")], "network_sizes"))
    ratio = sizes["work_efficient"]["levels"] / sizes["prefix"]["levels"]
    study.judged("db.prefix.blelloch-more-levels", ratio, 1.5 <= ratio <= 2.5, "levels of the one in levels of the other")
    study.order("db.prefix.blelloch-fewer-adders", {"work-efficient scan": -sizes["work_efficient"]["adders"], "prefix network": -sizes["prefix"]["adders"]})
    run = Run(MACHINE, [], "studies/database-search/cond_acc_cost", [])
    costs = [kernel["statistics"]["classes"]["sm"] for kernel in run.kernels]

    def most(cost):
        """The largest number of transactions of an access."""
        return max(int(bucket) for bucket, count in cost["memory.transactions_per_access"].items() if bucket.isdigit() and count)

    study.at_most("db.cond-acc.global-4b", most(costs[0]), "transactions of one to an unaligned place")
    study.at_most("db.cond-acc.global-8b", most(costs[1]), "transactions of one to an unaligned place")
    study.at_most("db.cond-acc.scratch-4b", costs[2]["shared_memory.passes"], "passes of one to an unaligned place")
    study.at_most("db.cond-acc.scratch-8b", costs[3]["shared_memory.passes"], "passes of one to an unaligned place")
    study.at_most("db.cond-acc.max-count", int(re.search(r"count (\d+)", run.output).group(1)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rows and queries")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    add_output(parser, "database-search")
    options = parser.parse_args()
    output = output_folder(options, "database-search")
    rows, queries = (262144, 8192) if options.quick else (4194304, 131072)

    known = {target_id: target for target_id, target in targets("large-warps-and-database-search", "db.").items()
             if target["kind"] not in ("structural", "cost")}
    study = Study(known)
    if not options.no_build:
        build("heddle_program", "index_banks", "network_sizes", "workloads", "study_programs")
    runs = Runs(options.jobs)
    scans(study, runs, rows)
    searches(runs, queries)
    study.part(judge_accesses, study)
    study.part(judge_costs, study)
    study.part(judge_banks, study, 4000 if options.quick else 30000)
    study.part(judge_scans, study, runs)
    study.part(judge_searches, study, runs)
    return study.finish(output)


if __name__ == "__main__":
    sys.exit(main())
