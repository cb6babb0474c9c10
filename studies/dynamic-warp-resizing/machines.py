# SPDX-License-Identifier: Apache-2.0
"""Machines of the study of dynamic warp resizing, and the quantities measured in a run.

Source: docs/sources/dynamic-warp-resizing.md, 4 and 7.
"""
import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # noqa: E402
from study import Run  # noqa: E402

DWR = "sm.dynamic_warp_resizing"
WIDTHS, MULTIPLES = (8, 16, 32), (1, 2, 4, 8)
CACHES = {12: (32, 6), 48: (64, 12), 192: (128, 24)}  # KB: sets and ways
LISTS = {32: (4, 8), 16: (4, 4), 8: (2, 4)}  # entries: sets and ways


def lanes(width):
    return [f"sm.simd_width={width}", f"sm.alu.lanes={width}", f"sm.sfu.lanes={width}", f"sm.memory_lanes={width}"]


def fixed(size, width=8, *more):
    """Warps of `size` threads."""
    return "dwr-ws32", [*lanes(width), f"sm.warp_size={size}", *more]


def resized(partners, width=8, *more):
    """Sub-warps as wide as the datapath, so many of which are partners."""
    return "dwr-64", [*lanes(width), f"sm.warp_size={width}", f"{DWR}.partners={partners}", *more]


def suffixed(name, suffix):
    return f"{name}, {suffix}" if suffix else name


def variants(suffix="", *more, width=8):
    """The seven machines of a figure."""
    machines = {suffixed(f"fixed-{width * times}", suffix): fixed(width * times, width, *more) for times in MULTIPLES}
    machines |= {suffixed(f"DWR-{width * times}", suffix): resized(times, width, *more) for times in MULTIPLES[1:]}
    return machines


def l1d(kilobytes):
    sets, ways = CACHES[kilobytes]
    return [f"caches.l1d.sets={sets}", f"caches.l1d.ways={ways}"]


def ignore_list(sets, ways):
    return [f"{DWR}.ilt_sets={sets}", f"{DWR}.ilt_ways={ways}"]


# Lines of 128 bytes in a cache of the same capacity.
LINES = ["sm.coalescer.line_bytes=128", "caches.l1d.line_bytes=128", "caches.l1d.sets=32"]
# Twice as much of everything in an SM that limits its threads.
THREADS = ["sm.residency.threads=2048", "sm.residency.blocks=16", "sm.residency.registers=32768", "sm.residency.shared_bytes=32768"]

MACHINES = {
    **variants(),
    **variants("16 lanes", width=16),
    **variants("32 lanes", width=32),
    **variants("12 KB", *l1d(12)),
    **variants("192 KB", *l1d(192)),
    **variants("128-byte lines", *LINES),
    **variants("2048 threads", *THREADS),
    **{f"DWR-64, list of {entries}": resized(8, 8, *ignore_list(*LISTS[entries])) for entries in (16, 8)},
    "DWR-64, no list": resized(8, 8, f"{DWR}.ilt_ways=0"),
    "DWR-64, unlimited list": resized(8, 8, f"{DWR}.ilt_unlimited=true"),
    "DWR-64, list at barriers": resized(8, 8, f"{DWR}.ilt_insert_on_barrier=true"),
    "DWR-64, learning": resized(8, 8, f"{DWR}.sync_mode=dynamic"),
    "DWR-64, real barrier": resized(8, 8, f"{DWR}.barrier=real_isa"),
    "Fermi, warps of 16": ("dwr-fermi", ["sm.grouping=reconvergence_stack"]),
    "Fermi, warps of 32": ("dwr-fermi", ["sm.grouping=reconvergence_stack", "sm.warp_size=32"]),
    "Fermi, DWR-64": ("dwr-fermi", []),
}


def of_width(kind, width):
    """Names of the fixed or the resizing machines of a width."""
    suffix = "" if width == 8 else f"{width} lanes"
    return [suffixed(f"{kind}-{width * times}", suffix) for times in MULTIPLES[0 if kind == "fixed" else 1:]]


FIXED, RESIZED = of_width("fixed", 8), of_width("DWR", 8)
BEST, BASE = "DWR-64", "fixed-16"
VARIANTS = ["DWR-64, no list", "DWR-64, unlimited list", "DWR-64, list at barriers", "DWR-64, learning", "DWR-64, real barrier"]

# Causes of the account of issue slots in which an instruction issues or passes the lanes; in all others the front end idles. A
# memory stage that accepts nothing stands in the way, too: the source's machine has one pipeline.
BUSY = ("issued", "combined", "waves", "arrival", "held")
LAT = re.compile(r"^(@!?%p\d+ )?(ld|st)\.(volatile\.)?(relaxed\.|acquire\.|release\.)?((sys|gpu|cta)\.)?(global|local|[vusbf]\d)")
PARAMETER = re.compile(r"^(@!?%p\d+ )?ld\.param")


