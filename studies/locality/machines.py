# SPDX-License-Identifier: Apache-2.0
"""Machines of the studies of locality scheduling, and the quantities measured in a run.

Source: docs/sources/cache-conscious-and-divergence-aware.md, 1.2, 1.3 and 4 (machines), 7 (quantities).
"""
import argparse
import functools
import hashlib
import itertools
import json
import math
import os
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from programs import HIGH, PROGRAMS  # noqa: E402
from study import BUILD, HEDDLE, Cache, Run, RunFailed, Runs, Study, add_output, build, digest_of, executed, on_machine, output_folder, output_of, resolved  # noqa: E402

BASE = "quadro-fx5800"
# A slice of the machine: four of its 30 SMs and one of its eight memory channels, so that an SM has as much of L2 and memory.
# Kernels for 64-bit addresses need more registers than the source's.
SLICE = ["gpu.sm_classes.0.count=4", "memory.map.controllers=1", "sm.residency.registers=32768"]
WARPS = 32  # of an SM
WARP_SIZE = 32

CCWS, DAWS = "sm.cache_conscious", "sm.divergence_aware"
LIMIT = ['sm.vetoes=["static_limit"]']
LIMITS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32)
GRAPH_LIMITS = (1, 2, 4, 6, 8, 12, 32)  # of graphs of other sizes
FEW_LIMITS = (4, 8, 16, 24, 32)  # of the classes for which no limit is best
K, BEST_K, POWER_K = (1, 2, 4, 8, 16, 32, 64, 128), 8, 32
VICTIM_TAGS, USUAL_TAGS = (1, 2, 4, 8, 16, 32, 512), 16
KILOBYTES, USUAL_SIZE = (8, 16, 32, 64, 128), 32
FACTORS, USUAL_FACTOR = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4), 0.6
GROUP_SIZES = (1, 2, 4, 8, 16)


def two_level(size, order):
    return ["sm.order=two_level_exclusive", f"sm.two_level_exclusive.group_size={size}", f"sm.two_level_exclusive.inside={order}", f"sm.two_level_exclusive.between={order}"]


def l1(kilobytes):
    """Eight ways of 128 bytes."""
    return [f"caches.l1d.sets={kilobytes}"]


def swl(limit):
    """The name of a static limit. One of all warps is another machine than that without any, with the same cycles."""
    return f"SWL {limit}"


def ccws(k=BEST_K, tags=USUAL_TAGS, kilobytes=USUAL_SIZE):
    """The name of CCWS with one parameter changed."""
    changed = [f"K={k}"] * (k != BEST_K) + [f"{tags} tags"] * (tags != USUAL_TAGS) + [f"{kilobytes} KB"] * (kilobytes != USUAL_SIZE)
    return " ".join(["CCWS", *changed])


def gto(kilobytes=USUAL_SIZE):
    return "GTO" if kilobytes == USUAL_SIZE else f"GTO {kilobytes} KB"


def fetch_groups(size):
    return f"2LVL-GTO {size}" if size != 2 else "2LVL-GTO"


def detected(factor=USUAL_FACTOR):
    return "Detected-DAWS" if factor == USUAL_FACTOR else f"Detected-DAWS factor {factor}"


# Scores of the source's hardware end at 1,023. Those of its simulator, which gave the figures, are integers.
WIDE = f"{CCWS}.score_bits=0"

