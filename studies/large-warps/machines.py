# SPDX-License-Identifier: Apache-2.0
"""Machines and programs of the large-warps study, and the quantities measured in a run."""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from study import Run  # noqa: E402

# By the source's name: preset and overrides. Source: docs/sources/large-warps-and-database-search.md, 4.3.
MACHINES = {
    "baseline": ("barrel-core", []),
    "TBC": ("compaction-core", []),
    "LWM": ("large-warp-core", []),
    "2Lev": ("two-level-core", []),
    "LWM+2Lev": ("large-warp-two-level-core", []),
    "TBC with RR": ("compaction-core", ["sm.order=lrr"]),
    "LWM-64": ("large-warp-core", ["sm.warp_size=64"]),
    "LWM-128": ("large-warp-core", ["sm.warp_size=128"]),
    "LWM-512": ("large-warp-core", ["sm.warp_size=512"]),
    "LWM perfRF": ("large-warp-core", ["sm.large_warps.pack=arbitrary"]),
    "LWM -mem -jump": ("large-warp-core", ["sm.large_warps.memory_rows=false", "sm.large_warps.jump_token=false"]),
    "LWM +mem": ("large-warp-core", ["sm.large_warps.jump_token=false"]),
    "LWM +jump": ("large-warp-core", ["sm.large_warps.memory_rows=false"]),
    "LWM rows": ("large-warp-core", ["sm.large_warps.pack=rows"]),
    "LWM wait_all": ("large-warp-core", ["sm.large_warps.memory_refetch=all"]),
    "LWM+2Lev wait_all": ("large-warp-two-level-core", ["sm.large_warps.memory_refetch=all"]),
    "LWM early": ("large-warp-core", ["sm.large_warps.branch_refetch=divergent"]),
    "2Lev16": ("two-level-core", ["sm.two_level_rotating.group_size=16"]),
    "2Lev32": ("two-level-core", ["sm.two_level_rotating.group_size=32"]),
    "LWM+2Lev without time-out": ("large-warp-two-level-core", ["sm.two_level_rotating.timeout=0"]),
    "DWF majority": ("formation-core", []),
    "DWF PDPRIO": ("formation-core", ["sm.order=post_dominator_priority"]),
    "DWF oldest": ("formation-core", ["sm.order=oldest"]),
    "DWS": ("subdivision-core", []),
    "DWS branches": ("subdivision-core", ["sm.warp_subdivision.at_memory=false"]),
    "Adaptive Slip": ("subdivision-core", ["sm.warp_subdivision.at_branches=false"]),
    "GTO": ("barrel-core", ["sm.order=gto"]),
    "oldest": ("barrel-core", ["sm.order=oldest"]),
    "2Lev GTO": ("barrel-core", ["sm.order=two_level_exclusive", "sm.two_level_exclusive.group_size=8"]),
}

# By the source's name, in its order: our program and additional arguments.
PROGRAMS = {
    "blackjack": ("blackjack", []),
    "sort": ("bucket_sort", []),
    "viterbi": ("viterbi", []),
    "kmeans": ("kmeans_bytes", []),
    "decrypt": ("aes_decrypt", []),
    "blackscholes": ("option_pricing", []),
    "needleman": ("sequence_alignment", []),
    "hotspot": ("heat_stencil", []),
    "matrix mult": ("matmul_integer", []),
    "reduction": ("count_true", []),
    "histogram": ("text_histogram", []),
    "bfs": ("graph_search", []),
}
FIVE = ["baseline", "TBC", "LWM", "2Lev", "LWM+2Lev"]
LEFTMOST = ["blackjack", "sort", "viterbi", "kmeans"]
RIGHTMOST = ["blackscholes", "needleman", "hotspot", "matrix mult", "reduction", "histogram", "bfs"]
STREAMING = ["blackscholes", "reduction", "histogram"]


# Buckets of active lanes. Source: the same, 7; a token for more threads than lanes fills all lanes.
BUCKETS = ["0", "1-8", "9-16", "17-24", "25-31", "32"]


def bucket_of(slots):
    """The study's bucket for one of issue.slot_lanes (W0_idle, W1-4, ...)."""
    lowest = 0 if slots.startswith("W0") else int(slots[1:].split("-")[0])
    return next(bucket for bucket in reversed(BUCKETS) if lowest >= int(bucket.split("-")[0]))


def by_lanes(slot_lanes):
    """issue.slot_lanes in these buckets, in percent of all slots."""
    shares = dict.fromkeys(BUCKETS, 0)
    for slots, count in slot_lanes.items():
        shares[bucket_of(slots)] += count
    return {bucket: 100 * count / sum(shares.values()) for bucket, count in shares.items()}


class Measured(Run):
    """A run of one of the programs."""

    def __init__(self, machine, program, size, threads=1024, more=()):
        preset, settings = MACHINES[machine]
        name, arguments = PROGRAMS[program]
        super().__init__(preset, [*settings, *more], f"workloads/{name}", ["--size", str(size), "--threads", str(threads), *arguments])
        sm = self.statistics["classes"]["sm"]
        self.cycles = sm["issue.slots.cycles"]
        self.thread_instructions = sm["issue.active_lanes"]
        self.ipc = self.thread_instructions / self.cycles
        self.histogram = by_lanes(sm["issue.slot_lanes"])
        self.idle = self.histogram["0"]
        self.partial = 100 - self.idle - self.histogram["32"]
        self.simd_efficiency = 100 * sm["issue.filled_lanes"] / max(1, 32 * (100 - self.idle) / 100 * self.cycles)
        self.packets = sm["issue.packets"]
        self.warp_instructions = sm["issue.warp_instructions"]
        mc = self.statistics["classes"]["mc"]
        self.row_hit_rate = 100 * mc.get("controller.channel.row_hit_rate", 0)
        hits, misses = self.total("sm", "l1d.read_hits"), self.total("sm", "l1d.read_misses") + self.total("sm", "l1d.read_merges")
        self.hit_rate = 100 * hits / max(1, hits + misses)
        private = self.total("sm", "shared_memory.accesses")
        # Share of accesses that do not miss, in data cache and scratchpad (which holds thread-private data).
        self.near = 100 * (hits + private) / max(1, hits + misses + private)
        # Share of the single-transaction accesses that have a partial mask.
        self.partial_coalesced = 100 * sm.get("memory.partial_coalesced", 0) / max(1, sm["memory.transactions_per_access"]["1"])
        self.mean_lines = sm.get("memory.mean_transactions", 0)
        self.mean_miss = sm.get("l1d.mean_miss", 0)

    def counted(self, name, otherwise=0):
        return self.total("sm", name, otherwise)


def gain(new, old):
    """Gain in IPC, percent. All machines execute the same program, hence the same thread-instructions."""
    return 100 * (new.ipc / old.ipc - 1)


def mean(values):
    return statistics.fmean(values)
