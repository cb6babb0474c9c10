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


def part(sms, controllers):
    """Settings of a part of the machine, which keeps what an SM has of the memory."""
    return (f"gpu.sm_classes.0.count={sms}", f"memory.map.controllers={controllers}")


# As many blocks an SM as in the source need fewer of them on a part of the machine. A grid of hundreds of blocks runs on a sixth;
# with --quick, half of the others' blocks on half of it.
WHOLE, HALF, SIXTH = part(16, 6), part(8, 3), part(3, 1)


@dataclasses.dataclass(frozen=True)
class Program:
    program: str  # below the build folder
    arguments: tuple
    quick: tuple  # arguments with --quick
    launches: str
    source: Row = None
    sixth: bool = False

    def of(self, quick):
        return [str(argument) for argument in (self.quick if quick else self.arguments)]

    def machine(self, quick):
        return SIXTH if self.sixth else HALF if self.of(quick) != self.of(False) else WHOLE


def program(path, size, quick, launches, source, *more, sixth=False):
    return Program(path, ("--size", size, *more), ("--size", quick, *more), launches, source, sixth)


def workload(name, *arguments):
    return program(f"workloads/{name}", *arguments)


def study(name, *arguments, sixth=False):
    return program(f"studies/dynamic-warp-resizing/{name}", *arguments, sixth=sixth)


PROGRAMS = {
    "BFS": workload("bfs_masks", 4096, 2048, "26x(8), 512", Row("16x(8), 16x512", 1.4, 7, 15), "--block", 512),
    "BKP": workload("network_training", 1024, 512, "2x(1,64), 16x16", Row("2x(1,64), 16x16", 2.9, 0, 17)),
    "CP": workload("coulombic_potential", 128, 64, "(8,32), 16x8", Row("(8,32), 16x8", 113, 0, 5)),
    "DYN": workload("pathfinder", 8260, 4000, "3x(35), 256", Row("13x(35), 256", 64, 0, 9)),
    "GAS": study("elimination", 48, 32, "48x(3,3), 16x16", Row("48x(3,3), 16x16", 9, 0, 11)),
    "HSPT": study("hotspot_tiles", 264, 144, "(22,22), 16x16", Row("(43,43), 16x16", 76, 0, 20)),
    "FWAL": workload("walsh_convolution", 32768, 8192, "6x(32), 256; 3x(16), 512; (128), 256",
                     Row("6x(32), 256; 3x(16), 512; (128), 256", 11, 0, 7), "--tile-threads", 512),
    "MP": study("suffix_loops", 2048, 1536, "2x(8), 256", Row("(196), 256", 139, 36, 54), "--genome", 6000, "--positions", "yes", sixth=True),
    "MTM": study("rectangle_product", 128, 128, "(5,8), 16x16", Row("(5,8), 16x16", 2.4, 0, 7)),
    "MU": study("suffix_loops", 9216, 4608, "(36), 256", Row("(196), 256", 75, 3, 11), sixth=True),
    "NNC": workload("nearest_neighbor", 15000, 7500, "4x(235), 16", Row("4x(938), 16", 5.9, 17, 17), "--block", 16, "--launches", 4),
    "NQU": study("queens_shared", 10, 9, "(105), 96", Row("(256), 96", 1.2, 0, 10), "--rows", 4),
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
