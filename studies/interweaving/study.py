# SPDX-License-Identifier: Apache-2.0
"""Branch and warp interweaving on stand-ins for the benchmarks of its source, on patterns of control flow and on worked examples.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: programs at smaller sizes. Targets of kind `structural` and `cost` are unit tests (tests/unit/studies/); the others are
measured here. Runs are cached in out/studies/cache.
Source: docs/sources/branch-and-warp-interweaving.md, 5 and 6.
"""
import argparse
import itertools
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from machines import APART, MACHINES, POLICIES, PROGRAMS, REGULAR_ABOVE, Measured, gain, mean_gain  # noqa: E402
from study import RunFailed, Runs, Study, add_output, build, output_folder, targets, within  # noqa: E402
import examples  # noqa: E402
import figures  # noqa: E402

NONE = 1  # percent: a smaller change counts as none
# Quoted from earlier work on the code of CPUs, which no run of a GPU can show.
QUOTED = {"bwi.sec3.collins-94"}
BASE, SBI, SBI_WAITS, SWI, BOTH, BOTH_WAIT, DIRECT = ("Baseline", "SBI", "SBI+constraints", "SWI", "SBI+SWI", "SBI+SWI with constraints", "SWI direct-mapped")
# The source does not say whether its headline of the combination has constraints; the page takes it with them (9, decision 7).
HEADLINE = {"SBI": SBI, "SWI": SWI, "SBI+SWI": BOTH_WAIT, DIRECT: DIRECT, "Baseline": BASE}


class Results:
    """Results of every program on every machine, run on demand."""

    def __init__(self, quick, jobs):
        self.quick = quick
        self.runs = Runs(jobs)

    def start(self, machines, programs=PROGRAMS):
        for program, machine in itertools.product(programs, machines):
            self.runs.start((machine, program), Measured, machine, program, self.quick)

    def of(self, machine, program):
        self.start([machine], [program])
        return self.runs[machine, program]

    def gains(self, new, old, programs):
        return {program: gain(self.of(new, program), self.of(old, program)) for program in programs}

    def average(self, new, old, programs):
        """Geometric mean, which the source states for lane policies and the page assumes for the others."""
        return mean_gain(self.gains(new, old, programs).values())

    def kept(self, new, old, programs):
        """Speed kept, percent."""
        return 100 + self.average(new, old, programs)

    def issues(self, new, old, programs):
        """Change in instructions issued, percent."""
        return mean_gain(100 * (self.of(new, program).instructions / self.of(old, program).instructions - 1) for program in programs)

    def classes(self):
        """Regular and irregular programs, by their speed on 64-wide thread frontiers."""
        known = [program for program in PROGRAMS if program not in APART]
        regular = [program for program in known if self.of("TF-64", program).ipc > REGULAR_ABOVE]
        return regular, [program for program in known if program not in regular]

    @property
    def regular(self):
        return self.classes()[0]

    @property
    def irregular(self):
        return self.classes()[1]

    def total(self, machine, what, programs):
        return sum(self.of(machine, program).counted(what) for program in programs)

    def everywhere(self):
        return [program for program in PROGRAMS if program not in APART]

    def without_failures(self, machines):
        """The programs that succeeded on all of these machines."""
        return [program for program in PROGRAMS if all(self._ran(machine, program) for machine in machines)]

    def _ran(self, machine, program):
        try:
            self.of(machine, program)
        except RunFailed:
            return False
        return True


def ahead(by_name):
    return sorted(by_name, key=lambda name: -by_name[name])


def speeds(got, programs, names):
    return {name: got.average(HEADLINE[name], BASE, programs()) for name in names}


