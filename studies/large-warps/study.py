# SPDX-License-Identifier: Apache-2.0
"""Large warps, two-level scheduling and the alternatives they are compared with, on twelve programs.

usage: study.py [--quick] [--size SIZE] [--jobs N] [--no-build] [--output FOLDER]

--quick: the programs at size `medium` instead of the published one. Targets of kind `structural` and `cost` are unit tests
(tests/unit/studies/); the others are measured here. Runs are cached in out/studies/cache.
Source: docs/sources/large-warps-and-database-search.md, 5 to 7.
"""
import argparse
import itertools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from machines import FIVE, LEFTMOST, MACHINES, PROGRAMS, RIGHTMOST, STREAMING, Measured, gain, mean  # noqa: E402
from study import RunFailed, Runs, Study, add_output, build, output_folder, targets  # noqa: E402
import examples  # noqa: E402
import figures  # noqa: E402

# Smaller changes count as none: the source's figures can be read to about one point.
SMALL = 3


def falls(values):
    return values[1] < values[0]


def rises(values):
    return values[1] > values[0]


class Results:
    """Results of every program on every machine, run on demand."""

    def __init__(self, size, jobs):
        self.size = size
        self.runs = Runs(jobs)

    def start(self, machines, programs=PROGRAMS, threads=1024, more=()):
        for machine, program in itertools.product(machines, programs):
            self.runs.start((machine, program, threads, tuple(more)), Measured, machine, program, self.size, threads, tuple(more))

    def of(self, machine, program, threads=1024, more=()):
        self.start([machine], [program], threads, more)
        return self.runs[machine, program, threads, tuple(more)]

    def gains(self, new, old, programs=PROGRAMS):
        return {program: gain(self.of(new, program), self.of(old, program)) for program in programs}

    def average(self, new, old, programs=PROGRAMS):
        """Arithmetic mean of the programs' gains, assumed to be how the source averages."""
        return mean(self.gains(new, old, programs).values())

    def averages(self, machines, programs=PROGRAMS):
        """Mean gains over the baseline, by machine."""
        return {machine: self.average(machine, "baseline", programs) for machine in machines}

    def without_failures(self, machines):
        """The programs that succeeded on all of these machines."""
        return [program for program in PROGRAMS if all(self._ran(machine, program) for machine in machines)]

    def _ran(self, machine, program):
        try:
            self.of(machine, program)
        except RunFailed:
            return False
        return True

    def mean_of(self, machine, what, programs=PROGRAMS):
        return mean(getattr(self.of(machine, program), what) for program in programs)


def figure_5_1(study, got):
    for target, new, old in (("lwm-vs-baseline", "LWM", "baseline"), ("2lev-vs-baseline", "2Lev", "baseline"),
                             ("both-vs-baseline", "LWM+2Lev", "baseline"), ("both-vs-tbc", "LWM+2Lev", "TBC"), ("tbc-vs-baseline", "TBC", "baseline")):
        study.value(f"lw.fig5.1.{target}", lambda: got.average(new, old), "arithmetic mean of the programs' gains in IPC")
    study.order("lw.fig5.1.order-average", lambda: got.averages(FIVE), "mean gains over the baseline")
    for program in LEFTMOST:
        study.order(f"lw.fig5.1.order-{program}", lambda: {machine: got.of(machine, program).ipc for machine in ("LWM", "TBC", "baseline")})
        study.judged(f"lw.fig5.1.2lev-{program}", lambda: gain(got.of("2Lev", program), got.of("baseline", program)), lambda value: abs(value) <= 5,
                     "at most 5 % either way")
    study.order("lw.fig5.1.order-rightmost-2lev", lambda: {"2Lev": got.average("2Lev", "baseline", RIGHTMOST), "baseline": 0}, "mean gains of the seven")
    study.judged("lw.fig5.1.lwm-rightmost", lambda: got.average("LWM", "baseline", RIGHTMOST), lambda value: -8 <= value <= SMALL,
                 "between -8 and +3 % in the mean of the seven")
    study.order("lw.fig5.1.order-rightmost-tbc", lambda: got.averages(("2Lev", "TBC"), RIGHTMOST), "mean gains of the seven")
    study.judged("lw.fig5.1.both-keeps-lwm-gain", lambda: got.average("LWM+2Lev", "LWM", LEFTMOST), lambda value: value >= -5,
                 "at most 5 % below large warps alone in the mean of the four")
    study.judged("lw.fig5.1.both-keeps-2lev-gain", lambda: got.average("LWM+2Lev", "2Lev", RIGHTMOST), lambda value: value >= -5,
                 "at most 5 % below two levels alone in the mean of the seven")
    study.judged("lw.fig5.1.why-lwm-beats-tbc-jump", lambda: [got.average(machine, "TBC", LEFTMOST) for machine in ("LWM", "LWM +mem")], falls,
                 "the lead with and without the token for jumps")
    study.judged("lw.fig5.1.why-lwm-beats-tbc-predication", examples.predication_lead, lambda lead: lead > 0,
                 "guarded instructions of a kernel made for it: packets of compaction less those of large warps")
    study.judged("lw.sec5.2.tbc-sync-cost", lambda: got.average("TBC", "2Lev", RIGHTMOST), lambda value: value < 0,
                 "compaction below two levels in the mean of the seven")
    study.order("lw.sec5.2.tbc-srr-vs-rr", lambda: {"TBC with SRR": got.average("TBC", "baseline"), "TBC with RR": got.average("TBC with RR", "baseline")},
                "mean gains")
    study.at_most("lw.sec5.2.row-hit-2lev-vs-rr",
                  lambda: mean(abs(got.of("2Lev", program).row_hit_rate - got.of("baseline", program).row_hit_rate) for program in PROGRAMS),
                  "mean of the programs' differences in points, whatever their sign")


