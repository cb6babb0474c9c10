# SPDX-License-Identifier: Apache-2.0
"""Variable warp size on stand-ins for the applications of its source.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: programs at smaller sizes, fewer of those of other studies, and only the least and the most instruction store. Targets of
kind `structural` and `cost` are unit tests (tests/unit/studies/), except those on applications; the others are measured here. Runs
are cached in out/studies/cache.
Source: docs/sources/variable-warp-size.md, 5 to 7.
"""
import argparse
import functools
import itertools
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from machines import (COMPARED, CONVERGENT, DIVERGENT, FETCHING, GANGING, INSENSITIVE, L0_BYTES, MACHINES, MORE, OF_CLASS, ORDERS,  # noqa: E402
                      PORTS, REFORMING, SCHEDULED, SHOWN, SPLITTING, STATIC, WAITING, Ganged, Measured, fetch_name, harmonic_mean, mean)
from programs import PROGRAMS  # noqa: E402
from study import BUILD, HEDDLE, RunFailed, Runs, Study, add_output, build, on_machine, output_folder, output_of, targets  # noqa: E402
import figures  # noqa: E402

SMALL = 2  # percent: a smaller change counts as none
FEW = 5  # percent: the same for the classes of applications, which the source defines by bars that are not legible
BASE, NARROW, STAYING, ELASTIC, IMPATIENT = "WS32", "WS4", "I-VWS", "E-VWS", "E-VWS-ImpatientMem"
RESIDENT_PICTURE = 22  # columns of the largest picture of Lighting whose four tiles fit on the SM at a time
ON_APPLICATIONS = ("vws.fig6.17.", "vws.sec6.4.6.")
# Targets that no run can show, by the beginning of their names.
QUOTED = {
    "vws.table6.3.": "ratings of classes of machines by the author",
    "vws.sec7.2.": "results of other works, quoted",
    "vws.sec6.5.2.": "arguments on classes of machines, without numbers",
    "vws.sec6.4.7.": "a scoreboard of another machine, without numbers",
    "vws.fig6.17.lighting-start-warps": "threads of an input that the source does not describe",
    "vws.fig6.17.lighting-start-gangs": "threads of an input that the source does not describe",
    "vws.fig6.17.gamephysics-start-warps": "threads of an input that the source does not describe, and more than its machine holds",
}


