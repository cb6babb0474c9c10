# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the benchmarks of the study of dynamic warp resizing, by the abbreviation in table 1 of the source.

Block shapes are those of the table. Launches are, too, unless `launches` says otherwise: inputs are smaller where the table's would
run for minutes. Source: docs/sources/dynamic-warp-resizing.md, 5.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of table 1."""
    launches: str
    instructions: float  # millions
    ignored: int
    lats: int


@dataclasses.dataclass(frozen=True)
class Program:
    program: str  # below the build folder
    arguments: tuple
    quick: tuple  # arguments with --quick
    launches: str
    source: Row = None

    def of(self, quick):
        return [str(argument) for argument in (self.quick if quick else self.arguments)]


def workload(name, size, quick, launches, source, *more):
    return Program(f"workloads/{name}", ("--size", size, *more), ("--size", quick, *more), launches, source)


PROGRAMS = {
    "BFS": workload("bfs_masks", 4096, 2048, "26x(8), 512", Row("16x(8), 16x512", 1.4, 7, 15), "--block", 512),
    "BKP": workload("network_training", 1024, 512, "2x(1,64), 16x16", Row("2x(1,64), 16x16", 2.9, 0, 17)),
    "CP": workload("coulombic_potential", 128, 64, "(8,32), 16x8", Row("(8,32), 16x8", 113, 0, 5)),
    "DYN": workload("pathfinder", 8260, 4000, "3x(35), 256", Row("13x(35), 256", 64, 0, 9)),
    "GAS": workload("gaussian_elimination", 48, 32, "48x(3,3), 16x16", Row("48x(3,3), 16x16", 9, 0, 11)),
    "HSPT": workload("hotspot", 256, 144, "2x(16,10), 16x16", Row("(43,43), 16x16", 76, 0, 20)),
    "FWAL": workload("walsh_convolution", 32768, 8192, "6x(32), 256; 3x(16), 512; (128), 256",
                     Row("6x(32), 256; 3x(16), 512; (128), 256", 11, 0, 7), "--tile-threads", 512),
    "MP": workload("suffix_matching", 6144, 2048, "2x(24), 256", Row("(196), 256", 139, 36, 54), "--genome", 20000, "--positions", "yes"),
    "MTM": workload("matmul_tiled", 96, 64, "(6,6), 16x16", Row("(5,8), 16x16", 2.4, 0, 7)),
    "MU": workload("suffix_matching", 24576, 4096, "(96), 256", Row("(196), 256", 75, 3, 11)),
    "NNC": workload("nearest_neighbor", 24000, 8000, "4x(375), 16", Row("4x(938), 16", 5.9, 17, 17), "--block", 16, "--launches", 4),
    "NQU": workload("nqueens", 10, 9, "(105), 96", Row("(256), 96", 1.2, 0, 10), "--rows", 4),
    "SC": workload("block_scan", 32768, 16384, "(64), 256", Row("(64), 256", 3.6, 0, 5)),
    "NW": workload("needleman_wunsch", 256, 96, "(1) to (16) and back, 16", Row("2x(1) to 2x(31), (32), 16", 12, 3, 26)),
}
ALL = list(PROGRAMS)
SENSITIVE = ["NNC", "MP", "MU"]  # of the source's studies of caches, widths and ignore lists
SHOWN = ["BKP", "MU", "HSPT", "CP"]  # of its figure 2

# One property each: k1 to k6 of the page.
KERNELS = {name: Program("studies/dynamic-warp-resizing/kernels", (name,), (name, 16), launches) for name, launches in (
    ("stream", "(64), 256"), ("flags", "(64), 256"), ("paths", "(512), 16"), ("chase", "(64), 256"), ("tiles", "(64), 256"),
    ("arithmetic", "(64), 256"))}