def utilisation(study, got):
    def base(program):
        return got.of("baseline", program)

    def of_the_mean(target, what, programs, holds, how):
        study.judged(f"lw.fig5.2.{target}", lambda: got.mean_of("baseline", what, programs), holds, how)

    study.value("lw.fig4.1.bfs-idle-share", lambda: base("bfs").idle)
    study.judged("lw.sec5.2.streaming-row-hit", lambda: [base(program).row_hit_rate for program in STREAMING], lambda rates: min(rates) >= 70,
                 "70 % or more on black-scholes, reduction, histogram")
    of_the_mean("leftmost-few-idle", "idle", LEFTMOST, lambda idle: idle <= 15, "idle cycles of the four, 15 % at most in the mean")
    of_the_mean("leftmost-partial-cycles", "partial", LEFTMOST, lambda partial: partial >= 30, "cycles with 1 to 31 lanes of the four, 30 % or more in the mean")
    of_the_mean("leftmost-cache-use", "near", LEFTMOST, lambda rate: rate >= 80,
                "accesses to data cache and scratchpad that do not miss, 80 % or more in the mean of the four")
    of_the_mean("rightmost-little-divergence", "partial", RIGHTMOST, lambda partial: partial <= 10, "cycles with 1 to 31 lanes of the seven, 10 % at most in the mean")
    of_the_mean("rightmost-idle", "idle", RIGHTMOST, lambda idle: idle >= 20, "idle cycles of the seven, 20 % or more in the mean")
    for program in LEFTMOST:
        study.judged(f"lw.tab5.2.{program}-branch-intensive", lambda: base(program).partial, lambda partial: partial >= 25, "cycles with 1 to 31 lanes, a quarter or more")
    study.judged("lw.tab5.2.blackjack-few-long-stalls", lambda: base("blackjack").idle, lambda idle: idle <= 10, "idle cycles, 10 % at most")
    for program in ("blackjack", "sort"):
        study.judged(f"lw.tab5.2.{program}-loop-divergence", lambda: base(program).histogram["1-8"], lambda low: low >= 10,
                     "cycles with 1 to 8 lanes, 10 % or more: the last threads of loops")
    for program in ("viterbi", "kmeans"):
        study.judged(f"lw.tab5.2.{program}-cache-friendly", lambda: [base(program).hit_rate, base(program).idle], lambda value: value[1] <= 15,
                     "idle cycles 15 % at most; first the data cache's hit rate")
    for program in RIGHTMOST[:-1]:
        name = program.replace(" ", "-")
        study.judged(f"lw.tab5.2.{name}-memory-stall", lambda: [base(program).idle, base(program).partial], falls, "cycles with no lane, and with 1 to 31")
    study.judged("lw.tab5.2.decrypt-not-leftmost", lambda: base("decrypt").partial, lambda partial: partial < 50, "cycles with 1 to 31 lanes, less than half")
    study.judged("lw.sec9.2.1.lwm-little-divergence-loss",
                 lambda: got.average("LWM", "baseline", [program for program in PROGRAMS if base(program).partial < 5]), lambda value: -10 <= value <= 1,
                 "mean gain where under 5 % of cycles are partial: -10 to +1 %")


