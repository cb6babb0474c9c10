# SPDX-License-Identifier: Apache-2.0
"""Worked examples: small kernels (worked_examples.cu) whose cost on a machine answers one question of the study."""
import functools

from machines import MACHINES
from study import Run

CONSTANT = ["memory.main_memory=constant_latency", "memory.constant_latency.throughput_bytes=4096"]


@functools.lru_cache(maxsize=None)
def example(kernel, machine, number=0, threads=1024, more=()):
    preset, settings = MACHINES[machine]
    return Run(preset, [*settings, *more], "studies/large-warps/worked_examples", [kernel, str(threads), str(number)])


def packets(kernel, machine, number):
    """Of the kernel's own rounds: what further rounds add to a run with fewer."""
    return example(kernel, machine, 2 * number).of("sm", "issue.packets") - example(kernel, machine, number).of("sm", "issue.packets")


def guarded_packets():
    return [packets("guarded", "LWM", 16), packets("guarded", "LWM rows", 16)]


def predication_lead():
    return packets("guarded", "TBC", 16) - packets("guarded", "LWM", 16)


def compaction_of_guards():
    return packets("guarded", "TBC", 16) - packets("guarded", "baseline", 16)


def idle(run):
    lanes = run.of("sm", "issue.slot_lanes")
    return 100 * sum(count for bucket, count in lanes.items() if bucket.startswith("W0")) / run.of("sm", "issue.slots.cycles")


def one_large_warp():
    """Idle share with two large warps of 512 threads and with one, behind branches."""
    return [idle(example("branches", "LWM-512", 64, threads)) for threads in (1024, 512)]


def rotation():
    """When the groups are done, without and with a first group that waits, as a figure to order them by; the instructions of lower
    groups beside a head that has fewer warps than the pipeline has stages, in percent."""
    def done(waits):
        times = [int(time) for time in example("head", "2Lev", waits).output.split()[:32]]
        return {f"FG{group}": -max(times[8 * group:8 * group + 8]) for group in range(4)}

    small = example("full", "2Lev", 200, 1024, ("sm.two_level_rotating.group_size=4",))
    used = 100 * small.of("sm", "issue.packets") / small.of("sm", "issue.slots.cycles")
    return done(0), done(1), used - 100 * 4 / 7


def figure_4_6():
    """Cycles of the example of Fig. 4.6 by the load's latency, first instruction to last: 16 warps under round robin, in two groups of
    8 and in one of 16."""
    found = {}
    for name, settings in (("rr", ["sm.order=lrr"]), ("2lev", ["sm.order=two_level_rotating", "sm.two_level_rotating.group_size=8"]),
                           ("one group", ["sm.order=two_level_rotating", "sm.two_level_rotating.group_size=16"])):
        found[name] = {}
        for latency in (40, 80, 120, 160, 200, 300, 400):
            more = (*settings, *CONSTANT, f"memory.constant_latency.latency={latency}")
            times = [int(time) for time in example("figure", "baseline", 0, 512, more).output.split()]
            found[name][latency] = max(times[32:48]) - min(times[:16])
    return found


def saving_shape(savings):
    """Whether savings grow with the latency up to 8 K = 160 cycles and are flat behind it."""
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
    """Of four warps, where lines of an access hit and miss and where all miss."""
    return [ipc_gain("some_hit", "Adaptive Slip", "baseline", mixes, 128) for mixes in (1, 0)]


def memory_costs():
    def per_load(stride):
        return example("strided", "baseline", stride, 32).cycles

    lines = example("strided", "baseline", 32, 32).of("sm", "memory.transactions_per_access")
    passes = []
    for stride in (1, 2, 4, 32):
        run = example("banks", "baseline", stride, 32)
        passes.append(round(run.of("sm", "shared_memory.passes") / run.of("sm", "shared_memory.accesses")))
    return {"lines": max(int(count) for count in lines if count.isdigit()), "passes": passes,
            "port": [per_load(stride) for stride in (1, 2, 8, 32)],
            "miss": example("loads", "baseline", 12).of("sm", "l1d.mean_miss")}