def figure_7(study, got):
    how = "geometric mean of the programs' gains over the baseline"
    for target, machine, programs in (
            ("fig7.sbi-regular", SBI, "regular"), ("fig7.sbi-irregular", SBI, "irregular"), ("fig7.swi-regular", SWI, "regular"),
            ("fig7.swi-irregular", SWI, "irregular"), ("fig9.swi-fa-irregular", SWI, "irregular"), ("fig7.both-regular", BOTH_WAIT, "regular"),
            ("fig7.both-irregular", BOTH_WAIT, "irregular"), ("fig9.swi-dm-regular", DIRECT, "regular"), ("fig9.swi-dm-irregular", DIRECT, "irregular")):
        study.value(f"bwi.{target}", lambda: got.average(machine, BASE, getattr(got, programs)), how)
    for target, first, programs in (("best-irregular", "SBI", lambda: got.irregular), ("best-regular", "SWI", lambda: got.regular)):
        study.judged(f"bwi.fig7.{target}", lambda: ahead(speeds(got, programs, ("SBI", "SWI", "SBI+SWI"))), lambda order: order[0] == first, "mean gains; the first counts")
    study.order("bwi.fig9.order-regular", lambda: speeds(got, lambda: got.regular, HEADLINE), "mean gains")
    study.order("bwi.fig9.order-irregular", lambda: speeds(got, lambda: got.irregular, HEADLINE), "mean gains")
    study.at_least("bwi.fig7.class-regular", lambda: min(got.of("TF-64", program).ipc for program in got.regular), "least of the class: its definition")
    study.at_most("bwi.fig7.class-irregular", lambda: max(got.of("TF-64", program).ipc for program in got.irregular), "largest of the class: its definition")
    study.at_least("bwi.fig7.class-3dfd", lambda: got.of("TF-64", "3dfd").ipc)
    study.at_most("bwi.fig7.class-needleman-wunsch", lambda: got.of("TF-64", "Needleman-Wunsch").ipc)
    for target, machine in (("tf64", "TF-64"), ("sbi", SBI), ("swi", SWI)):
        study.order(f"bwi.fig7.tmd1-{target}", lambda: {BASE: got.of(BASE, "TMD1").ipc, machine: got.of(machine, "TMD1").ipc})
    study.order("bwi.fig7.tmd2-improved", lambda: {BASE: got.of(BASE, "TMD2").ipc, "TF-64": got.of("TF-64", "TMD2").ipc})
    study.judged("bwi.fig7.tmd2-cause", lambda: [gain(got.of(machine, "TMD2"), got.of(BASE, "TMD2")) for machine in ("TF-64", SBI, SWI)],
                 lambda gains: gains[0] >= max(gains[1:]) / 2, "gains of frontiers, SBI and SWI: at least half with frontiers alone")
    study.judged("bwi.fig7.mandelbrot", lambda: [gain(got.of(waits, "Mandelbrot"), got.of(runs, "Mandelbrot")) for waits, runs in ((SBI_WAITS, SBI), (BOTH_WAIT, BOTH))],
                 lambda gains: max(map(abs, gains)) <= 2, "gain by constraints of SBI and of both, at most 2 % either way")
    study.judged("bwi.sec5.1.barriers-common", lambda: [program for program in PROGRAMS if barriers_a_warp(got.of(BASE, program)) > 2],
                 lambda with_barriers: 2 * len(with_barriers) > len(PROGRAMS), "programs with more than two barriers a warp: more than half")


def barriers_a_warp(run):
    warps = sum(math.prod(kernel["grid"]) * math.ceil(math.prod(kernel["block"]) / 32) for kernel in run.kernels)
    return run.counted("issue.barriers") / warps


def figure_8a(study, got):
    study.at_most("bwi.fig8a.sbi-effect", lambda: abs(got.average(SBI_WAITS, SBI, got.irregular)), "size of the mean gain of irregular programs")
    how = "geometric mean of the changes, SBI alone"
    study.value("bwi.fig8a.instructions-regular", lambda: got.issues(SBI_WAITS, SBI, got.regular), how)
    study.value("bwi.fig8a.instructions-irregular", lambda: got.issues(SBI_WAITS, SBI, got.irregular), how)
    study.value("bwi.fig8a.sortingnetworks", lambda: gain(got.of(BOTH_WAIT, "SortingNetworks"), got.of(BOTH, "SortingNetworks")))
    for program in ("BFS", "Histogram"):
        study.order(f"bwi.fig8a.{program.lower()}", lambda: {"with constraints": got.of(SBI_WAITS, program).ipc, "without constraints": got.of(SBI, program).ipc}, "SBI alone")


