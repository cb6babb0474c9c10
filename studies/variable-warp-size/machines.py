# SPDX-License-Identifier: Apache-2.0
"""Machines and programs of the study of variable warp size, and the quantities measured in a run."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # noqa: E402
from study import Run  # noqa: E402

VWS = "sm.variable_warps"
ORDERS = {"GTO": "gto", "LRR": "lrr", "LPC": "lpc", "LGTO": "lgto"}
# Where a slice has an instruction store, it may fetch in each cycle in addition to the ports.
L0_BYTES, PORTS, SLICES = (0, 32, 64, 128, 256), (2, 4), 8


def ordered(order):
    """Slices have the same order where the source has it for both levels."""
    return [f"{VWS}.gang_order={order}", *([f"sm.order={order}"] if order in ("lrr", "lpc") else [])]


def fetches(ports, l0_bytes):
    width = ports + (SLICES if l0_bytes else 0)
    return [f"{VWS}.fetch_ports={ports}", f"{VWS}.l0_bytes={l0_bytes}", f"sm.fetch.width={width}"]


def fetch_name(ports, l0_bytes):
    return f"I-VWS, {ports} fetches, {f'{l0_bytes} B' if l0_bytes else 'no'} L0"


# By the source's name: preset and overrides. Source: docs/sources/variable-warp-size.md, 1b and 4.1.
MACHINES = {
    **{f"WS{size}": (f"vws-ws{size}", []) for size in (32, 16, 8, 4)},
    "I-VWS": ("vws-i", []),
    **{f"I-VWS-{name}": ("vws-i", ordered(order)) for name, order in ORDERS.items()},
    "I-VWS, 1 gang": ("vws-i", [f"{VWS}.gangs_per_cycle=1"]),
    "I-VWS, unlimited": ("vws-i", [f"{VWS}.gangs_per_cycle=4"]),
    "I-VWS-LGTO, unlimited": ("vws-i", [*ordered("lgto"), f"{VWS}.gangs_per_cycle=4"]),
    "I-VWS-GroupMem": ("vws-i", [f"{VWS}.memory_split=group"]),
    "I-VWS-ImpatientMem": ("vws-i", [f"{VWS}.memory_split=impatient"]),
    **{f"I-VWS-ImpatientMem-{name}": ("vws-i", [f"{VWS}.memory_split=impatient", *ordered(order)]) for name, order in ORDERS.items()},
    "E-VWS": ("vws-e", []),
    "E-VWS-ImpatientMem": ("vws-e-impatient", []),
    "E-VWS-ImpatientMem, any ready": ("vws-e-impatient", [f"{VWS}.merges_equal_ready=false"]),
    **{f"E-VWS-Sync{cycles}": ("vws-e", [f"{VWS}.sync_wait={cycles}"]) for cycles in (10, 50, 100)},
    **{fetch_name(ports, size): ("vws-i", fetches(ports, size)) for ports in PORTS for size in L0_BYTES},
    "I-VWS, 8-wide": ("vws-wide", []),
    # On the same machine with 32-wide warps: the source compares on a simulator of its own, whose configuration it does not give.
    "TBC": ("vws-ws32", ["sm.grouping=thread_block_compaction", "sm.hazards=full_masks", "sm.order=sticky_round_robin"]),
    "DWF": ("vws-ws32", ["sm.grouping=dynamic_warp_formation", "sm.hazards=full_masks", "sm.order=majority"]),
}
REFORMING = ["TBC", "DWF"]
STATIC = ["WS32", "WS16", "WS8", "WS4"]
GANGING = ["I-VWS", "E-VWS", "E-VWS-ImpatientMem"]
WAITING = [f"E-VWS-Sync{cycles}" for cycles in (10, 50, 100)]
SPLITTING = ["I-VWS-GroupMem", "I-VWS-ImpatientMem"]
SCHEDULED = [f"I-VWS-{name}" for name in ORDERS]
FETCHING = [fetch_name(ports, size) for ports in PORTS for size in L0_BYTES]

DIVERGENT, INSENSITIVE, CONVERGENT = (programs.of_kind(kind) for kind in (programs.DIVERGENT, programs.INSENSITIVE, programs.CONVERGENT))
SHOWN = [*DIVERGENT, *INSENSITIVE, *CONVERGENT]
OF_CLASS = {"divergent": DIVERGENT, "warp_size_insensitive": INSENSITIVE, "convergent": CONVERGENT}
SHORT = {"divergent": "DIV", "warp_size_insensitive": "WSI", "convergent": "CON"}
COMPARED = programs.of_kind(programs.COMPACTION)
# Programs of other studies that run on any number of threads a warp, for the figures of all applications of the source.
MORE = ["aes_decrypt", "backprop", "bfs_masks", "binomial_options", "bitonic_sort", "black_scholes", "blackjack", "bucket_sort", "convolution", "count_true", "eigenvalues",
        "finite_difference_3d", "graph_search", "haar_wavelet", "heat_stencil", "histogram", "hotspot", "kmeans", "kmeans_bytes", "lud", "mandelbrot", "mandelbrot_tiles",
        "matmul", "matmul_integer", "matmul_tiled", "monte_carlo", "nbody_double", "needleman_wunsch", "nqueens", "option_pricing", "quadrature", "reduction", "scan",
        "sequence_alignment", "sorting_networks", "spmv_scalar", "srad", "streams", "text_histogram", "tmd_exhaustive", "tmd_structured", "tmd_unstructured", "tokenizer",
        "transpose", "tree_search", "vector_add", "viterbi", "walsh_transform"]


class Ganged(Run):
    """A run with the quantities of the source's section on metrics (docs/sources/variable-warp-size.md, 7)."""

    def __init__(self, machine, program, arguments, more=()):
        preset, settings = MACHINES[machine]
        super().__init__(preset, [*settings, *more], program, arguments)
        self.thread_instructions = self.counted("issue.thread_instructions")
        self.ipc = self.thread_instructions / self.all_cycles
        self.digest = self.output.split("digest=")[-1].split()[0]

    def counted(self, name, otherwise=0):
        return self.total("sm", name, otherwise)

    @property
    def fetches(self):
        """Fetches per cycle, from the cache or the store of a slice: each is decoded once."""
        return self.counted("issue.fetch_requests") / self.all_cycles

    @property
    def lanes(self):
        """Active lanes, averaged over the cycles in which an instruction issues. A machine without slices issues one at a time."""
        return self.thread_instructions / (self.counted("gang_issue.issuing_cycles") or self.counted("issue.slots.issued"))

    def per_kilo(self, count):
        """Per thousand instructions of 32 threads."""
        return 1000 * count / (self.thread_instructions / 32)

    @property
    def hits(self):
        return self.per_kilo(self.counted("l1d.read_hits"))

    @property
    def misses(self):
        return self.per_kilo(self.counted("l1d.read_misses"))

    @property
    def merges(self):
        return self.per_kilo(self.counted("l1d.read_merges"))

    @property
    def accesses(self):
        return self.hits + self.misses + self.merges

    def in_gangs(self, *sizes):
        """Share of warps and cycles in gangs of these sizes; 1 is a warp alone."""
        every = [self.counted(f"ganging.warps_in_{size}") for size in range(1, 9)]
        return sum(every[size - 1] for size in sizes) / max(1, sum(every))


class Measured(Ganged):
    """A run of one of the programs, or of one of `MORE` at its small size."""

    def __init__(self, machine, name, quick):
        if name in programs.PROGRAMS:
            program = programs.PROGRAMS[name]
            super().__init__(machine, program.program, program.of(quick))
        else:
            super().__init__(machine, f"workloads/{name}", ["--size", "small"])


def harmonic_mean(values):
    values = list(values)
    return len(values) / sum(1 / value for value in values)


def mean(values):
    values = list(values)
    return sum(values) / len(values)