def packing(study, got):
    study.judged("lw.sec5.predicated-code-present", examples.guarded_packets, rises,
                 "packets of the guarded instructions of a kernel made for it, packed and by rows; the programs' short branches are compiled to selects")
    sizes = {"LWM-64": "LWM-64", "LWM-128": "LWM-128", "LWM-256": "LWM", "LWM-512": "LWM-512"}

    def average(*names):
        return {name: got.average(sizes[name], "baseline") for name in names}

    study.order("lw.fig5.3.best-size-average", lambda: average("LWM-256", "LWM-512"), "mean gains over the baseline")
    study.order("lw.fig5.3.gain-rises-to-256", lambda: average("LWM-256", "LWM-128", "LWM-64"), "mean gains over the baseline")
    study.judged("lw.fig5.3.512-better-for-a-few", lambda: [program for program, value in got.gains("LWM-512", "LWM").items() if value > 0],
                 lambda better: 1 <= len(better) <= 6, "programs on which 512 threads beat 256: one to half of them")
    for program in ("blackjack", "sort"):
        study.order(f"lw.fig5.3.{program}-256-over-512", lambda: {"LWM-256": 0, "LWM-512": gain(got.of("LWM-512", program), got.of("LWM", program))},
                    "gain over 256 threads")
    study.judged("lw.fig5.3.why-512-loses", lambda: [got.of(machine, program).simd_efficiency for program in ("blackjack", "sort") for machine in ("LWM", "LWM-512")],
                 lambda value: value[1] <= value[0] or value[3] <= value[2], "lanes filled with 256 and with 512 threads, of both programs")
    study.judged("lw.fig5.3.why-small-loses", lambda: [got.mean_of(machine, "simd_efficiency") for machine in ("LWM-64", "LWM")], rises,
                 "mean share of lanes filled, 64 and 256 threads")
    study.judged("lw.fig5.3.1024-excluded", examples.one_large_warp, rises, "idle share of a branching kernel with two large warps and with one")

    study.value("lw.fig5.4.sort-perfrf-gain", lambda: gain(got.of("LWM perfRF", "sort"), got.of("LWM", "sort")))
    for program in PROGRAMS:
        target = f"lw.fig5.4.{program.replace(' ', '-')}-lwm-share"
        judge = study.value if program == "sort" else study.at_least
        judge(target, lambda: 100 * got.of("LWM", program).ipc / got.of("LWM perfRF", program).ipc)

    study.value("lw.fig5.5.jump-opt", lambda: got.average("LWM +jump", "LWM -mem -jump"), "mean gain")
    study.judged("lw.fig5.5.mem-opt", lambda: got.average("LWM +mem", "LWM -mem -jump"), lambda value: abs(value) <= SMALL, "mean gain, at most 3 % either way")
    study.judged("lw.fig5.5.why-mem-opt-neutral",
                 lambda: 100 * mean(got.of("LWM +mem", program).packets / got.of("LWM -mem -jump", program).packets for program in PROGRAMS),
                 lambda value: abs(value - 100) <= 5, "packets with rows in percent of those packed, 5 points at most")
    study.judged("lw.fig5.5.coalesced-in-divergent-rare", lambda: got.mean_of("baseline", "partial_coalesced"), lambda share: share <= 10,
                 "of the baseline's accesses to one line those of two or more threads, but not all of their warp: 10 % at most in the mean")