def figure_8b(study, got):
    def gains(programs, policy="XorRev"):
        return got.gains(f"SWI {policy}", "SWI Identity", programs).values()

    def signed(target, measure):
        # The effect is no larger than the tolerance.
        study.judged(target, measure, lambda model: within(study.targets[target], model) and model * study.targets[target]["source"] > 0, "within the tolerance, and of the sign")

    study.value("bwi.fig8b.xorrev-needleman-wunsch", lambda: next(iter(gains(["Needleman-Wunsch"]))))
    study.value("bwi.fig8b.xorrev-3dfd", lambda: next(iter(gains(["3dfd"]))))
    study.at_most("bwi.fig8b.xorrev-max", lambda: max(gains(got.everywhere())))
    study.at_least("bwi.fig8b.xorrev-min", lambda: min(gains(got.everywhere())))
    signed("bwi.fig8b.xorrev-regular", lambda: mean_gain(gains(got.regular)))
    signed("bwi.fig8b.xorrev-irregular", lambda: mean_gain(gains(got.irregular)))
    study.judged("bwi.fig8b.xorrev-most-consistent", lambda: {policy: min(gains(got.irregular, policy)) for policy in POLICIES if policy != "Identity"},
                 lambda worst: worst["XorRev"] == max(worst.values()), "worst gain over Identity of an irregular program: nearest to none")
    study.value("bwi.sec4.shuffle-coalescing", lambda: sum(abs(transactions(got, "SWI XorRev", program) - transactions(got, "SWI Identity", program)) for program in uniform(got)),
                "transactions of the programs without divergent branches")


def transactions(got, machine, program):
    run = got.of(machine, program)
    return run.counted("memory.transactions") + run.counted("shared_memory.passes")


def uniform(got):
    return [program for program in PROGRAMS if got.of("TF-64", program).counted("issue.divergent_branches") == 0]


def figure_9(study, got):
    study.at_least("bwi.fig9.dm-worst-irregular", lambda: min(100 * got.of(DIRECT, program).ipc / got.of(SWI, program).ipc for program in got.irregular))
    study.value("bwi.fig9.dm-regular", lambda: got.kept(DIRECT, SWI, got.regular))
    study.value("bwi.fig9.dm-regular-quotient", lambda: got.kept(DIRECT, SWI, got.regular))
    study.value("bwi.fig9.dm-irregular-quotient", lambda: got.kept(DIRECT, SWI, got.irregular))


def share(got, machine, part, whole, programs):
    """Percent of the co-issues of the programs."""
    return 100 * sum(got.total(machine, f"coissue.{name}", programs) for name in part) / max(1, sum(got.total(machine, f"coissue.{name}", programs) for name in whole))