# By the source's name: preset and overrides.
MACHINES = {
    "GTO": (BASE, []),
    "LRR": (BASE, ["sm.order=lrr"]),
    "oldest-first": (BASE, ["sm.order=oldest"]),
    "greedy-then-round-robin": (BASE, ["sm.order=grr"]),
    **{fetch_groups(size): (BASE, two_level(size, "gto")) for size in GROUP_SIZES},
    "2LVL-LRR": (BASE, two_level(8, "lrr")),
    "active pool": (BASE, ["sm.order=two_level_active"]),
    "active pool, left on misses": (BASE, ["sm.order=two_level_active", "sm.two_level_active.leaves_on=miss"]),
    **{swl(limit): (BASE, [*LIMIT, f"sm.static_limit.limit={limit}"]) for limit in range(1, WARPS + 1)},
    **{ccws(k=k): ("ccws", [WIDE, *[f"{CCWS}.k_throttle={k}"] * (k != BEST_K)]) for k in K},
    "CCWS of 10 bits": ("ccws", []),
    "CCWS K=32 of 10 bits": ("ccws", [f"{CCWS}.k_throttle=32"]),
    **{ccws(tags=tags): ("ccws", [WIDE, f"{CCWS}.victim_tags.entries={tags}"]) for tags in VICTIM_TAGS if tags != USUAL_TAGS},
    **{gto(size): (BASE, l1(size)) for size in KILOBYTES if size != USUAL_SIZE},
    **{ccws(kilobytes=size): ("ccws", [WIDE, *l1(size)]) for size in KILOBYTES if size != USUAL_SIZE},
    "LRR 8 MB": (BASE, ["sm.order=lrr", *l1(8192)]),
    "GTO 8 MB": (BASE, l1(8192)),
    "Profiled-DAWS": ("daws-profiled", []),
    "Profiled-DAWS with victim tags": ("daws-profiled", [f"{DAWS}.count_lost_locality=true"]),
    **{detected(factor): ("daws-detected", [f"{DAWS}.associativity_factor={factor}"] * (factor != USUAL_FACTOR)) for factor in FACTORS},
    "Detected-DAWS, all lanes": ("daws-detected", [f"{DAWS}.ignore_control_flow=true"]),
}
BEST_LIMIT = "Best-SWL"  # a static limit found for each program
PROFILED = "Profiled-DAWS"