def two_levels(study, got):
    groups = {"2Lev8": "2Lev", "2Lev16": "2Lev16", "2Lev32": "2Lev32"}
    study.order("lw.fig5.6.order", lambda: {name: got.average(machine, "baseline") for name, machine in groups.items()}, "mean gains over the baseline")
    study.value("lw.fig5.6.fg32-is-rr", lambda: sum(abs(got.of("2Lev32", program).cycles - got.of("baseline", program).cycles) for program in PROGRAMS))
    study.judged("lw.fig5.6.leftmost-insensitive", lambda: max(abs(gain(got.of("2Lev", program), got.of("2Lev32", program))) for program in LEFTMOST),
                 lambda value: value <= 5, "largest change of the four from groups of 8 to 32")
    study.judged("lw.sec4.3.large-fg-later-stall", lambda: [got.mean_of(machine, "idle", RIGHTMOST) for machine in groups.values()],
                 lambda idle: idle[0] <= idle[1], "idle cycles of the seven, groups of 8, 16 and 32")
    study.judged("lw.sec4.3.rr-stalls-together", lambda: [got.mean_of(machine, "idle", RIGHTMOST) for machine in ("baseline", "2Lev")], falls,
                 "idle cycles of the seven, round robin and two levels")
    study.judged("lw.sec4.3.uneven-progress-locality", lambda: [got.mean_of(machine, "row_hit_rate", STREAMING) for machine in ("baseline", "oldest")], falls,
                 "row hits of streaming programs under round robin and oldest first")
    study.order("lw.sec4.3.priority-rotation-initial", lambda: examples.rotation()[0], "who issues first when all can")
    study.order("lw.sec4.3.priority-rotation-after-switch", lambda: examples.rotation()[1], "the same once the first group waits for memory")
    study.judged("lw.sec4.3.not-exclusive", lambda: examples.rotation()[2], lambda lower: lower > 0,
                 "percent of instructions of lower groups while the head has some that can go on")
    study.value("lw.ex3.6.rr-total", lambda: examples.figure_4_6()["rr"][300])
    study.value("lw.ex3.6.2lev-total", lambda: examples.figure_4_6()["2lev"][300])
    study.value("lw.ex3.6.fg16-is-rr", lambda: sum(map(abs, examples.saved_by("one group").values())))
    study.judged("lw.ex3.6.saving-shape", lambda: examples.saved_by("2lev"), examples.saving_shape, "grows with the latency up to 8 K = 160 and stays within 20 cycles of that")
    study.at_most("lw.sec4.4.timeout-bound", lambda: max(got.of("LWM+2Lev", program).counted("order0.most_as_head") for program in PROGRAMS))
    study.judged("lw.sec4.4.timeout-rare", lambda: {program: got.of("LWM+2Lev", program).counted("order0.timeouts") for program in PROGRAMS},
                 lambda timeouts: sum(count > 0 for count in timeouts.values()) <= 5, "programs with forced switches: fewer than half")
    study.judged("lw.sec4.4.timeout-blackjack", lambda: got.of("LWM+2Lev", "blackjack").counted("order0.timeouts"), lambda count: count > 0, "forced switches")
    study.order("lw.sec4.4.timeout-off-blackjack", lambda: {machine: got.of(machine, "blackjack").ipc for machine in ("LWM+2Lev", "LWM+2Lev without time-out")})


def identities(study, got):
    exact = [program for program in PROGRAMS if program not in ("sort", "bfs")]

    def differences(one, other):
        return sum(abs(got.of(one, program).thread_instructions - got.of(other, program).thread_instructions) for program in exact)

    ordered = "over the programs whose instructions do not depend on the order of threads"
    study.value("lw.sec4.2.5.rows-as-baseline", examples.rows_as_baseline)
    study.at_most("lw.timing.max-overlap", lambda: max(got.of("LWM", program).counted("hazards.most_overlap") for program in PROGRAMS),
                  "most instructions of a large warp with threads in flight, jumps left out")
    study.order("lw.sec4.2.subwarp-count-order",
                lambda: {machine: -sum(got.of(machine, program).packets for program in PROGRAMS) for machine in ("LWM perfRF", "LWM", "baseline")},
                "packets of all programs, fewest first")
    study.value("lw.sec4.2.lane-sum", lambda: differences("LWM", "baseline"), ordered)
    study.at_most("lw.sec6.3.ipc-max", lambda: max(got.of(machine, program).ipc for machine, program in itertools.product(("baseline", "2Lev"), PROGRAMS)))
    study.value("lw.sec7.jump-ipc-count", lambda: differences("LWM +jump", "LWM -mem -jump"), ordered)
    study.value("lw.vec3.2.full-pack-is-rows", examples.full_pack_is_rows)
    study.value("lw.sec5.2.tbc-predicated", examples.compaction_of_guards)
    study.value("lw.inv.popcount-after-merge", lambda: differences("LWM", "LWM rows"),
                "thread-instructions of all programs, packed less by rows: nobody is lost where ways meet")