class Results:
    """Results of every program on every machine, run on demand."""

    def __init__(self, quick, jobs):
        self.quick = quick
        self.every = [*SHOWN, *COMPARED, *(MORE[::8] if quick else MORE)]
        self.fetching = [fetch_name(ports, size) for ports in PORTS for size in (L0_BYTES[::4] if quick else L0_BYTES)]
        self.runs = Runs(jobs)

    def start(self, machines, names):
        for name, machine in itertools.product(names, machines):
            self.runs.start((machine, name), Measured, machine, name, self.quick)

    def of(self, machine, name):
        self.start([machine], [name])
        return self.runs[machine, name]

    def ratio(self, machine, name, base=BASE):
        return self.of(machine, name).ipc / self.of(base, name).ipc

    def ratios(self, machine, names, base=BASE):
        return [self.ratio(machine, name, base) for name in names]

    def speed(self, machine, names):
        """Harmonic mean of IPC over that with 32-wide warps."""
        return harmonic_mean(self.ratios(machine, names))

    def gain(self, new, old, names):
        """Gain of the mean, percent."""
        return 100 * (self.speed(new, names) / self.speed(old, names) - 1)

    def fetches(self, machine, names):
        return mean(self.of(machine, name).fetches for name in names)

    def fetch_gain(self, new, old, names):
        return 100 * (self.fetches(new, names) / self.fetches(old, names) - 1)

    def over(self, machines, what, names):
        """A mean quantity of the programs, by machine in order."""
        return [mean(getattr(self.of(machine, name), what) for name in names) for machine in machines]

    def without_failures(self, machines, names):
        """Programs all of whose runs on these machines succeeded."""
        def succeeded(name):
            try:
                return all(self.of(machine, name) for machine in machines)
            except RunFailed:
                return False
        return [name for name in names if succeeded(name)]

    @functools.lru_cache(maxsize=None)
    def gang_sizes(self, machine, name, size=None, intervals=60):
        """Warps by size of their gang, 1 to 8, over time: rows of cycle and mean number of warps. size: another than the study's."""
        preset, settings = MACHINES[machine]
        program = PROGRAMS[name]
        arguments = program.of(self.quick) if size is None else ["--size", str(size)]
        every = max(1, Ganged(machine, program.program, arguments).cycles // intervals)
        with tempfile.TemporaryDirectory() as folder:
            output_of([str(HEDDLE), "run", "--quiet", *on_machine(preset, settings), "--output", folder, "--series", "sm0.ganging.warps_in_*",
                "--series-every", str(every),
                       str(BUILD / program.program), *arguments], f"gang sizes of {name} on {machine}")
            with open(f"{folder}/run.json", encoding="utf-8") as file:
                series = json.load(file)["time_series"]
        places = [series["columns"].index(f"sm0.ganging.warps_in_{size}") for size in range(1, 9)]
        rows, before = [], -1
        for row in series["rows"]:
            rows.append((row[0], [row[place] / (row[0] - before) for place in places]))
            before = row[0]
        return rows


def name_of(application):
    """The part of a target's name that stands for an application."""
    return application.lower().replace(".", "").replace(" ", "-")


def up(values, percent):
    """Whether values rise from the first to the last by more than so many percent, and no step falls by more."""
    return values[-1] > values[0] * (1 + percent / 100) and all(after >= before * (1 - percent / 100) for before, after in zip(values, values[1:]))


def down(values, percent):
    return values[-1] < values[0] * (1 - percent / 100) and all(after <= before * (1 + percent / 100) for before, after in zip(values, values[1:]))


def near(values, percent):
    return all(abs(value - values[0]) <= abs(values[0]) * percent / 100 for value in values)


OVER_SIZES = f"with warps of 32, 16, 8, 4: last over first by more than {SMALL} %, and no step back by more"


def classes(study, got):
    rules = {"divergent": (lambda values: up(values, SMALL), f"IPC over WS32 {OVER_SIZES}"),
             "convergent": (lambda values: down(values, SMALL), f"IPC over WS32, with warps of 32, 16, 8, 4: falls by more than {SMALL} %, and no step up by more"),
             "warp_size_insensitive": (lambda values: near(values, FEW), f"IPC over WS32 with warps of 32, 16, 8, 4: at most {FEW} % either way")}
    for kind, (holds, how) in rules.items():
        for name in OF_CLASS[kind]:
            study.judged(f"vws.fig6.1.class-{name_of(name)}", lambda name=name: [got.ratio(machine, name) for machine in STATIC], holds, how)
    for kind in ("divergent", "convergent"):
        study.order(f"vws.fig6.1b.order-{kind}", lambda kind=kind: {machine: got.speed(machine, OF_CLASS[kind]) for machine in STATIC})
    study.judged("vws.fig6.1.no-universal-gain", lambda: [len([each for each in got.ratios(NARROW, everything(got)) if each > 1 + FEW / 100]), len([each
                 for each in got.ratios(NARROW, everything(got)) if each < 1 - FEW / 100])],
                 lambda counts: min(counts) > 0, f"programs that gain and that lose more than {FEW} % with WS4, of all: some of each")
    study.judged("vws.fig6.2.lanes-low-div", lambda: got.over([BASE], "lanes", DIVERGENT)[0], lambda lanes: lanes < 20, "mean active lanes: below 20")
    study.judged("vws.fig6.2.lanes-rise-div", lambda: got.over(STATIC, "lanes", DIVERGENT), lambda lanes: up(lanes, SMALL), f"mean active lanes {OVER_SIZES}")
    study.judged("vws.fig6.2.lanes-high-con", lambda: got.over([BASE], "lanes", CONVERGENT)[0], lambda lanes: lanes > 28, "mean active lanes: above 28")
    study.judged("vws.fig6.2.lanes-fall-con", lambda: got.over(STATIC, "lanes", CONVERGENT),
                 lambda lanes: down(lanes, SMALL), f"mean active lanes with warps of 32, 16, 8, 4: fall by more than {SMALL} %")
    for kind in ("convergent", "warp_size_insensitive"):
        study.judged(f"vws.sec6.4.1.little-divergence-{kind}", lambda kind=kind: branches(got, OF_CLASS[kind]), lambda share: share <= FEW,
                     f"divergent branches of 100 on WS32: at most {FEW}")
        study.judged(f"vws.sec6.4.2.gangs-rarely-split-{kind}", lambda kind=kind: mean(100 * got.of(STAYING, name).in_gangs(8) for name in OF_CLASS[kind]),
                     lambda share: share >= 90,
                     "percent of warps and cycles in gangs of 8: at least 90")
    study.judged("vws.sec6.4.4.few-sync-points", lambda: {kind: meetings(got, members) for kind, members in OF_CLASS.items()},
                 lambda found: found["divergent"] > max(found["convergent"], found["warp_size_insensitive"]),
                 "in place of sync points: divergent branches in 1,000 instructions on WS32, most in the divergent class")


def branches(got, names):
    return 100 * sum(got.of(BASE, name).counted("issue.divergent_branches") for name in names) / max(1, sum(got.of(BASE, name).counted("issue.branches")
        for name in names))


def meetings(got, names):
    return mean(1000 * got.of(BASE, name).counted("issue.divergent_branches") / got.of(BASE, name).counted("issue.warp_instructions") for name in names)


def everything(got):
    """All programs that run, for the figures of 165 applications."""
    return got.without_failures((BASE, NARROW, STAYING), got.every)


def caches(study, got):
    for name in ("CoMD", "ObjClassifier", "Raytracing", *CONVERGENT):
        for what, last in (("accesses", "accesses"), ("hits", "hits"), ("misses", "misses"), ("merges", "merges")):
            target = f"vws.fig6.3.{what}-rise-{name_of(name)}"
            if target in study.targets:
                study.judged(target, lambda name=name, what=last: [getattr(got.of(machine, name), what) for machine in STATIC], lambda values: up(values, SMALL),
                             f"L1 {what} per 1,000 instructions of 32 threads, {OVER_SIZES}")
    for name in INSENSITIVE:
        study.judged(f"vws.fig6.3.flat-{name_of(name)}", lambda name=name: flatness(got, name), lambda worst: worst <= 10,
                     "largest change of hits, misses or merges from WS32, percent of its accesses: at most 10")
    study.judged("vws.sec6.1.1.slip-tolerated-div", lambda: min(got.speed(machine, DIVERGENT) for machine in STATIC), lambda least: least > 1 - SMALL / 100,
                 "least mean IPC over WS32 while accesses rise: no loss")
    study.judged("vws.sec6.1.1.slip-costs-con", lambda: [got.speed(machine, CONVERGENT) for machine in STATIC], lambda speeds: down(speeds, SMALL),
                 "mean IPC over WS32 with warps of 32, 16, 8, 4: falls")
    study.judged("vws.sec6.1.1.raytracing-offset", lambda: [got.ratio(NARROW, "Raytracing"), got.of(NARROW, "Raytracing").misses / got.of(BASE,
                 "Raytracing").misses],
                 lambda found: min(found) > 1, "IPC and misses of WS4 over WS32: both above 1")
    study.judged("vws.sec1.6.interference", lambda: [sum(got.over([machine], what, CONVERGENT)[0] for what in ("misses", "merges")) for machine in (BASE, NARROW)],
                 lambda found: found[1] > found[0] * (1 + SMALL / 100), "misses and merges of the convergent class per 1,000 instructions, WS32 and WS4: more")
    study.judged("vws.sec1.6.scheduling-effects", lambda: [got.gain("WS4", "I-VWS", CONVERGENT)], lambda found: found[0] < -SMALL,
                 "gain of WS4 over the same warps in gangs, which are scheduled together, on the convergent class, percent: a loss")


def flatness(got, name):
    base = got.of(BASE, name)
    return max(100 * abs(getattr(got.of(machine, name), what) - getattr(base, what)) / base.accesses for machine in STATIC for what in ("hits", "misses", "merges"))


def headline(study, got):
    study.value("vws.fig6.6.ivws-vs-ws32-div", lambda: got.gain(STAYING, BASE, DIVERGENT))
    study.at_least("vws.fig6.6.ivws-vs-ws4-div", lambda: got.gain(STAYING, NARROW, DIVERGENT))
    study.order("vws.fig6.6.ws4-above-ivws-div", lambda: {machine: got.speed(machine, DIVERGENT) for machine in (NARROW, STAYING)})
    study.at_most("vws.fig6.6.ws4-vs-ws32-div-max", lambda: got.speed(NARROW, DIVERGENT))
    study.at_least("vws.fig6.6.ivws-no-loss-con", lambda: got.gain(STAYING, BASE, CONVERGENT))
    study.at_least("vws.fig6.6.ivws-no-loss-wsi", lambda: got.gain(STAYING, BASE, INSENSITIVE))
    study.value("vws.fig6.6.ws4-vs-ws32-con", lambda: got.gain(NARROW, BASE, CONVERGENT))
    study.value("vws.fig6.6.ivws-vs-ws4-con", lambda: got.gain(STAYING, NARROW, CONVERGENT))
    study.judged("vws.fig6.6.best-overall", lambda: {machine: got.speed(machine, SHOWN) for machine in GANGING},
                 lambda speeds: max(speeds, key=speeds.get) == STAYING,
                 "harmonic mean over the three classes: I-VWS first")
    study.order("vws.fig6.6.evws-below-ivws-div", lambda: {machine: got.speed(machine, DIVERGENT) for machine in (STAYING, ELASTIC)})
    study.value("vws.fig6.6.evws-equals-ivws-con", lambda: got.gain(ELASTIC, STAYING, CONVERGENT))
    study.value("vws.fig6.6.evws-equals-ivws-wsi", lambda: got.gain(ELASTIC, STAYING, INSENSITIVE))
    how = "members all ready or all waiting merge (O22); any: E-VWS-ImpatientMem, any ready"
    study.value("vws.fig6.6.impatient-vs-ivws-div", lambda: got.gain(IMPATIENT, STAYING, DIVERGENT), how)
    study.value("vws.fig6.6.impatient-vs-ws32-div", lambda: got.speed(IMPATIENT, DIVERGENT), how)
    study.value("vws.fig6.6.impatient-con", lambda: got.gain(IMPATIENT, BASE, CONVERGENT), how)
    for name in ("Game 1", "Game 2", "Radix Sort"):
        study.order(f"vws.fig6.6.impatient-hurts-{name_of(name)}", lambda name=name: {machine: got.ratio(machine, name) for machine in (STAYING, IMPATIENT)})
    for name in ("Lighting", "ObjClassifier", "Raytracing"):
        study.order(f"vws.fig6.6.impatient-helps-{name_of(name)}", lambda name=name: {machine: got.ratio(machine, name) for machine in (STAYING, IMPATIENT)})
    study.order("vws.fig6.6.order-div", lambda: {machine: got.speed(machine, DIVERGENT) for machine in (BASE, *GANGING)})
    study.order("vws.fig6.6.order-con", lambda: {machine: got.speed(machine, CONVERGENT) for machine in (BASE, NARROW, IMPATIENT)})
    study.judged("vws.fig6.7.ivws-follows-ws4-div", lambda: followers(got), lambda parts: min(parts) >= 0.5,
                 f"gain of I-VWS, part of that of WS4, of each program that gains more than {FEW} % with WS4 (least first): at least half")
    study.judged("vws.fig6.7.ivws-removes-loss-con", lambda: sorted(got.ratio(STAYING, name) for name in everything(got) if got.ratio(NARROW, name) < 1 - FEW / 100),
                 lambda kept: min(kept) >= 1 - FEW / 100, f"IPC of I-VWS over WS32 where WS4 loses more than {FEW} % (least first): no such loss")
    both = lambda: [got.ratio(machine, name) for name in everything(got) for machine in (NARROW, STAYING)]  # noqa: E731
    study.at_most("vws.fig6.7.axis-high", lambda: max(both()))
    study.at_least("vws.fig6.7.axis-low", lambda: min(both()))
    study.judged("vws.sec6.6.eight-wide-keeps-most", lambda: got.gain("I-VWS, 8-wide", BASE, DIVERGENT) / got.gain(STAYING, BASE, DIVERGENT),
                 lambda part: part > 0.5,
                 "part of the gain of 4-wide warps: more than half")
    study.not_built("vws.sec6.2.four-is-enough", "warps of two threads: a gang's mask has eight bits")
    study.judged("vws.sec6.2.area-below-four", lambda: [figures.added_area(slices) for slices in (4, 8, 16)],
                 lambda areas: areas[2] - areas[1] > areas[1] - areas[0],
                 "mm2 added with 4, 8 and 16 slices, by the area model: the last step is the largest")
    study.not_built("vws.sec6.2.2.migration-no-gain", "warps never change their original gang")


def followers(got):
    return sorted((got.ratio(STAYING, name) - 1) / (got.ratio(NARROW, name) - 1) for name in everything(got) if got.ratio(NARROW, name) > 1 + FEW / 100)


def front_end(study, got):
    for kind in ("convergent", "warp_size_insensitive"):
        study.judged(f"vws.fig6.4.near-linear-{kind}", lambda kind=kind: got.over(STATIC, "fetches", OF_CLASS[kind]),
                     lambda values: all(after > 1.6 * before for before, after in zip(values, values[1:])),
                         "fetches per cycle with warps of 32, 16, 8, 4: each step by more than 1.6")
        study.value(f"vws.fig6.8.ivws-equals-ws32-{kind}", lambda kind=kind: got.fetches(STAYING, OF_CLASS[kind]) / got.fetches(BASE, OF_CLASS[kind]))
        study.value(f"vws.fig6.8.evws-equals-ws32-{kind}", lambda kind=kind: got.fetches(ELASTIC, OF_CLASS[kind]) / got.fetches(BASE, OF_CLASS[kind]))
    study.judged("vws.fig6.4.rise-div", lambda: got.over(STATIC, "fetches", DIVERGENT), lambda values: up(values, SMALL), f"fetches per cycle {OVER_SIZES}")
    per_thread = lambda machine: mean(fetches_per_thread(got, machine, name) for name in (*CONVERGENT, *INSENSITIVE))  # noqa: E731
    study.judged("vws.sec6.1.2.frontend-energy", lambda: per_thread(NARROW) / per_thread(BASE), lambda value: value > 1,
                 "fetches for each thread-instruction, WS4 over WS32: more")
    study.judged("vws.sec6.0.widest-least-energy", lambda: [per_thread(machine) for machine in STATIC], lambda values: min(values) == values[0],
                 "fetches for each thread-instruction: least with WS32")
    study.value("vws.fig6.8.ivws-vs-ws4-div", lambda: got.fetch_gain(STAYING, NARROW, DIVERGENT))
    study.value("vws.fig6.8.evws-vs-ivws-div", lambda: got.fetch_gain(ELASTIC, STAYING, DIVERGENT))
    study.value("vws.fig6.8.evws-vs-ws4-div", lambda: got.fetches(ELASTIC, DIVERGENT) / got.fetches(NARROW, DIVERGENT))
    fewest = lambda *machines: {machine: -got.fetches(machine, DIVERGENT) for machine in machines}  # noqa: E731
    study.order("vws.fig6.8.impatient-above-evws-div", lambda: fewest(ELASTIC, IMPATIENT), "fewest first")
    study.at_most("vws.fig6.8.impatient-vs-ivws-div", lambda: got.fetches(IMPATIENT, DIVERGENT) / got.fetches(STAYING, DIVERGENT))
    study.order("vws.fig6.8.order-div", lambda: fewest(*GANGING, NARROW), "fewest first")
    study.judged("vws.fig6.8.impatient-rise-con", lambda: got.fetches(IMPATIENT, CONVERGENT) / got.fetches(BASE, CONVERGENT), lambda value: value > 1.2,
                 "fetches per cycle over WS32: more than 1.2")
    for machine, lanes in zip(STATIC, (32, 16, 8, 4)):
        study.at_most(f"vws.fig6.4.ws{lanes}-fetch-bound", lambda machine=machine: max(got.of(machine, name).fetches for name in SHOWN))
    study.value("vws.fig6.9.two-ports-l0-256-div", lambda: 100 * got.speed(fetch_name(2, 256), DIVERGENT) / got.speed(STAYING, DIVERGENT))
    study.value("vws.fig6.9.two-ports-l0-256-vs-ws32-div", lambda: got.speed(fetch_name(2, 256), DIVERGENT))
    study.judged("vws.fig6.9.no-l0-loss-div", lambda: [got.speed(fetch_name(ports, 0), DIVERGENT) / got.speed(STAYING, DIVERGENT) for ports in (2, 4)],
                 lambda found: found[0] < 0.9 and found[1] < 1 - SMALL / 100,
                 "IPC with 2 and with 4 fetches a cycle over that with 8: below 0.9, and below 0.98")
    kept = lambda kind: [got.speed(machine, OF_CLASS[kind]) / got.speed(STAYING, OF_CLASS[kind]) for machine in got.fetching]  # noqa: E731
    for kind in ("convergent", "warp_size_insensitive"):
        study.value(f"vws.fig6.9.insensitive-{kind}", lambda kind=kind: min(kept(kind), key=lambda value: -abs(value - 1)), "the one furthest from 1")
    study.at_least("vws.fig6.9.axis-low", lambda: min(min(kept(kind)) for kind in OF_CLASS))
    study.at_most("vws.fig6.9.axis-high", lambda: max(max(kept(kind)) for kind in OF_CLASS))


def fetches_per_thread(got, machine, name):
    run = got.of(machine, name)
    return run.counted("issue.fetch_requests") / run.thread_instructions


def schedulers(study, got):
    study.judged("vws.fig6.10.div-sensitive", lambda: spread([got.speed(machine, DIVERGENT) for machine in (STAYING, *SCHEDULED)]), lambda value: value > FEW,
                 f"best over worst mean IPC, percent: more than {FEW}")
    for name in SHOWN:
        study.order(f"vws.fig6.10.lpc-below-bgto-{name_of(name)}", lambda name=name: {machine: got.ratio(machine, name) for machine in (STAYING, "I-VWS-LPC")})
    study.order("vws.fig6.10.lgto-below-bgto-div", lambda: {machine: got.speed(machine, DIVERGENT) for machine in (STAYING, "I-VWS-LGTO")})
    study.judged("vws.sec6.4.3.lgto-more-gangs", lambda: [got.speed(machine, DIVERGENT) for machine in ("I-VWS, unlimited", "I-VWS-LGTO, unlimited")],
                 lambda found: found[0] > found[1],
                 "mean IPC with unlimited gangs, BGTO and LGTO: BGTO above")
    for order in ORDERS:
        study.value(f"vws.fig6.11.fetch-same-{order.lower()}", lambda order=order: got.fetches(f"I-VWS-{order}", SHOWN) / got.fetches(STAYING, SHOWN))
    study.judged("vws.sec6.4.3.fetch-differs-with-memory-splits", lambda: [spread([got.fetches(f"I-VWS{split}{order}", SHOWN) for order in ("", *(f"-{each}"
                 for each in ORDERS))]) for split in ("", "-ImpatientMem")],
                 lambda found: found[1] > found[0], "most over fewest fetches per cycle of the five schedulers, percent, without and with I-VWS-ImpatientMem's splits: more")
    study.judged("vws.sec6.4.3.lgto-crowding", lambda: got.over([STAYING, "I-VWS-LGTO"], "lanes", DIVERGENT), lambda lanes: lanes[1] < lanes[0],
                 "mean active lanes with BGTO and LGTO: fewer")
    study.value("vws.fig6.12.one-gang-div", lambda: got.gain("I-VWS, 1 gang", STAYING, DIVERGENT))
    study.value("vws.fig6.12.one-gang-vs-ws32-div", lambda: got.speed("I-VWS, 1 gang", DIVERGENT))
    study.at_most("vws.fig6.12.unlimited-div", lambda: abs(got.gain("I-VWS, unlimited", STAYING, DIVERGENT)), "size of the change")
    study.judged("vws.sec6.4.3.idle-slices-filled", lambda: got.over([STAYING, "I-VWS, unlimited"], "lanes", DIVERGENT),
                 lambda lanes: near(lanes, FEW), f"mean active lanes with 2 and with unlimited gangs: at most {FEW} % apart")


def spread(values):
    return 100 * (max(values) / min(values) - 1)


def reforming(study, got):
    for machine in WAITING:
        part = machine.rsplit("-", 1)[1].lower()
        study.order(f"vws.fig6.13.{part}-below-evws-div", lambda machine=machine: {each: got.speed(each, DIVERGENT) for each in (ELASTIC, machine)})
        for kind in ("convergent", "warp_size_insensitive"):
            study.value(f"vws.fig6.13.{part}-flat-{kind}", lambda machine=machine, kind=kind: got.gain(machine, ELASTIC, OF_CLASS[kind]))
    line = [ELASTIC, *WAITING]
    study.judged("vws.fig6.14.sync-fetch-reduction", lambda: got.over(line, "fetches", DIVERGENT), lambda found: down(found, SMALL) and found[-1] > 0.5 * found[0],
                 "fetches per cycle of E-VWS, Sync10, Sync50, Sync100: fall, to not less than half")
    study.judged("vws.sec6.4.4.opportunistic-captures-most", lambda: got.over([STAYING, *line], "fetches", DIVERGENT),
                 lambda found: found[0] - found[1] > found[1] - min(found[2:]),
                 "fetches per cycle of I-VWS, E-VWS, Sync10, Sync50, Sync100: the first step is larger than all others")
    study.judged("vws.sec6.4.4.sync-no-benefit", lambda: [got.speed(machine, SHOWN) for machine in line], lambda found: max(found) == found[0],
                 "mean IPC of all, E-VWS, Sync10, Sync50, Sync100: E-VWS first")
    study.judged("vws.sec6.6.reconvergence-matters-less", lambda: [got.speed(machine, DIVERGENT) for machine in (STAYING, *line)],
                 lambda found: near(found[:2], FEW) and max(found[2:]) <= found[1] * (1 + SMALL / 100),
                 f"mean IPC of I-VWS, E-VWS, Sync10, Sync50, Sync100: the first two at most {FEW} % apart, waiting not above")
    study.judged("vws.sec6.4.1.evws-slice-conflicts", lambda: [mean(1000 * got.of(machine, name).counted("gang_issue.conflicts") / max(1, got.of(machine, name).counted("gang_issue.gangs")) for name in DIVERGENT)
                                                              for machine in (STAYING, ELASTIC)], lambda found: found[1] > found[0],
                                                                  "gangs kept from issue by others for 1,000 gangs issued, I-VWS and E-VWS: more")
    study.judged("vws.sec6.4.1.ungang-no-loss", lambda: got.over([ELASTIC, STAYING], "lanes", DIVERGENT),
                 lambda lanes: lanes[1] > lanes[0] * (1 - FEW / 100), f"mean active lanes, E-VWS and I-VWS: at most {FEW} % fewer")


def memory_splits(study, got):
    study.judged("vws.fig6.15.small-gain-some-div", lambda: {machine: [got.ratio(machine, name, STAYING) for name in DIVERGENT] for machine in SPLITTING},
                 lambda found: any(value > 1 for values in found.values() for value in values),
                     "IPC over I-VWS of the divergent applications: above 1 for one at least")
    for machine in SPLITTING:
        part = machine.rsplit("-", 1)[1].lower()
        study.order(f"vws.fig6.15.{part}-loss-con", lambda machine=machine: {each: got.speed(each, CONVERGENT) for each in (STAYING, machine)})
        study.order(f"vws.fig6.15.{part}-net-loss", lambda machine=machine: {each: got.speed(each, SHOWN) for each in (STAYING, machine)},
                    "harmonic mean over all applications")
        study.value(f"vws.fig6.16.{part}-fetches", lambda machine=machine: got.fetch_gain(machine, STAYING, DIVERGENT), "divergent applications")
    study.order("vws.fig6.15.groupmem-game2", lambda: {machine: got.ratio(machine, "Game 2") for machine in (STAYING, *SPLITTING)})
    study.order("vws.fig6.15.groupmem-radix-sort", lambda: {machine: got.ratio(machine, "Radix Sort") for machine in (STAYING, "I-VWS-GroupMem")})
    study.order("vws.fig6.16.order", lambda: {machine: -got.fetches(machine, DIVERGENT) for machine in (STAYING, *SPLITTING)},
                "divergent applications, fewest first")
    study.value("vws.fig6.16.impatient-over-group", lambda: got.fetches("I-VWS-ImpatientMem", DIVERGENT) / got.fetches("I-VWS-GroupMem", DIVERGENT),
                "divergent applications")
    study.judged("vws.sec6.4.1.impatient-slip", lambda: got.over([STAYING, IMPATIENT], "accesses", CONVERGENT), lambda found: up(found, SMALL),
                 "L1 accesses per 1,000 instructions, I-VWS and E-VWS-ImpatientMem: more")
    study.judged("vws.sec6.4.2.impatient-skew", lambda: [got.fetch_gain(IMPATIENT, STAYING, CONVERGENT), sum(got.of(IMPATIENT, name).counted("ganging.memory_splits") for name in CONVERGENT)], lambda found: min(found) > 0,
                 "more fetches per cycle than I-VWS, percent, and gangs split as their data came in different cycles: both above 0")


def over_time(study, got):
    for name in ("Lighting", "GamePhysics"):
        study.value(f"vws.fig6.17.{name_of(name)}-start-size", lambda name=name: most_common(got.gang_sizes(STAYING, name)[0][1]),
                    "size in which most warps are in the first interval")
    study.judged("vws.fig6.17.lighting-decay", lambda: [mean_size(row) for row in thirds(got, STAYING, "Lighting", size=RESIDENT_PICTURE)],
                 lambda sizes: sizes[0] > sizes[1] > sizes[2] and sizes[2] < 2,
                 "a picture all of whose threads are resident: mean size in the first, middle and last third of the run: falls, to below 2")
    study.judged("vws.fig6.17.gamephysics-rest-lockstep", lambda: 100 * got.of(STAYING, "GamePhysics").in_gangs(4, 8), lambda share: share >= 90,
                 "percent of warps and cycles in gangs of 8 or 4: at least 90")
    study.value("vws.fig6.17.gamephysics-split-size", lambda: most_common(thirds(got, STAYING, "GamePhysics")[1], (1, 2, 3, 4, 5, 6, 7)),
                "commonest size below 8 in the middle of the run")
    study.value("vws.fig6.17.gamephysics-half-exits", lambda: leaving(got),
                "one block: of its warps in gangs of 8 in the first interval, the part that is not in gangs of 4 after three quarters of the run")
    study.judged("vws.sec6.4.6.most-like-lighting", lambda: {name: got.of(STAYING, name).in_gangs(1, 2, 3) for name in DIVERGENT}, lambda found: sum(value > 0.5
                 for value in found.values()) > len(found) / 2,
                 "share of warps and cycles in gangs of fewer than 4, alone included: above half for most applications")
    study.judged("vws.sec6.4.6.evws-split-and-reform", lambda: {name: [got.of(ELASTIC, name).counted(f"ganging.{what}") for what in ("control_splits", "merges")]
                 for name in DIVERGENT},
                 lambda found: all(min(pair) > 0 for pair in found.values()), "splits and merges on E-VWS: both, in each application")
    for name in CONVERGENT:
        study.value(f"vws.sec6.4.6.stay-ganged-{name_of(name)}", lambda name=name: smallest_gang(got.of(STAYING, name)), "smallest gang of the run")


def most_common(row, sizes=range(1, 9)):
    return max(sizes, key=lambda size: row[size - 1])


def mean_size(row):
    return sum(size * count for size, count in zip(range(1, 9), row)) / max(1e-9, sum(row))


def thirds(got, machine, name, size=None):
    rows = [row for _, row in got.gang_sizes(machine, name, size=size) if sum(row) > 0]
    parts = [rows[len(rows) * part // 3:len(rows) * (part + 1) // 3] for part in range(3)]
    return [[sum(column) / len(part) for column in zip(*part)] for part in parts]


def smallest_gang(run):
    return min(size for size in range(1, 9) if run.counted(f"ganging.warps_in_{size}") > 0)


def leaving(got):
    """Part of the warps in gangs of 8 that are not in gangs of 4 later."""
    rows = [row for _, row in got.gang_sizes(STAYING, "GamePhysics", size=4) if sum(row) > 0]
    return round(1 - rows[3 * len(rows) // 4][3] / rows[0][7], 1)


def compaction(study, got):
    average = lambda machine, base=BASE: 100 * (mean(got.ratios(machine, COMPARED)) / mean(got.ratios(base, COMPARED)) - 1)  # noqa: E731
    how = "arithmetic mean, on this study's machine"
    study.value("vws.fig6.18.ivws-vs-32wide", lambda: average(STAYING), how)
    study.value("vws.fig6.18.ivws-vs-tbc", lambda: average(STAYING, "TBC"), how)
    study.value("vws.fig6.18.tbc-vs-32wide", lambda: 1 + average("TBC") / 100, how)
    study.order("vws.fig6.18.order", lambda: {"32-wide": 0, "TBC": average("TBC"), STAYING: average(STAYING)}, how)
    others = [name for name in MORE if name in ("black_scholes", "matmul_tiled", "transpose", "scan", "histogram", "reduction", "hotspot")]
    study.value("vws.sec6.5.1.other-apps", lambda: max((100 * (got.ratio(machine, name) - 1) for name in others for machine in ("TBC", STAYING)), key=abs),
                "largest change from 32-wide of seven programs with few divergent branches, TBC and I-VWS")
    study.at_most("vws.fig6.18.axis", lambda: max(got.ratio(machine, name) for machine in (STAYING, *REFORMING) for name in COMPARED))
    study.judged("vws.sec6.5.1.gain-reason", lambda: [mean(instructions_a_cycle(got.of(machine, name)) for name in COMPARED) for machine in ("TBC", STAYING)],
                 lambda found: found[1] > found[0],
                 "gangs and single warps, or warps, that issue in a cycle with TBC and I-VWS: more")


def instructions_a_cycle(run):
    ganged = run.counted("gang_issue.gangs")
    alone = sum(run.counted(f"slice{slice_number}.issued") for slice_number in range(8))
    return (ganged + alone or run.counted("issue.warp_instructions")) / run.all_cycles


def axes(study, got):
    speeds = {"fig6.6": (NARROW, *GANGING), "fig6.10": (NARROW, STAYING, *SCHEDULED), "fig6.12": (NARROW, STAYING, "I-VWS, 1 gang", "I-VWS, unlimited"),
        "fig6.13": (NARROW, ELASTIC, *WAITING),
              "fig6.15": (NARROW, STAYING, *SPLITTING), "fig6.2": STATIC}
    rates = {"fig6.4": STATIC, "fig6.8": (BASE, NARROW, *GANGING), "fig6.11": (BASE, NARROW, STAYING, *SCHEDULED), "fig6.14": (BASE, NARROW, ELASTIC, *WAITING),
        "fig6.16": (NARROW, STAYING, *SPLITTING)}
    for figure, machines in speeds.items():
        study.at_most(f"vws.{figure}.axis", lambda machines=machines: max(got.ratio(machine, name) for machine in machines for name in SHOWN))
    for figure, machines in rates.items():
        study.at_most(f"vws.{figure}.axis", lambda machines=machines: max(got.of(machine, name).fetches for machine in machines for name in SHOWN))
    study.at_most("vws.fig6.1a.axis", lambda: max(got.ratio(NARROW, name) for name in everything(got)))
    study.at_most("vws.fig6.1b.axis", lambda: max(got.speed(machine, members) for machine in STATIC for members in OF_CLASS.values()))
    study.at_most("vws.fig6.2-lanes.axis", lambda: max(got.of(machine, name).lanes for machine in STATIC for name in SHOWN))
    study.at_most("vws.fig6.3.axis", lambda: max(got.of(machine, name).accesses for machine in STATIC for name in SHOWN))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="programs at smaller sizes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    add_output(parser, "variable-warp-size")
    options = parser.parse_args()
    output = output_folder(options, "variable-warp-size")
    known = {target_id: target for target_id, target in targets("variable-warp-size", "vws.").items()
             if (target["kind"] not in ("structural", "cost") or target_id.startswith(ON_APPLICATIONS)) and not target_id.startswith(tuple(QUOTED))}
    study = Study(known)
    if not options.no_build:
        build("heddle_program", "workloads", "study_programs")
    got = Results(options.quick, options.jobs)
    got.start([machine for machine in MACHINES if machine not in REFORMING and (machine not in FETCHING or machine in got.fetching)], SHOWN)
    got.start([BASE, STAYING, *REFORMING], COMPARED)
    got.start([BASE, NARROW, STAYING], got.every)
    for part in (classes, caches, headline, front_end, schedulers, reforming, memory_splits, over_time, compaction, axes):
        study.part(part, study, got)
    status = study.finish(output)
    figures.write(got, output, everything(got))
    return status


if __name__ == "__main__":
    sys.exit(main())
