# SPDX-License-Identifier: Apache-2.0
"""Worked examples: small kernels (worked_examples.cu), each of which answers one question of the study by its cost."""
import functools

from machines import MACHINES, by_lanes, mean
from study import Run

CONSTANT = ["memory.main_memory=constant_latency", "memory.constant_latency.throughput_bytes=4096"]


@functools.lru_cache(maxsize=None)
def example(kernel, machine, number=0, threads=1024, more=()):
    preset, settings = MACHINES[machine]
    return Run(preset, [*settings, *more], "studies/large-warps/worked_examples", [kernel, str(threads), str(number)])


def packets(kernel, machine, number):
    """Packets of `number` rounds without prologue: the difference between runs of twice as many and of as many rounds."""
    return example(kernel, machine, 2 * number).of("sm", "issue.packets") - example(kernel, machine, number).of("sm", "issue.packets")


def guarded_packets():
    return [packets("guarded", "LWM", 16), packets("guarded", "LWM rows", 16)]


def predication_lead():
    return packets("guarded", "TBC", 16) - packets("guarded", "LWM", 16)


def compaction_of_guards():
    return packets("guarded", "TBC", 16) - packets("guarded", "baseline", 16)


def idle(run):
    return by_lanes(run.of("sm", "issue.slot_lanes"))["0"]


def one_large_warp():
    """Idle share with two large warps of 512 threads and with one, after branches."""
    return [idle(example("branches", "LWM-512", 64, threads)) for threads in (1024, 512)]


@functools.lru_cache(maxsize=None)
def rotation():
    """Order in which the groups finish, with and without a first group that waits; and the share of instructions, in percent,
    issued by lower groups while the head has fewer warps than the pipeline has stages."""
    def done(waits):
        times = [int(time) for time in example("head", "2Lev", waits).output.split()[:32]]
        return {f"FG{group}": -max(times[8 * group:8 * group + 8]) for group in range(4)}

    small = example("full", "2Lev", 200, 1024, ("sm.two_level_rotating.group_size=4",))
    used = 100 * small.of("sm", "issue.packets") / small.of("sm", "issue.slots.cycles")
    return done(0), done(1), used - 100 * 4 / 7


@functools.lru_cache(maxsize=None)
def figure_4_6():
    """Cycles of the example of Fig. 4.6 from first to last instruction, by load latency: 16 warps under round robin, in two
    groups of 8, and in one group of 16."""
    found = {}
    for name, settings in (("rr", ["sm.order=lrr"]), ("2lev", ["sm.order=two_level_rotating", "sm.two_level_rotating.group_size=8"]),
                           ("one group", ["sm.order=two_level_rotating", "sm.two_level_rotating.group_size=16"])):
        found[name] = {}
        for latency in (40, 80, 120, 160, 200, 300, 400):
            more = (*settings, *CONSTANT, f"memory.constant_latency.latency={latency}")
            times = [int(time) for time in example("figure", "baseline", 0, 512, more).output.split()]
            found[name][latency] = max(times[32:48]) - min(times[:16])
    return found


def saved_by(order):
    """Savings over round robin, by load latency."""
    cycles = figure_4_6()
    return {latency: cycles["rr"][latency] - cycles[order][latency] for latency in cycles["rr"]}


def saving_shape(savings):
    """Whether savings grow with the latency up to 8 K = 160 cycles and are constant above it."""
    grows = all(savings[a] <= savings[b] + 10 for a, b in ((40, 80), (80, 120), (120, 160)))
    flat = max(savings[m] for m in (200, 300, 400)) - min(savings[m] for m in (200, 300, 400)) <= 20
    return grows and flat and savings[160] > savings[40]


def rows_as_baseline():
    return example("loads", "LWM", 12).of("sm", "memory.accesses") - example("loads", "baseline", 12).of("sm", "memory.accesses")


def full_pack_is_rows():
    return packets("full", "LWM", 16) - packets("full", "LWM rows", 16)


def efficiency(run):
    return 100 * run.of("sm", "issue.simd_efficiency")


def after_merge():
    return [efficiency(example("merged", machine, 32)) for machine in ("baseline", "DWF majority")]


def ipc_gain(kernel, new, old, number, threads):
    return 100 * (example(kernel, old, number, threads).cycles / example(kernel, new, number, threads).cycles - 1)


def subdivision_gain(warps):
    return ipc_gain("split_loads", "DWS", "baseline", 24, 32 * warps)


def misses_at_once():
    return [example("split_loads", machine, 24, 128).of("sm", "l1d.most_misses") for machine in ("baseline", "DWS")]


def slip_gains():
    """Gains of four warps if some lines of an access hit, and if all miss."""
    return [ipc_gain("some_hit", "Adaptive Slip", "baseline", mixes, 128) for mixes in (1, 0)]


def rare_path(machine):
    """Time at which threads on the rare path have completed a quarter of their rounds, in percent of the time at which the
    others have completed all; for the baseline and this machine."""
    def lag(name):
        times = [int(time) for time in example("rare_path", name, 64).output.split()]
        rare = [thread for thread in range(1024) if thread % 32 == thread // 32]
        others = [thread for thread in range(1024) if thread not in rare]
        return 100 * mean(times[thread] for thread in rare) / mean(times[1024 + thread] for thread in others)

    return [lag("baseline"), lag(machine)]


def starves(lags):
    return lags[0] <= 100 < lags[1]


def drifts(machine):
    """Three kernels of 64 uneven rounds: by how many rounds the last thread lags when the first has completed 16 and all rounds,
    for the baseline and this machine. Progress is recorded every 4 rounds."""
    def behind(kernel, name):
        times = [int(time) for time in example(kernel, name, 4).output.split()]
        first, last = times[0::2], times[1::2]
        return [4 * (mark - sum(time <= first[mark - 1] for time in last)) for mark in (4, 16)]

    return {kernel: behind(kernel, "baseline") + behind(kernel, machine) for kernel in ("trip_counts", "biased", "nested")}


def spreads_out(found):
    return all(end > 2 * base_end and end > quarter for _, base_end, quarter, end in found.values())


def most_lines():
    lines = example("strided", "baseline", 32, 32).of("sm", "memory.transactions_per_access")
    return max(int(count) for count in lines if count.isdigit())


def bank_passes():
    """Passes of an access in which 1, 2, 4 and 32 lanes share a bank."""
    runs = [example("banks", "baseline", stride, 32) for stride in (1, 2, 4, 32)]
    return [round(run.of("sm", "shared_memory.passes") / run.of("sm", "shared_memory.accesses")) for run in runs]


def port_times():
    """Cycles of a kernel whose loads hit 1, 2, 8 and 32 lines each."""
    return [example("strided", "baseline", stride, 32).cycles for stride in (1, 2, 8, 32)]


def miss_time():
    return example("loads", "baseline", 12).of("sm", "l1d.mean_miss")