def formation(study, got):
    study.judged("lw.sec3.2.1.dwf-majority-starves", lambda: examples.rare_path("DWF majority"), examples.starves,
                 "a kernel in which one thread of each warp goes another way of equal length in every round: when it has a quarter of its rounds behind it, "
                 "in percent of when the others have all, mean of the threads; baseline and this: only this above 100")
    for target, machine in (("dwf-pdprio-breaks", "DWF PDPRIO"), ("dwf-majority-breaks", "DWF majority")):
        study.judged(f"lw.sec3.2.1.{target}", lambda: examples.drifts(machine), examples.spreads_out,
                     "kernels of 64 rounds with loops, a biased branch, uneven nesting: by how many rounds the last thread is behind when the first has done 16 and "
                     "when it has done all, baseline and this: on each more in the end than after 16, and more than twice the baseline's")

    def compare(target, what, worse, how):
        study.judged(f"lw.sec3.2.1.{target}", lambda: [got.mean_of(machine, what) for machine in ("baseline", "DWF majority")], worse, how + ", baseline and majority")

    compare("dwf-starved-miss-later", "hit_rate", falls, "mean data-cache hit rate")
    compare("dwf-starved-reopen-rows", "row_hit_rate", falls, "mean row hit rate")
    compare("dwf-memory-divergence", "mean_lines", rises, "mean lines of a memory instruction")
    study.judged("lw.sec3.2.1.dwf-fragmented-warps", examples.after_merge, falls, "lanes filled behind a merge of a kernel made for it, baseline and formation")


def related(study, got):
    def small_change(target, measure, most, how):
        study.judged(f"lw.related.{target}", measure, lambda value: abs(value[1] - value[0]) <= most, how)

    study.judged("lw.related.dws-warp-count", lambda: [examples.subdivision_gain(warps) for warps in (4, 32)], falls,
                 "gain in IPC of subdivision on a divergent kernel of loads, 4 and 32 warps")
    small_change("dws-simd-utilisation", lambda: [got.mean_of(machine, "simd_efficiency", LEFTMOST) for machine in ("baseline", "DWS branches")], SMALL,
                 "mean share of lanes filled of the four: 3 points at most")
    study.judged("lw.related.dws-mlp", examples.misses_at_once, rises,
                 "most misses outstanding at once of a divergent kernel of loads, baseline and subdivision")
    study.judged("lw.related.slip-mixed-access", examples.slip_gains, lambda gains: gains[0] > 1 and abs(gains[1]) < 1,
                 "gain where lines of an access hit and miss, and where all miss")
    small_change("slip-row-locality", lambda: [got.mean_of(machine, "row_hit_rate") for machine in ("baseline", "Adaptive Slip")], SMALL,
                 "mean row hit rate: 3 points at most")
    study.judged("lw.related.two-level-other-policies", lambda: got.average("2Lev GTO", "2Lev"), lambda value: value > 0,
                 "mean gain of greedy-then-oldest in both levels")
    study.judged("lw.related.fetch-policies-like-rr", lambda: [got.average(machine, "baseline") for machine in ("GTO", "oldest")],
                 lambda gains: max(map(abs, gains)) <= 10, "mean gains of greedy-then-oldest and oldest first: 10 % at most")


def left_out(study):
    study.not_built("lw.related.scalarization", "the source leaves it to future work; only its special case, the token of a jump, is there")


def memory(study):
    study.at_most("lw.sec2.1.2.worst-lines", examples.most_lines)
    study.judged("lw.sec2.1.2.scratchpad-conflict", examples.bank_passes, lambda passes: passes == [1, 2, 4, 32],
                 "passes of an access whose lanes share a bank by 1, 2, 4 and 32")
    study.judged("lw.sec2.1.2.divergent-serial", examples.port_times, lambda port: port == sorted(port) and port[-1] > port[0],
                 "cycles of an access to 1, 2, 8 and 32 lines that hit")
    study.judged("lw.sec2.1.2.miss-service", examples.miss_time, lambda cycles: cycles >= 100, "mean cycles of a miss with others about")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="programs at their size `medium`")
    parser.add_argument("--size", help="of the programs: small, medium, large")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    add_output(parser, "large-warps")
    options = parser.parse_args()
    output = output_folder(options, "large-warps")
    known = {target_id: target for target_id, target in targets("large-warps-and-database-search", "lw.").items()
             if target["kind"] not in ("structural", "cost")}
    study = Study(known)
    if not options.no_build:
        build("heddle_program", "workloads", "study_programs")
    got = Results(options.size or ("medium" if options.quick else "large"), options.jobs)
    got.start(MACHINES)
    for part in (figure_5_1, utilisation, packing, two_levels, identities, formation, related):
        part(study, got)
    memory(study)
    left_out(study)
    status = study.finish(output)
    figures.write(got, output, known)
    return status


if __name__ == "__main__":
    sys.exit(main())