class Resized(Run):
    """A run with the quantities of the source's section on metrics (docs/sources/dynamic-warp-resizing.md, 7)."""

    def __init__(self, machine, name, quick, recorded=()):
        preset, settings = MACHINES[machine]
        program = (programs.PROGRAMS | programs.KERNELS)[name]
        super().__init__(preset, [*settings, *program.machine(quick)], program.program, program.of(quick), recorded)
        self.thread_instructions = self.counted("issue.thread_instructions")
        self.ipc = self.thread_instructions / self.all_cycles

    def counted(self, name, otherwise=0):
        return self.total("sm", name, otherwise)

    @property
    def idle(self):
        """Share of cycles in which the front end idles."""
        return 1 - sum(self.counted(f"issue.slots.{cause}") for cause in BUSY) / self.counted("issue.slots.cycles")

    @property
    def requests(self):
        """Off-chip: misses, stores, write-backs."""
        return self.counted("l1d.requests_below")

    @property
    def activity(self):
        """Mean share of active threads in a warp that issues."""
        return self.thread_instructions / self.counted("issue.offered_lanes")

    @property
    def packets_a_cycle(self):
        return self.counted("issue.packets") / self.counted("issue.slots.cycles")

    @property
    def fetches_a_cycle(self):
        return self.counted("issue.fetch_requests") / self.counted("issue.slots.cycles")

    # -- on machines that resize warps
    @property
    def ignored_share(self):
        """Of the barriers that sub-warps come to, those that the ignore list has."""
        ignored = self.counted("sub_warp_synchroniser.ignored")
        return ignored / max(1, ignored + self.counted("sub_warp_synchroniser.barriers"))

    @property
    def wait(self):
        """Mean cycles from a sub-warp's arrival at a barrier to its release."""
        return self.counted("sub_warp_synchroniser.wait_cycles") / max(1, self.counted("sub_warp_synchroniser.barriers"))

    @property
    def wait_an_access(self):
        """Cycles at barriers for each load and store of a sub-warp that might be combined."""
        return self.wait * (1 - self.ignored_share)

    @property
    def combined_share(self):
        """Of the large-warp-intensive instructions of sub-warps, those issued together with partners."""
        together = sum(size * self.counted(f"partner_issue.warps_of_{size}") for size in range(2, 9))
        return together / max(1, together + self.counted("partner_issue.warps_of_1"))


class Accesses:
    """Thread-level loads and stores of a program, and how many instructions make them, from a profile of a run."""

    def __init__(self, name, quick):
        run = Resized(BASE, name, quick, ("profile",))
        instructions = [one for kernel in run.recorded["profile"]["kernels"] for one in kernel["instructions"]]
        lats = [one for one in instructions if LAT.match(one["text"])]
        self.lats = len(lats)
        self.parameters = sum(bool(PARAMETER.match(one["text"])) for one in instructions)
        self.threads = sum(one["counts"].get("active_lanes", 0) for one in lats)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def harmonic_mean(values):
    values = list(values)
    return len(values) / sum(1 / value for value in values)


class Results:
    """Results of every program on every machine, run on demand."""

    def __init__(self, quick, runs):
        self.quick = quick
        self.runs = runs

    def start(self, machines, names):
        for name in names:
            for machine in machines:
                self.runs.start((machine, name), Resized, machine, name, self.quick)

    def start_accesses(self, names):
        for name in names:
            self.runs.start(("accesses", name), Accesses, name, self.quick)

    def of(self, machine, name):
        self.start([machine], [name])
        return self.runs[machine, name]

    def accesses(self, name):
        self.start_accesses([name])
        return self.runs["accesses", name]

    def coalescing(self, machine, name):
        """Thread-level loads and stores for each off-chip request."""
        return self.accesses(name).threads / max(1, self.of(machine, name).requests)

    def ratio(self, machine, name, base=BASE):
        return self.of(machine, name).ipc / self.of(base, name).ipc

    def speed(self, machine, names=programs.ALL, base=BASE, average=mean):
        """Mean of the IPC over that of the base."""
        return average(self.ratio(machine, name, base) for name in names)

    def gain(self, new, old, names=programs.ALL):
        """Of the means of normalised IPC, percent."""
        return 100 * (self.speed(new, names) / self.speed(old, names) - 1)

    def idle(self, machine, names=programs.ALL):
        return mean(self.of(machine, name).idle for name in names)

    def rate(self, machine, names=programs.ALL):
        return mean(self.coalescing(machine, name) for name in names)

    def best(self, machines, name):
        return max(self.ratio(machine, name) for machine in machines)

    def gap(self, suffix="", names=programs.SENSITIVE, width=8):
        """The best resizing machine over the best fixed one of the programs' means, percent."""
        def of(kind):
            return max(self.speed(suffixed(machine, suffix), names) for machine in of_width(kind, width))
        return 100 * (of("DWR") / of("fixed") - 1)


@functools.lru_cache(maxsize=None)
def readable(machine):
    """Preset and settings of a machine, for a page."""
    preset, settings = MACHINES[machine]
    return " ".join([preset, *settings])