class Measured(Run):
    """A run on a slice of a machine. profile: file of load classes."""

    def __init__(self, machine, program, arguments, more=(), recorded=(), profile=None):
        preset, settings = MACHINES[machine]
        profiled = [f"{DAWS}.profile={profile}"] if profile else []
        super().__init__(preset, [*SLICE, *settings, *profiled, *more], program, arguments, recorded)
        self.thread_instructions = self.counted("issue.thread_instructions")
        self.kilo = self.thread_instructions / 1000
        self.ipc = self.thread_instructions / self.all_cycles
        self.instructions = self.counted("issue.warp_instructions")
        self.digest = self.output.split("digest=")[-1].split()[0]
        self.size = arguments[arguments.index("--size") + 1]  # of the input: a number or a word

    def counted(self, name, otherwise=0):
        return self.total("sm", name, otherwise)

    @property
    def warps(self):
        """Of all launches."""
        return sum(math.prod(kernel["grid"]) * -(-math.prod(kernel["block"]) // WARP_SIZE) for kernel in self.kernels)

    # A load that merges with an outstanding miss finds its line in the cache, although without data: the source counts it as a hit.
    @property
    def misses(self):
        return self.counted("l1d.read_misses")

    @property
    def accesses(self):
        return self.misses + self.counted("l1d.read_hits") + self.counted("l1d.read_merges")

    @property
    def mpki(self):
        return self.misses / self.kilo

    @property
    def miss_rate(self):
        return self.misses / max(1, self.accesses)

    @property
    def held(self):
        """Share of the issue slots in which a ready instruction was held back and none issued."""
        return self.counted("issue.slots.held") / self.counted("issue.slots.cycles")

    @property
    def issued(self):
        return self.counted("issue.slots.issued") / self.counted("issue.slots.cycles")

    @property
    def lanes(self):
        """Shares of instructions by active lanes, in bins of four: 1 to 4, ..., 29 to 32."""
        bins = [0] * 8
        for name, count in self.counted("issue.slot_lanes", {}).items():
            if not name.startswith("W0"):
                bins[(int(name[1:].split("-")[-1]) - 1) // 4] += count
        return [count / max(1, sum(bins)) for count in bins]

    @property
    def efficiency(self):
        return self.thread_instructions / (WARP_SIZE * self.instructions)

    @property
    def lost(self):
        """Loads of lines that their warp had lost, per 1,000 instructions."""
        return self.counted("victim_tags.hits") / self.kilo

    @property
    def lost_lines(self):
        """The same, all."""
        return self.counted("victim_tags.hits")

    @property
    def lost_after_descheduling(self):
        """Of these, those whose warp had a load held back since it last used the line."""
        return self.counted("cache_conscious.lost_after_descheduling")

    def memory(self, name):
        """A counter of the memory channels."""
        return self.total("mc", f"controller.{name}")

    def energy(self, table):
        """Dynamic energy of the memory system in nanojoules. table: nJ by kind of operation, those of OPERATIONS."""
        return sum(table[name] * count(self) for name, count in OPERATIONS.items())


# Operations of the memory system with an energy each. Source: docs/sources/cache-conscious-and-divergence-aware.md, 6.3 (4.4.4).
OPERATIONS = {
    "dram_read": lambda run: run.memory("channel.reads"),
    "dram_precharge": lambda run: run.memory("channel.precharges"),
    "l2_hit": lambda run: run.total("l2", "cache.read_hits"),
    "l2_miss": lambda run: run.total("l2", "cache.read_misses"),
    "l1d_hit": lambda run: run.counted("l1d.read_hits") + run.counted("l1d.read_merges"),
    "l1d_miss": lambda run: run.misses,
}


def add_energies(parser):
    parser.add_argument("--energies", type=pathlib.Path, metavar="FILE",
                        help=f"JSON object of nanojoules an operation: {', '.join(OPERATIONS)}; without it, targets on energy are left out")


def energies(options):
    """The table of energies; None if none is given. Ends the study if it is not one."""
    if options.energies is None:
        return None
    try:
        table = {name: float(value) for name, value in json.loads(options.energies.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        sys.exit(f"heddle study: error: --energies {options.energies}: {error}")
    if set(table) != set(OPERATIONS) or min(table.values()) < 0:
        sys.exit(f"heddle study: error: --energies {options.energies}: wanted are numbers from 0 for {', '.join(OPERATIONS)}")
    return table


HITS = ("intra_thread", "inter_thread", "inter_warp")
TRIPS = ("this_trip", "last_trip", "other_trip")


class Traced(Measured):
    """A run with what answered its loads, and what would have with policies lru and belady of the recorded cache and in an unbounded
    one: `heddle replay-l1` on the run's trace."""

    SECTION = "locality"

    def __init__(self, machine, program, arguments, more=(), profile=None):
        super().__init__(machine, program, arguments, more, (self.SECTION, "spans"), profile)
        self.blocks = [dict(zip(self.recorded["spans"]["columns"], row)) for row in self.recorded["spans"]["rows"]]
        self.of_kernels = self.recorded[self.SECTION]["kernels"]
        self.replays = [replay["policy"] for replay in self.recorded[self.SECTION]["replays"]]

    @classmethod
    def _made(cls, machine, settings, program, arguments, recorded):
        """Without the limits of warps, which `heddle run --locality` would model."""
        with tempfile.TemporaryDirectory() as folder:
            trace = f"{folder}/trace.l1.zst"
            made = executed(machine, settings, program, arguments, ["--l1-trace", trace, "--spans"], ("spans",))
            text = output_of([str(HEDDLE), "replay-l1", trace, "--limits", "none", "--json"],
                             " ".join(["replay-l1 of", program, *arguments, *on_machine(machine, settings)]))
        return made | {cls.SECTION: json.loads(text), "spans": made["spans"]["blocks"]}

    @property
    def loads(self):
        return [load for kernel in self.of_kernels for load in kernel["loads"]]

    def sum(self, *names, replay=None, of=None):
        """Accesses by what answered them, of the run or of a replay, of all loads or of some."""
        loads = self.loads if of is None else of
        counts = [load["counts"] if replay is None else load["replays"][self.replays.index(replay)] for load in loads]
        return sum(count[name] for count in counts for name in names)

    def pki(self, *names, replay=None, of=None):
        """The same per 1,000 instructions."""
        return self.sum(*names, replay=replay, of=of) / self.kilo

    def all_pki(self, replay=None, of=None):
        return self.pki(*HITS, "merges", "misses", replay=replay, of=of)

    def intra_warp_share(self, replay=None):
        """Of all hits."""
        return self.sum("intra_thread", "inter_thread", replay=replay) / max(1, self.sum(*HITS, replay=replay))

    def source_of(self, load):
        """Text of the source line of a load; empty if it is not known."""
        files = self.recorded[self.SECTION]["files"]
        lines = files[load["file"]].get("lines", []) if load["file"] >= 0 else []
        return lines[load["line"] - 1].strip() if 0 < load["line"] <= len(lines) else ""

    def loops(self):
        return sum(len(kernel["loops"]) for kernel in self.of_kernels)

    def depth(self):
        return max((loop["depth"] for kernel in self.of_kernels for loop in kernel["loops"]), default=0)

    def looped(self):
        """Loads inside loops."""
        return [load for load in self.loads if load["loop"] >= 0]


class Scattered(Measured):
    """A run with how often each load accessed how many lines with how many active lanes."""

    def __init__(self, machine, program, arguments, more=()):
        super().__init__(machine, program, arguments, more, ("accesses",))
        # Lists of active lanes, lines, and times, by source file and line.
        self.points = {tuple(source): points for source, points in self.recorded["accesses"]}

    @classmethod
    def _made(cls, machine, settings, program, arguments, recorded):
        with tempfile.TemporaryDirectory() as folder:
            trace = f"{folder}/trace.l1"
            made = executed(machine, settings, program, arguments, ["--l1-trace", trace])
            with open(trace, encoding="utf-8") as file:
                return made | {"accesses": cls._points(file)}

    @staticmethod
    def _points(lines):
        """Of the lines of a trace (docs/locality.md)."""
        kernels, places, counts = [], [], {}
        instructions = {}  # by number: source, active lanes, lines

        def close():
            for source, lanes, number in instructions.values():
                points = counts.setdefault(source, {})
                points[lanes, number] = points.get((lanes, number), 0) + 1
            instructions.clear()

        for line in lines:
            if line.startswith("kernel "):
                kernel = json.loads(line.split(" ", 1)[1])
                kernels.append([(pathlib.Path(kernel["files"][place["file"]]).name if "file" in place else "", place.get("line", 0)) for place in kernel["places"]])
            elif line.startswith("launch "):
                places = kernels[json.loads(line.split(" ", 1)[1])["kernel"]]
            elif line.startswith("sm "):
                close()
            elif line.startswith("L"):  # a load
                fields = line.split()
                known = instructions.get(fields[5])
                instructions[fields[5]] = (places[int(fields[3])], int(fields[9]), 1 + (known[2] if known else 0))
        close()
        return [[source, [[*point, times] for point, times in points.items()]] for source, points in counts.items()]


class Results:
    """Results of every program on every machine, run on demand."""

    def __init__(self, quick, jobs, traced=(), more=()):
        """traced: machines whose runs are traced. more: overrides of every machine."""
        self.quick = quick
        self.traced = frozenset(traced)
        self.more = tuple(more)
        self.runs = Runs(jobs)
        self.profiling = threading.Lock()
        self.limits = (1, 2, 4, 8, 16, 32) if quick else LIMITS
        self.few_limits = (8, 32) if quick else FEW_LIMITS
        self.graph_limits = self.limits if quick else GRAPH_LIMITS

    # -- runs

    def _input(self, name, size):
        program = PROGRAMS[name]
        arguments = program.of(self.quick)
        if size is not None:
            arguments[1] = str(size)
        return program.program, arguments

    def settings_of(self, name):
        """Overrides of every machine that runs the program."""
        return (*self.more, *PROGRAMS[name].settings)

    def profile(self, name):
        """File of the load classes of a program, from a run on another input."""
        program = PROGRAMS[name]
        settings, other = [*SLICE, *self.settings_of(name)], list(program.other)
        with self.profiling:
            key = Cache.key(BASE, settings, program.program, other, ("profile-loops", digest_of(HEDDLE)))
            known = Cache.get(key)
            if known is None:
                with tempfile.TemporaryDirectory() as folder:
                    command = [str(HEDDLE), "profile-loops", "--quiet", *on_machine(BASE, settings), "--loops", f"{folder}/profile.json", str(BUILD / program.program), *other]
                    output_of(command, f"profile-loops of {name}")
                    known = pathlib.Path(f"{folder}/profile.json").read_text(encoding="utf-8")
                Cache.put(key, known)
            # Named by its contents, as the name is part of the keys of runs that use it.
            file = Cache.folder / f"profile-{hashlib.sha256(known.encode()).hexdigest()}.json"
            if not file.exists():
                file.write_text(known, encoding="utf-8")
        return file

    def _measure(self, machine, name, size, more, recorded, traced):
        profile = self.profile(name) if machine.startswith(PROFILED) else None
        program, arguments = self._input(name, size)
        more = (*self.settings_of(name), *more)
        if traced:
            return Traced(machine, program, arguments, more, profile)
        return Measured(machine, program, arguments, more, recorded, profile)

    def _key(self, machine, name, size=None, more=(), recorded=()):
        traced = machine in self.traced and size is None and not recorded
        if machine == BEST_LIMIT:
            machine = swl(self.best_limit(name, size))
        return machine, name, size, tuple(more), tuple(recorded), traced

    def start(self, machines, names, size=None):
        for name, machine in itertools.product(names, machines):
            key = self._key(machine, name, size)
            self.runs.start(key, self._measure, *key)

    def of(self, machine, name, size=None, more=(), recorded=()):
        key = self._key(machine, name, size, more, recorded)
        self.runs.start(key, self._measure, *key)
        return self.runs[key]

    @functools.lru_cache(maxsize=None)
    def series(self, machine, name, statistics, intervals=40):
        """Counts of statistics of SM 0 in equal parts of a run: dictionaries by name."""
        preset, settings = MACHINES[machine]
        program, arguments = self._input(name, None)
        every = max(1, self.of(machine, name).all_cycles // intervals)
        found = executed(preset, [*SLICE, *settings, *self.settings_of(name)], program, arguments,
                         ["--series", ",".join(f"sm0.{each}" for each in statistics), "--series-every", str(every)], ("time_series",))["time_series"]
        places = {each: found["columns"].index(f"sm0.{each}") for each in statistics}
        return [{each: row[place] for each, place in places.items()} for row in found["rows"]]

    def without_failures(self, machines, names):
        """Programs all of whose runs on these machines succeeded."""
        def succeeded(name):
            try:
                return all(self.of(machine, name) for machine in machines)
            except RunFailed:
                return False
        return [name for name in names if succeeded(name)]

    # -- quantities

    def limits_of(self, name, size=None):
        """The static limits that are tried. All of one class in Best-SWL of the source; here a part of them."""
        if size is not None:
            return self.graph_limits
        return self.limits if PROGRAMS[name].kind == HIGH else self.few_limits

    def best_limit(self, name, size=None):
        return max(self.limits_of(name, size), key=lambda limit: self.of(swl(limit), name, size).ipc)

    def ratio(self, machine, name, base="GTO", size=None):
        return self.of(machine, name, size).ipc / self.of(base, name, size).ipc

    def speed(self, machine, names, base="GTO"):
        """Harmonic mean of IPC over that of another machine."""
        return harmonic_mean(self.ratio(machine, name, base) for name in names)

    def gain(self, new, old, names, base="GTO"):
        """Gain in that mean, percent."""
        return 100 * (self.speed(new, names, base) / self.speed(old, names, base) - 1)

    def gain_of(self, new, old, name, size=None):
        """Gain of one program, percent."""
        return 100 * (self.ratio(new, name, old, size) - 1)

    def mean_of(self, machine, names, what):
        return mean(getattr(self.of(machine, name), what) for name in names)

    def belady(self, machine, name):
        """Misses per 1,000 instructions under optimal replacement of the accesses of a scheduler."""
        return self.of(machine, name).pki("misses", replay="belady")


def values_of(machine):
    """The values of a machine by path, of its SMs by the path that --set takes."""
    preset, settings = MACHINES[machine]
    found = {}

    def add(path, node):
        if isinstance(node, dict) and "value" in node:
            found[path.removeprefix("gpu.sm_classes.0.")] = node["value"]
        elif isinstance(node, dict):
            for name, each in node.items():
                add(f"{path}.{name}" if path else name, each)
        elif isinstance(node, list) and any(isinstance(each, dict) for each in node):
            for number, each in enumerate(node):
                add(f"{path}.{number}", each)
        else:
            found[path] = node

    add("", json.loads(resolved(preset, tuple([*SLICE, *settings]))))
    return found


def harmonic_mean(values):
    values = list(values)
    return len(values) / sum(1 / value for value in values)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def fewest(measure, *machines):
    """For orders from least to most."""
    return {machine: -measure(machine) for machine in machines}


def up(values, percent):
    """Whether values rise from the first to the last by more than so many percent, and no step falls by more."""
    return values[-1] > values[0] * (1 + percent / 100) and all(after >= before * (1 - percent / 100) for before, after in zip(values, values[1:]))


def down(values, percent):
    return values[-1] < values[0] * (1 - percent / 100) and all(after <= before * (1 + percent / 100) for before, after in zip(values, values[1:]))


def peaks_inside(values, percent):
    """Whether the largest value is neither the first nor the last, and above both by more than so many percent."""
    most = max(values)
    return most > (1 + percent / 100) * max(values[0], values[-1])


def ranked(groups, values):
    """Whether every value of a group is above all of the next; groups: lists of names."""
    return all(min(values[name] for name in before) > max(values[name] for name in after) for before, after in zip(groups, groups[1:]))


def parser_of(name, text, more=None):
    """The options of a study of this family."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="programs at smaller sizes, fewer points of the sweeps")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    if more is not None:
        more(parser)
    add_output(parser, name)
    return parser


def run_study(name, options, measured, measurements, judge, write_figures):
    """Runs a study of this family with these options. Returns its exit status."""
    output = output_folder(options, name)
    study = Study(measured)
    if not options.no_build:
        build("heddle_program", "workloads")
    got = measurements(options.quick, options.jobs)
    got.start_all()
    judge(study, got)
    status = study.finish(output)
    write_figures(got, output)
    return status
