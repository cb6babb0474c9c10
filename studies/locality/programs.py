# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the benchmarks of locality scheduling, by the name in the source, and their classes.

Source: docs/sources/cache-conscious-and-divergence-aware.md, 5. Sizes are those that a slice of the machine runs in seconds: as
many threads for each of its SMs, and as large an input for each of its L1 data caches, as the source's.
"""
import dataclasses

HIGH, MODERATE, INSENSITIVE = "highly_cache_sensitive", "moderately_cache_sensitive", "cache_insensitive"


@dataclasses.dataclass(frozen=True)
class Program:
    kind: str
    name: str  # of the workload
    arguments: tuple
    quick: tuple  # arguments with --quick
    other: tuple  # another input, from which loads are profiled
    settings: tuple = ()  # overrides of the machine

    @property
    def program(self):
        """Below the build folder."""
        return f"workloads/{self.name}"

    def of(self, quick):
        return [str(argument) for argument in (self.quick if quick else self.arguments)]


def sized(kind, name, size, quick, other, *more, settings=()):
    return Program(kind, name, ("--size", size, *more), ("--size", quick, *more), ("--size", str(other), *map(str, more)), settings)


# The texture cache of the source's released configuration, 5 KB in lines of 32 bytes, of which one is read a step. The source's
# tables have 32 KB, which hold the whole vector; its times fit the former. Only these programs read textures.
TEXTURE = ("caches.texture.sets=8", "caches.texture.ways=20", "caches.texture.line_bytes=32", "caches.texture.data_bytes_per_cycle=8",
           "sm.coalescer.texture_line_bytes=32")

PROGRAMS = {
    "BFS": sized(HIGH, "bfs_masks", 10240, 4096, 3000, "--graph", "small_world", "--most-edges", 48),
    "KMN": sized(HIGH, "kmeans_rows", 4096, 4096, 700, "--rounds", 1),
    "MEMC": sized(HIGH, "key_value_store", 16384, 8192, 4096),
    "GC": sized(HIGH, "heap_marking", 12288, 8192, 3000),
    "SPMV-Scalar": sized(HIGH, "spmv_csr", 1024, 1024, 300, "--kernel", "scalar", settings=TEXTURE),
    "SPMV-Vector": sized(INSENSITIVE, "spmv_csr", 1024, 1024, 300, "--kernel", "vector", settings=TEXTURE),
    "WP": sized(MODERATE, "cloud_physics", 4096, 2048, 700),
    "STMCL": sized(MODERATE, "stream_clustering", 12288, 6144, 1500),
    "SSSP": sized(MODERATE, "shortest_paths", 8192, 4096, 1500),
    "CFD": sized(MODERATE, "euler_flux", 12288, 6144, 2000),
    "NDL": sized(INSENSITIVE, "needleman_wunsch", "medium", 120, 48),
    "BACKP": sized(INSENSITIVE, "backprop", "medium", 2000, 400),
    "SRAD": sized(INSENSITIVE, "srad", "medium", 96, 32),
    "LUD": sized(INSENSITIVE, "lud", "medium", 96, 32),
    "HOTSP": sized(INSENSITIVE, "hotspot", "medium", 120, 48),
}

# By chapter. Source: the same, 5.
OF_CHAPTER = {
    3: {HIGH: ["BFS", "KMN", "MEMC", "GC"], MODERATE: ["WP", "STMCL", "SSSP", "CFD"], INSENSITIVE: ["NDL", "BACKP", "SRAD", "LUD"]},
    4: {HIGH: ["BFS", "MEMC", "SPMV-Scalar", "GC", "KMN"], INSENSITIVE: ["NDL", "BACKP", "SRAD", "LUD", "HOTSP"]},
}

# Sizes of BFS in place of 500,000, 900,000, 5 million and 20 million edges, and with --quick.
GRAPHS = {"500k": (10240, 4096), "900k": (12288, 6144), "5M": (16384, 8192), "20M": (24576, 12288)}

# The case study: rows of the source's matrix, entries of a row, and the option that sets them.
ROWS, ENTRIES, SHORT_ROWS = 8192, "--row", (4, 8, 16, 32, 82)
