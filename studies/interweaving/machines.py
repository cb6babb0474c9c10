# SPDX-License-Identifier: Apache-2.0
"""Machines and programs of the interweaving study, and the quantities measured in a run."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from study import Run  # noqa: E402

POLICIES = {"Identity": "identity", "MirrorOdd": "mirror_odd", "MirrorHalf": "mirror_half", "Xor": "xor", "XorRev": "xor_reversed"}
SETS = {"SWI": 1, "SWI 2 sets": 2, "SWI 4 sets": 4, "SWI 8 sets": 8, "SWI direct-mapped": 16}
SBI, BOTH, SWI = "sm.branch_interweaving", "sm.branch_and_warp_interweaving", "sm.warp_interweaving"

# By the source's name: preset and overrides. Source: docs/sources/branch-and-warp-interweaving.md, 4.
MACHINES = {
    "Baseline": ("interweaving-baseline", []),
    "TF-64": ("interweaving-frontiers", []),
    "SBI": ("interweaving-sm", [f"{SBI}.constraints=false"]),
    "SBI+constraints": ("interweaving-sm", [f"{SBI}.constraints=true"]),
    "SBI+SWI": ("interweaving-both", [f"{BOTH}.constraints=false"]),
    "SBI+SWI with constraints": ("interweaving-both", [f"{BOTH}.constraints=true"]),
    **{name: ("interweaving-warps", [f"{SWI}.sets={sets}"]) for name, sets in SETS.items()},
    **{f"SWI {name}": ("interweaving-warps", [f"{SWI}.lane_shuffle={policy}"]) for name, policy in POLICIES.items()},
    "SBI, splits at memory": ("interweaving-sm", [f"{SBI}.constraints=false", f"{SBI}.splits_at_memory=true"]),
    "SBI, one warp": ("interweaving-sm", [f"{SBI}.constraints=true", f"{SBI}.scope=same_warp"]),
    "SBI, exact heap": ("interweaving-sm", [f"{SBI}.constraints=false", f"{SBI}.heap=exact"]),
    "SBI, no exchange": ("interweaving-sm", [f"{SBI}.constraints=false", f"{SBI}.head_swap=false"]),
    **{f"SBI, {rows} rows": ("interweaving-sm", [f"{SBI}.constraints=false", f"{SBI}.cold_entries={rows}"]) for rows in (64, 32, 16)},
}
# Those of the source's figures 7.
SPEEDUPS = ["TF-64", "SBI", "SBI+constraints", "SWI", "SBI+SWI", "SBI+SWI with constraints"]

# By the name of the benchmark that it stands for: our program, its size, and its size with --quick. The table maker's
# dilemma is not part of the means, as in the source. Source: the same, 5.
PROGRAMS = {
    "Mandelbrot": ("mandelbrot_tiles", "medium", "small"),
    "SortingNetworks": ("sorting_networks", "medium", "small"),
    "3dfd": ("finite_difference_3d", "medium", "small"),
    "Eigenvalues": ("eigenvalues", "medium", "small"),
    "DwtHaar1D": ("haar_wavelet", "medium", 8192),
    "MonteCarlo": ("monte_carlo", "medium", "small"),
    "BinomialOptions": ("binomial_options", "medium", "small"),
    "Histogram": ("histogram", "medium", 20000),
    "BlackScholes": ("black_scholes", "medium", 4096),
    "MatrixMul": ("matmul_tiled", 96, 64),
    "Transpose": ("transpose", "medium", 64),
    "FastWalshTransform": ("walsh_transform", "medium", 2048),
    "ConvolutionTexture": ("convolution", "medium", 64),
    "Reduction": ("reduction", "medium", 50000),
    "BFS": ("bfs_masks", "medium", "small"),
    "LUD": ("lud", "medium", "small"),
    "SRAD": ("srad", "medium", "small"),
    "Backprop": ("backprop", 2048, "small"),
    "Hotspot": ("hotspot", "medium", 96),
    "Needleman-Wunsch": ("needleman_wunsch", 600, 64),
    "Kmeans": ("kmeans", "medium", 1000),
    "TMD1": ("tmd_exhaustive", "medium", "small"),
    "TMD2": ("tmd_unstructured", "medium", "small"),
}
APART = ("TMD1", "TMD2")
# The one benchmark whose compiler left blocks in another order than that of thread frontiers, which ours would mend.
OF_PROGRAM = {"TMD1": ["code_order=text"]}
REGULAR_ABOVE = 30  # thread-instructions a cycle with thread frontiers and 64-wide warps


class Interweaved(Run):
    """A run with the statistics of interweaving."""

    def __init__(self, machine, program, arguments, more=()):
        preset, settings = MACHINES[machine]
        super().__init__(preset, [*settings, *more], program, arguments)
        self.thread_instructions = self.counted("issue.thread_instructions")
        self.ipc = self.thread_instructions / self.all_cycles
        self.instructions = self.counted("issue.warp_instructions")
        self.digest = self.output.split("digest=")[-1].split()[0]

    def counted(self, name, otherwise=0):
        return self.total("sm", name, otherwise)

    @property
    def channel(self):
        """Busy share of the memory channel, which passes 10 bytes a cycle, percent."""
        return 10 * (self.total("mc", "controller.read_bytes") + self.total("mc", "controller.written_bytes")) / self.all_cycles

    @property
    def filled(self):
        """Lanes used of those that its instructions offered, percent."""
        return 100 * self.counted("issue.simd_efficiency")

    @property
    def hit_rate(self):
        hits, misses = self.counted("l1d.read_hits"), self.counted("l1d.read_misses") + self.counted("l1d.read_merges")
        return 100 * hits / max(1, hits + misses)


class Measured(Interweaved):
    """A run of one of the programs."""

    def __init__(self, machine, program, quick, more=()):
        name, size, small = PROGRAMS[program]
        super().__init__(machine, f"workloads/{name}", ["--size", str(small if quick else size)], [*OF_PROGRAM.get(program, ()), *more])


def gain(new, old):
    """Gain in speed, percent. All machines execute the same thread-instructions."""
    return 100 * (old.all_cycles / new.all_cycles - 1)


def mean_gain(gains):
    """Geometric mean of gains, percent."""
    gains = list(gains)
    return 100 * (math.exp(sum(math.log(1 + each / 100) for each in gains) / len(gains)) - 1) if gains else math.nan