def mechanisms(study, got):
    split, warp = ("same_row", "same_warp", "other_warp"), ("same_row", "other_unit")
    study.judged("bwi.mech.regular-gain-source", lambda: [share(got, SBI, split[1:], split, got.regular), share(got, SWI, warp[1:], warp, got.regular)],
                 lambda shares: min(shares) > 50, "percent of second instructions of regular programs on another unit than the first, SBI and SWI: more than half")
    study.judged("bwi.mech.fa-few-chances-regular", lambda: share(got, SWI, warp[:1], warp, got.regular), lambda value: value <= 25,
                 "percent of second instructions of regular programs in the row of the first: a quarter at most")
    every = got.everywhere
    study.judged("bwi.mech.desync-fetch", lambda: [got.total(machine, "fetch.fetched", every()) for machine in (SBI, SBI_WAITS)], falls,
                 "instructions fetched of all programs, without and with constraints")
    study.judged("bwi.mech.desync-memory", lambda: [sum(transactions(got, machine, program) for program in every()) for machine in (SBI, SBI_WAITS)], falls,
                 "transactions and passes of all programs, without and with constraints")
    study.judged("bwi.mech.energy-cam", lambda: [compared_lanes(got, machine) for machine in (SWI, DIRECT)], falls,
                 "in place of power: lanes compared in look-ups, all programs, fully associative and direct-mapped")
    study.judged("bwi.mech.energy-refetch", lambda: [100 * got.total(machine, "fetch.fetched", every()) / got.total(SBI_WAITS, "fetch.fetched", every()) for machine in (SBI, SBI_WAITS)],
                 falls, "in place of energy: instructions fetched, percent of those with constraints, without and with")
    study.judged("bwi.mech.if-without-else-sbi", lambda: examples.pattern_gain("if_only", "SBI, one warp", "TF-64"), lambda value: abs(value) <= NONE,
                 "pattern if_only, second instruction of the same warp only, with constraints, as threads would else go on to the next round: at most 1 % either way")
    study.judged("bwi.mech.if-without-else-swi", lambda: examples.pattern_gain("if_only", SWI, "TF-64"), lambda value: value > NONE, "pattern if_only")
    study.judged("bwi.mech.balanced-if-else-sbi", lambda: examples.unbalanced_and_balanced("SBI, one warp"), rises,
                 "gains over frontiers with ways of lengths one to nine and of equal length, second instruction of the same warp only, with constraints")
    study.judged("bwi.mech.first-thread-heavy", lambda: examples.pattern_gain("first_thread", "SWI XorRev", "SWI Identity", rounds="20"), lambda value: value > 5,
                 "pattern first_thread: more than 5 %")
    study.judged("bwi.mech.conflicts-rare", lambda: [conflicts(got, every(), forced) for forced in (False, True)], lambda shares: shares[0] <= 5,
                 "percent of the instructions of all programs: where the first scheduler had a choice, 5 at most; where it had none")
    study.judged("bwi.mech.heap-order-harmless", lambda: heap_order(got), lambda found: found[0] == 0 and found[1] >= 0,
                 "programs with another result without exchange with the cold head than with the exact heap; more instructions, percent")
    study.judged("bwi.mech.cct-smaller", lambda: [got.average(f"SBI, {rows} rows", SBI, got.irregular) for rows in (64, 32, 16)], lambda gains: abs(gains[0]) <= NONE,
                 "mean gain of irregular programs with 64, 32, 16 rows over 128: with 64 at most 1 % either way")
    study.judged("bwi.mech.dominator-conservative", examples.unstructured_issues, lambda issued: issued[1] <= issued[0] * (1 + NONE / 100),
                 "instructions of pattern breaks, without and with constraints: at most 1 % more")
    study.judged("bwi.mech.scoreboard-warp-size", examples.matrix_bits, lambda bits: bits[0] == bits[1], "bits of an entry with warps of 32 and of 64")
    study.judged("bwi.mech.control-ratio", lambda: [examples.lanes_a_front_end(machine) for machine in (BASE, SBI)], lambda lanes: lanes[0] == lanes[1],
                 "multiply-add lanes for each instruction fetched a cycle, baseline and SBI")
    study.judged("bwi.mech.setassoc-ports", lambda: [examples.searched(machine) for machine in (SWI, DIRECT)], falls,
                 "entries of buffer and scoreboard that are read at once, fully associative and direct-mapped")
    study.judged("bwi.mech.no-migration",
                 lambda: [sum(abs(transactions(got, machine, program) - transactions(got, "TF-64", program)) for program in uniform(got)) for machine in (SBI, SWI)],
                 lambda found: found == [0, 0], "transactions of the programs without divergent branches, less those of frontiers: SBI and SWI")
    study.judged("bwi.mech.dws-no-throughput", examples.subdivision_gain, lambda value: value <= NONE, "gain of warp subdivision over its baseline on pattern balanced: 1 % at most")


