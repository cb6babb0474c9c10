# SPDX-License-Identifier: Apache-2.0
"""Programs and machine of the studies of locality scheduling: a stand-in for each named benchmark, on a slice of the machine.

Source: docs/sources/cache-conscious-and-divergence-aware.md, 4 and 5. What was measured of each program: docs/workloads.md.
"""
import dataclasses

MACHINE = "quadro-fx5800"
# One of eight memory channels with its 128 KB of L2, and four of thirty SMs: each SM has the bandwidth it has in the whole.
SLICE = ["gpu.sm_classes.0.count=4", "memory.map.controllers=1"]
# The source's core advances in steps of four shader cycles, in which its caches read one line each and one instruction is in
# the memory pipeline, with two gathering operands. Kernels for 64-bit addresses need more registers than the source's.
CORE = ["caches.l1d.data_bytes_per_cycle=32", "caches.texture.data_bytes_per_cycle=16", "sm.memory_queue=1", "sm.operands.memory_collectors=2",
        "sm.residency.registers=32768"]
SETTINGS = [*SLICE, *CORE]

HIGHLY_SENSITIVE, MODERATELY_SENSITIVE, INSENSITIVE, VECTOR = "highly_cache_sensitive", "moderately_cache_sensitive", "cache_insensitive", "vector"


@dataclasses.dataclass(frozen=True)
class Program:
    kind: str
    program: str  # below the build folder
    arguments: tuple
    quick: tuple  # arguments with --quick

    def of(self, quick):
        return [str(argument) for argument in (self.quick if quick else self.arguments)]


def workload(kind, name, size, quick, *more):
    return Program(kind, f"workloads/{name}", ("--size", size, *more), ("--size", quick, *more))


# By the source's name.
PROGRAMS = {
    "BFS": workload(HIGHLY_SENSITIVE, "bfs_masks", 10240, 4096, "--graph", "small_world", "--most-edges", 48),
    "KMN": workload(HIGHLY_SENSITIVE, "kmeans_rows", 4096, 4096, "--rounds", 1),
    "MEMC": workload(HIGHLY_SENSITIVE, "key_value_store", 16384, 8192),
    "GC": workload(HIGHLY_SENSITIVE, "heap_marking", 12288, 8192),
    "SPMV-Scalar": workload(HIGHLY_SENSITIVE, "spmv_csr", 1092, 1092, "--kernel", "scalar"),
    "WP": workload(MODERATELY_SENSITIVE, "cloud_physics", 4096, 2048),
    "STMCL": workload(MODERATELY_SENSITIVE, "stream_clustering", 12288, 6144),
    "SSSP": workload(MODERATELY_SENSITIVE, "shortest_paths", 8192, 4096),
    "CFD": workload(MODERATELY_SENSITIVE, "euler_flux", 12288, 6144),
    "NDL": workload(INSENSITIVE, "needleman_wunsch", "medium", 120),
    "BACKP": workload(INSENSITIVE, "backprop", "medium", 2000),
    "SRAD": workload(INSENSITIVE, "srad", "medium", 96),
    "LUD": workload(INSENSITIVE, "lud", "medium", 96),
    "HOTSP": workload(INSENSITIVE, "hotspot", "medium", 120),
    "SPMV-Vector": workload(VECTOR, "spmv_csr", 1092, 1092, "--kernel", "vector"),
}


def of_kind(kind):
    return [name for name, program in PROGRAMS.items() if program.kind == kind]