def conflicts(got, programs, forced):
    """Instructions picked by both schedulers, percent of all: those where the first one could pick nothing else, or the others."""
    found = got.total(SWI, "coissue.forced_conflicts", programs)
    return 100 * (found if forced else got.total(SWI, "coissue.conflicts", programs) - found) / got.total(SWI, "issue.warp_instructions", programs)


def compared_lanes(got, machine):
    return got.total(machine, "coissue.searches", got.everywhere()) * examples.searched(machine) * 64


def falls(values):
    return values[1] < values[0]


def rises(values):
    return values[1] > values[0]


def heap_order(got):
    pairs = [(got.of("SBI, no exchange", program), got.of("SBI, exact heap", program)) for program in got.everywhere()]
    issued = [sum(run.instructions for run in runs) for runs in zip(*pairs)]
    return [sum(literal.digest != exact.digest for literal, exact in pairs), 100 * (issued[0] / issued[1] - 1)]


def identities(study, got):
    study.value("bwi.sec3.2.rf-bandwidth", lambda: 12 * (examples.multiply_add_lanes(SBI) - examples.multiply_add_lanes(BASE)),
                "three operands of four bytes for each multiply-add lane, by the descriptions")
    study.judged("bwi.sec3.4.heap-size", lambda: 100 * splits_above(got, 3), lambda value: value <= 5, "percent of the sorter's passes in which a warp has more than three splits: 5 at most")
    study.at_most("bwi.sec3.4.sideband-cycles", lambda: max(got.of(SBI, program).counted("cold_contexts.most_used") for program in PROGRAMS),
                  "a sort walks a list at one split a cycle: most splits in all lists at once")
    study.at_most("bwi.sec3.4.one-divergence-per-cycle", lambda: examples.most_new_splits("nested"), "most new splits that wait for the sorter at once, pattern nested")
    study.at_most("bwi.sec3.4.one-insertion-per-cycle", lambda: examples.most_insertions("nested"), "by the sorter's signal, pattern nested")
    study.value("bwi.inv.thread-instructions", lambda: sum(abs(got.of(machine, program).thread_instructions - got.of(BASE, program).thread_instructions)
                                                         for machine, program in itertools.product((SBI, SWI, BOTH_WAIT), PROGRAMS) if program != "Histogram"),
                "all programs whose instructions do not depend on timing")
    study.order("bwi.fig2.order-cycles", lambda: {machine: -examples.worked("figure_2", machine) for machine in ("TF-64", SBI)}, "fewest cycles first")
    study.value("bwi.v4.swap-equals-exact", lambda: examples.worked("figure_4", SBI) - examples.worked("figure_4", "SBI, exact heap"))


def splits_above(got, most):
    above = every = 0
    for program in got.everywhere():
        for count, times in got.of(SBI, program).counted("hot_contexts.splits", {}).items():
            if count.isdigit():
                every += times
                above += times if int(count) > most else 0
    return above / max(1, every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="programs at smaller sizes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    add_output(parser, "interweaving")
    options = parser.parse_args()
    output = output_folder(options, "interweaving")
    known = {target_id: target for target_id, target in targets("branch-and-warp-interweaving", "bwi.").items()
             if target["kind"] not in ("structural", "cost") and target_id not in QUOTED}
    study = Study(known)
    if not options.no_build:
        build("heddle_program", "workloads", "study_programs")
    got = Results(options.quick, options.jobs)
    got.start(MACHINES)
    for part in (figure_7, figure_8a, figure_8b, figure_9, mechanisms, identities):
        study.part(part, study, got)
    status = study.finish(output)
    figures.write(got, output, known)
    return status


if __name__ == "__main__":
    sys.exit(main())
