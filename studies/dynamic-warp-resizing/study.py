# SPDX-License-Identifier: Apache-2.0
"""Dynamic warp resizing on stand-ins for the benchmarks of its source.

usage: study.py [--quick] [--jobs N] [--no-build] [--output FOLDER]

--quick: programs at smaller sizes. Targets of kind `structural` and `cost` are unit tests (tests/unit/studies/), except those on
programs; the others are measured here. Runs are cached in out/studies/cache.
Source: docs/sources/dynamic-warp-resizing.md, 5 to 7.
"""
import argparse
import functools
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from machines import BASE, BEST, BUSY, FIXED, MACHINES, RESIZED, VARIANTS, WIDTHS, Results, mean, of_width, suffixed  # noqa: E402
from programs import ALL, KERNELS, PROGRAMS, SENSITIVE, SHOWN  # noqa: E402
from study import BUILD, HEDDLE, RunFailed, Runs, Study, add_output, build, on_machine, output_folder, output_of, targets  # noqa: E402
import figures  # noqa: E402

FLAT = 5  # percent: a smaller change of a mean or of one program's IPC counts as none
SMALL = 2  # percent: the same where the source says that values rise or fall
LARGE_FIXED = FIXED[2:]
# Targets that no run can show, by the beginning of their names.
QUOTED = {
    "dwr.cited.": "results of other works, quoted",
    "dwr.tab1.instructions.": "inputs are smaller than the source's; programs.md has both",
    "dwr.tab1.lat-total.": "another compiler's code; programs.md has both",
    "dwr.sec7.frontend-power": "no power is modelled",
}
ON_PROGRAMS = ("dwr.sec4a.non-lat-narrow", "dwr.sec6c.NNC-all-ignored")
NO_DIVERGENCE = ("MTM", "FWAL")


def rises(values, percent=SMALL):
    return values[-1] > values[0] * (1 + percent / 100)


def grouped(study, target, measure, how=""):
    """An ordering whose groups have no order among themselves: each value is above all those behind its group."""
    def holds(values):
        rest = [group if isinstance(group, list) else [group] for group in study.targets[target]["source"]]
        return all(min(values[name] for name in group) > max(values[name] for later in rest[i + 1:] for name in later)
                   for i, group in enumerate(rest[:-1]))
    study.judged(target, measure, holds, how or "each above all of the later groups")


def speeds(got, machines, name):
    return {machine: got.ratio(machine, name) for machine in machines}


def widths(study, got):
    for width in WIDTHS:
        machines = of_width("fixed", width)
        plain = {machine.split(",")[0]: machine for machine in machines}
        study.judged(f"dwr.fig1.best-1x-2x.simd{width}", lambda plain=plain: {name: got.speed(machine) for name, machine in plain.items()},
                     lambda found: max(found, key=found.get) in list(found)[:2], "arithmetic means of IPC over fixed-16 on 8 lanes: the best is one of the first two")
        study.judged(f"dwr.fig1.beyond-2x.simd{width}", lambda machines=machines: [got.speed(machine) for machine in machines],
                     lambda values: max(values[2:]) < values[1] and values[3] < values[1] * (1 - SMALL / 100),
                     f"mean IPC with 1X, 2X, 4X, 8X: both of the last below 2X, 8X by more than {SMALL} %")
    study.at_most("dwr.sec3.activity-factor", lambda: 100 * spread([mean(got.of(machine, name).activity for name in ALL) for machine in FIXED]),
                  "most over least mean share of active threads")


def spread(values):
    return max(values) / min(values) - 1


def fixed_machines(study, got):
    study.judged("dwr.fig2a.coalescing-rises", lambda: {name: [got.coalescing(machine, name) for machine in FIXED] for name in SHOWN},
                 lambda found: all(after >= before * (1 - SMALL / 100) for values in found.values() for before, after in zip(values, values[1:]))
                 and any(rises(values) for values in found.values()), "never falls, and rises for some")
    study.judged("dwr.fig2a.coalescing-saturates", lambda: {name: [got.coalescing(machine, name) for machine in FIXED] for name in SHOWN},
                 lambda found: sum(values[3] - values[2] <= 0.5 * max(values[2] - values[0], 0.05 * values[0]) for values in found.values()) * 2 > len(found),
                 "from 32 to 64 threads less than half of what was gained from 8 to 32, for most")
    study.judged("dwr.fig2b.idle.MU", lambda: [got.of(machine, "MU").idle for machine in FIXED], lambda values: values[0] < values[3],
                 "idle share of fixed-8 below that of fixed-64")
    study.judged("dwr.fig2b.idle.BKP", lambda: [got.of(machine, "BKP").idle for machine in FIXED], lambda values: values[0] > values[3],
                 "idle share of fixed-8 above that of fixed-64")
    study.judged("dwr.fig2b.idle-duration.BKP", lambda: [idle_period(got, machine, "BKP") for machine in ("fixed-8", "fixed-64")],
                 lambda values: values[0] > values[1], "mean length of a run of idle cycles of SM 0, fixed-8 and fixed-64: longer")
    study.judged("dwr.fig2c.matters", lambda: {name: list(speeds(got, FIXED, name).values()) for name in SHOWN},
                 lambda found: any(rises(values, FLAT) for values in found.values()) and any(rises(values[::-1], FLAT) for values in found.values()),
                 f"IPC over fixed-16 rises with warp size by more than {FLAT} % for one and falls for another")
    for name in ("BKP", "MU"):
        study.order(f"dwr.fig2c.{name}", lambda name=name: speeds(got, FIXED, name))
    grouped(study, "dwr.fig2c.HSPT", lambda: speeds(got, FIXED, "HSPT"))
    for target, name in (("dwr.fig2c.CP", "CP"), ("dwr.sec7.DYN-insensitive", "DYN")):
        study.judged(target, lambda name=name: list(speeds(got, FIXED, name).values()), lambda values: 100 * spread(values) <= FLAT,
                     f"most over least IPC of the fixed machines: at most {FLAT} %")
    study.judged("dwr.sec7.fixed8-worst-many", lambda: [name for name in ALL if worst(got, name) == "fixed-8"], lambda found: len(found) >= 3,
                 "programs for which it is: three or more")
    grouped(study, "dwr.sec7.fixed8-worst.BKP", lambda: speeds(got, FIXED + RESIZED, "BKP"))
    study.judged("dwr.sec7.fixed8-low-coalescing.BKP", lambda: {machine: got.coalescing(machine, "BKP") for machine in FIXED + RESIZED},
                 lambda found: found["fixed-8"] < 0.8 * min(rate for machine, rate in found.items() if machine != "fixed-8"), "below four fifths of every other")
    for name in ("BFS", "MU", "NQU"):
        study.judged(f"dwr.sec7.fixed8-good.{name}", lambda name=name: list(speeds(got, FIXED, name).values()),
                     lambda values: sorted(values, reverse=True).index(values[0]) < 2, "among the two fastest fixed machines")
    study.order("dwr.sec5.block128", lambda: {"64-byte block and transaction": got.speed(BEST) + got.speed("fixed-32"),
                "128-byte block and transaction": got.speed(suffixed(BEST, "128-byte lines")) + got.speed("fixed-32, 128-byte lines")},
                "mean IPC of DWR-64 and fixed-32, the L1 as large")


def worst(got, name):
    values = speeds(got, FIXED + RESIZED, name)
    return min(values, key=values.get)


@functools.lru_cache(maxsize=None)
def idle_period(got, machine, name):
    """Mean length of a run of idle cycles of SM 0."""
    preset, settings = MACHINES[machine]
    program = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as folder:
        output_of([str(HEDDLE), "run", "--quiet", *on_machine(preset, [*settings, *program.machine(got.quick)]), "--output", folder, "--series", "sm0.issue.slots.*", "--series-every", "1",
                   str(BUILD / program.program), *program.of(got.quick)], f"idle cycles of {name} on {machine}")
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            series = json.load(file)["time_series"]
    places = [i for i, column in enumerate(series["columns"]) if column.rsplit(".", 1)[-1] in BUSY]
    idle = [not any(row[place] for place in places) for row in series["rows"]]
    runs = sum(now and not before for before, now in zip([False, *idle], idle))
    return sum(idle) / max(1, runs)


def coalescing(study, got):
    study.value("dwr.fig4a.DWR-64-vs-fixed-64", lambda: 100 * got.rate(BEST) / got.rate("fixed-64"), "arithmetic means of the rate")
    study.value("dwr.fig4a.DWR-64-vs-fixed-8", lambda: 100 * (got.rate(BEST) / got.rate("fixed-8") - 1), "arithmetic means of the rate")
    study.value("dwr.fig4a.fixed-64-vs-fixed-8", lambda: 100 * (got.rate("fixed-64") / got.rate("fixed-8") - 1), "arithmetic means of the rate")
    study.order("dwr.fig4a.order-mean", lambda: {machine: got.rate(machine) for machine in ("fixed-64", BEST, "fixed-8")})
    study.judged("dwr.fig4a.fixed-64-highest", lambda: [name for name in ALL if highest(got, name)], lambda names: 2 * len(names) > len(ALL),
                 f"programs for which none is higher by more than {SMALL} %: most")
    for name in ("BKP", "DYN", "GAS", "MTM"):
        study.judged(f"dwr.fig4a.far-above-fixed-8.{name}", lambda name=name: [got.coalescing(machine, name) for machine in ("fixed-8", *RESIZED)],
                     lambda rates: min(rates[1:]) > 1.2 * rates[0], "fixed-8, DWR-16, DWR-32, DWR-64: all above 1.2 of the first")
    for name in NO_DIVERGENCE:
        for size in (16, 32, 64):
            study.judged(f"dwr.fig4a.DWR-{size}-like-fixed-{size}.{name}",
                         lambda name=name, size=size: got.coalescing(f"DWR-{size}", name) / got.coalescing(f"fixed-{size}", name),
                         lambda ratio: abs(ratio - 1) <= 0.15, "rate over that of the fixed machine: within 15 %")
    for size in (16, 32, 64):
        study.judged(f"dwr.sec6a.no-nblat-identity.{size}", lambda size=size: [got.of(f"{kind}-{size}", "stream").requests for kind in ("DWR", "fixed")],
                     lambda found: found[0] == found[1], "off-chip requests of kernel `stream`: the same")
    study.judged("dwr.sec6a.ilt-hit-identity", lambda: [got.of(machine, "NNC").requests for machine in (BEST, "fixed-8")],
                 lambda found: abs(found[0] / found[1] - 1) <= 0.15, "off-chip requests of NNC, all of whose accesses are ignored soon: within 15 %")
    study.judged("dwr.fig4a.MU-loses-coalescing", lambda: [got.coalescing(machine, "MU") for machine in ("fixed-64", BEST)],
                 lambda rates: rates[1] < 0.9 * rates[0], "fixed-64 and DWR-64: less than nine tenths")
    study.judged("dwr.sec6a.MU-no-performance-loss", lambda: [got.ratio(machine, "MU") for machine in (BEST, *LARGE_FIXED)],
                 lambda found: found[0] >= max(found[1:]) * (1 - SMALL / 100), "IPC of DWR-64, fixed-32, fixed-64: not below")
    study.judged("dwr.sec6a.MU-idle", lambda: [got.of(machine, "MU").idle for machine in (BEST, "DWR-64, no list")],
                 lambda found: found[0] < found[1] * (1 - FLAT / 100), f"idle share with and without the list: lower by more than {FLAT} %")
    study.judged("dwr.sec6a.MU-ignored-share", lambda: got.of(BEST, "MU").ignored_share, lambda share: share >= 0.25,
                 "of the barriers that sub-warps come to: at least a quarter")
    study.judged("dwr.sec4a.larger-N-coalescing", lambda: [got.rate(machine) for machine in RESIZED],
                 lambda rates: rates[0] < rates[1] < rates[2], "mean rate with 2, 4, 8 sub-warps: rises")
    study.judged("dwr.sec4a.larger-N-sync", lambda: [mean(got.of(machine, name).wait_an_access for name in ALL) for machine in RESIZED],
                 lambda waits: waits[0] < waits[1] < waits[2], "mean cycles at barriers for each access with 2, 4, 8 sub-warps: rise")
    study.value("dwr.sec4a.non-lat-narrow", lambda: sum(other_large_warps(got, machine, name) for machine in RESIZED for name in ALL),
                "instructions issued by several sub-warps that are no loads or stores of the class")


def highest(got, name):
    rates = {machine: got.coalescing(machine, name) for machine in FIXED + RESIZED}
    return rates["fixed-64"] >= max(rates.values()) * (1 - SMALL / 100)


def other_large_warps(got, machine, name):
    """Sub-warps that followed another in a large warp, without those of loads and stores."""
    run = got.of(machine, name)
    return run.counted("issue.slots.combined") - sum((size - 1) * run.counted(f"partner_issue.warps_of_{size}") for size in range(2, 9))


def idle_cycles(study, got):
    for machine in FIXED:
        study.value(f"dwr.fig4b.idle-vs-{machine}", lambda machine=machine: 100 * (got.idle(BEST) / got.idle(machine) - 1), "of the mean shares")
    grouped(study, "dwr.fig4b.lowest-mean", lambda: {machine: -got.idle(machine) for machine in FIXED + RESIZED}, "mean idle shares, least first")
    study.order("dwr.fig4b.order-derived", lambda: {machine: -got.idle(machine) for machine in (*FIXED, BEST)}, "mean idle shares, least first")
    for machine in ("fixed-8", "fixed-32", "fixed-64"):
        study.value(f"dwr.fig4b.{machine}-vs-fixed-16", lambda machine=machine: 100 * (got.idle(machine) / got.idle("fixed-16") - 1), "of the mean shares")
    study.judged("dwr.sec6b.MTM-idle", lambda: [got.of(BEST, "MTM").idle / min(got.of(machine, "MTM").idle for machine in FIXED), got.idle(BEST) / min(got.idle(machine) for machine in FIXED)],
                 lambda found: found[0] > found[1], "idle share over the least of the fixed machines, of MTM and of all: less reduction")


def performance(study, got):
    how = "arithmetic means of IPC over fixed-16; programs.md has harmonic ones"
    for machine in FIXED:
        study.value(f"dwr.fig4c.mean-gain-vs-{machine}", lambda machine=machine: got.gain(BEST, machine), how)
        study.value(f"dwr.sec9.max-vs-{machine}", lambda machine=machine: max(got.best(RESIZED, name) / got.ratio(machine, name) for name in ALL),
                    "best of DWR-16, DWR-32, DWR-64")
    study.judged("dwr.fig4c.order-derived", lambda: {machine: got.speed(machine) for machine in (*FIXED, BEST)},
                 lambda found: found[BEST] > max(found["fixed-8"], found["fixed-16"]) and min(found["fixed-8"], found["fixed-16"]) > found["fixed-32"] > found["fixed-64"], how)
    for machine in ("fixed-8", "fixed-32", "fixed-64"):
        study.value(f"dwr.fig4c.{machine}-vs-fixed-16", lambda machine=machine: got.gain(machine, "fixed-16"), how)
    study.judged("dwr.fig4c.close-to-best-fixed", lambda: {name: got.ratio(BEST, name) / got.best(FIXED, name) for name in ALL},
                 lambda found: 2 * sum(value >= 0.9 for value in found.values()) > len(found), "IPC over the best fixed machine's: at least 0.9 for most")
    study.judged("dwr.sec6c.beaten-somewhere", lambda: [name for name in ALL if got.best(FIXED, name) > got.best(RESIZED, name) * (1 + SMALL / 100)],
                 lambda found: len(found) > 0, f"programs for which the best fixed machine is faster by more than {SMALL} %: some")
    study.judged("dwr.sec6c.NNC-beaten", lambda: [got.best(machines, "NNC") for machines in (FIXED, RESIZED)], lambda found: found[0] > found[1],
                 "IPC of the best fixed and of the best resizing machine")
    study.judged("dwr.sec6c.NNC-like-fixed-8", lambda: 100 * (got.ratio(BEST, "NNC", "fixed-8") - 1), lambda gain: abs(gain) <= 5, "gain over fixed-8, percent: within 5")
    study.judged("dwr.sec6c.NNC-coalescing-like-fixed-8", lambda: got.coalescing(BEST, "NNC") / got.coalescing("fixed-8", "NNC"),
                 lambda ratio: abs(ratio - 1) <= 0.15, "rate over that of fixed-8: within 15 %")
    grouped(study, "dwr.sec6d.NNC-large-warps", lambda: speeds(got, FIXED, "NNC"))
    study.value("dwr.sec6c.NNC-all-ignored", lambda: 100 * got.of("DWR-64, unlimited list", "NNC").counted("ignore_list.most_entries") / got.accesses("NNC").lats,
                "entries of an unlimited list for 100 accesses in the code")
    gain = lambda name: 100 * (got.ratio(BEST, name) / got.best(FIXED, name) - 1)  # noqa: E731
    everyone = lambda: sorted(gain(name) for name in ALL)  # noqa: E731
    study.judged("dwr.sec6d.rep.NNC", lambda: gain("NNC"), lambda value: value <= everyone()[len(ALL) // 3], "gain over the best fixed machine, percent: in the lowest third of all")
    study.judged("dwr.sec6d.rep.MP", lambda: gain("MP"), lambda value: everyone()[len(ALL) // 4] <= value <= everyone()[-1 - len(ALL) // 4],
                 "gain over the best fixed machine, percent: in the middle half of all")
    study.judged("dwr.sec6d.rep.MU", lambda: gain("MU"), lambda value: value >= everyone()[-len(ALL) // 3], "gain over the best fixed machine, percent: in the highest third of all")
    study.order("dwr.sec6d.order.representatives", lambda: {name: gain(name) for name in SENSITIVE})


def ignored(study, got):
    for name in ("BFS", "MU", "MP", "NQU"):
        study.judged(f"dwr.sec4c.nblat-frequent.{name}", lambda name=name: got.of(BEST, name).ignored_share, lambda share: share >= 0.1,
                     "barriers in the ignore list, of all that sub-warps come to: at least a tenth")
    study.judged("dwr.sec4c.nblat-cost", lambda: [mean(got.of(machine, name).wait_an_access for name in ("BFS", "MU", "MP", "NQU")) for machine in ("DWR-64, no list", BEST)],
                 lambda found: found[0] > found[1] * (1 + FLAT / 100), "mean cycles at barriers for each access of the four programs without and with the list: more")
    study.judged("dwr.sec4a.dynamic-learning", lambda: [mean(got.of(machine, name).combined_share for name in ALL) for machine in ("DWR-64, learning", BEST)],
                 lambda found: found[0] < found[1], "share of accesses that are combined, learning and static: fewer")
    study.judged("dwr.sec5.MP-memory-bound", lambda: [got.of(machine, "MP").idle for machine in FIXED + RESIZED], lambda shares: min(shares) >= 0.4,
                 "idle share on each machine: at least 0.4")
    entries = lambda name: got.of("DWR-64, unlimited list", name).counted("ignore_list.most_entries")  # noqa: E731
    for name in ALL:
        study.value(f"dwr.tab1.lat-ignored.{name}", lambda name=name: entries(name), "entries of an unlimited list, the most of any SM")
    study.judged("dwr.tab1.ignored-order", lambda: sorted(ALL, key=lambda name: -entries(name)), lambda names: names == study.targets["dwr.tab1.ignored-order"]["source"],
                 "by entries of an unlimited list")
    study.value("dwr.sec4e.ilt-empty-11", lambda: sum(entries(name) == 0 for name in ALL), "programs without an entry in an unlimited list")
    study.value("dwr.sec4e.ilt-max", lambda: max(entries(name) for name in ALL), "entries of an unlimited list")


def sensitivity(study, got):
    study.value("dwr.fig5.gap.base", got.gap)
    for size in (192, 12):
        study.value(f"dwr.fig5a.gap.{size}KB", lambda size=size: got.gap(f"{size} KB"))
        study.value(f"dwr.fig5a.gap-change.{size}KB", lambda size=size: got.gap(f"{size} KB") - got.gap())
    for width in (16, 32):
        study.value(f"dwr.fig5b.gap.simd{width}", lambda width=width: got.gap(width=width))
        study.value(f"dwr.fig5b.gap-change.simd{width}", lambda width=width: got.gap(width=width) - got.gap())
    study.order("dwr.fig5a.gap-order", lambda: {"192 KB": got.gap("192 KB"), "48 KB": got.gap(), "12 KB": got.gap("12 KB")})
    study.order("dwr.fig5b.gap-order", lambda: {f"{width}-wide": got.gap(width=width) for width in WIDTHS})
    large = lambda suffix: got.speed(suffixed("fixed-64", suffix), SENSITIVE) / got.speed(suffixed("fixed-8", suffix), SENSITIVE)  # noqa: E731
    study.judged("dwr.fig5a.large-warps-small-cache", lambda: [large(suffix) for suffix in ("192 KB", "", "12 KB")],
                 lambda values: values[0] < values[1] < values[2], "IPC of fixed-64 over fixed-8 with 192, 48, 12 KB: rises")
    study.judged("dwr.fig5a.MU-12KB", lambda: [got.ratio("fixed-8", "MU", f"fixed-{size}") for size in (32, 64)] + [got.ratio("fixed-8, 12 KB", "MU", f"fixed-{size}, 12 KB") for size in (32, 64)],
                 lambda values: values[2] <= values[0] and values[3] <= values[1] and min(values[2:]) <= 1 + SMALL / 100,
                 "IPC of fixed-8 over fixed-32 and fixed-64 with 48 KB, and with 12 KB: less, and no advantage over both")
    mu = lambda suffix="": got.gap(suffix, ["MU"])  # noqa: E731
    study.judged("dwr.sec6d.small-cache-branch", lambda: [mu("12 KB"), mu()], lambda found: found[0] < found[1], "gap of MU with 12 and 48 KB: smaller")
    study.judged("dwr.sec6d.small-cache-memdiv", lambda: [mean(hit_share(got, suffixed("fixed-64", suffix), name) for name in SENSITIVE) for suffix in ("12 KB", "")],
                 lambda found: found[0] < found[1], "share of loads that hit on fixed-64 with 12 and 48 KB: fewer")
    for name in ("NNC", "MP"):
        study.judged(f"dwr.fig5b.no-gain-wide.{name}", lambda name=name: [max(got.ratio(machine, name) for kind in ("fixed", "DWR") for machine in of_width(kind, width)) for width in WIDTHS],
                     lambda values: max(values[1:]) <= values[0] * (1 + FLAT / 100), f"best IPC with 8, 16, 32 lanes: not above by more than {FLAT} %")
    study.judged("dwr.sec6d.wide-simd-memory", lambda: [got.gap(width=width) for width in WIDTHS] + [mean(got.of(of_width("DWR", width)[-1], name).idle for name in SENSITIVE) for width in WIDTHS],
                 lambda found: found[0] > found[2] and found[5] > found[3], "gaps and idle shares with 8, 16, 32 lanes: gap falls, idle share rises")
    study.judged("dwr.sec7.wide-simd-sync", lambda: [share_of_waits(got, of_width("DWR", width)[-1]) for width in WIDTHS],
                 lambda found: found[2] > found[0], "cycles in which all warps wait and one for its partners, share with 8, 16, 32 lanes: rises")
    for entries in (16, 8):
        study.value(f"dwr.fig5c.ilt-{entries}", lambda entries=entries: 100 * got.speed(f"DWR-64, list of {entries}", SENSITIVE) / got.speed(BEST, SENSITIVE), "DWR-64")
    study.judged("dwr.fig5c.ilt-flat", lambda: [100 * got.speed(f"DWR-64, list of {entries}", SENSITIVE) / got.speed(BEST, SENSITIVE) for entries in (16, 8)],
                 lambda found: all(abs(value - 100) <= FLAT for value in found), f"IPC with lists of 16 and of 8 entries, percent: within {FLAT}")


def hit_share(got, machine, name):
    run = got.of(machine, name)
    hits = run.counted("l1d.read_hits")
    return hits / max(1, hits + run.counted("l1d.read_misses") + run.counted("l1d.read_merges"))


def share_of_waits(got, machine):
    return mean(got.of(machine, name).counted("issue.slots.partner_wait") / got.of(machine, name).counted("issue.slots.cycles") for name in SENSITIVE)


def claims(study, got):
    study.judged("dwr.sec7.scales", lambda: [got.gap(), got.gap("2048 threads")], lambda found: found[1] >= found[0] - SMALL,
                 "gap with 1024 and 2048 threads per SM: not smaller")
    study.judged("dwr.sec7.fermi-kepler", lambda: [got.speed("Fermi, DWR-64", base="Fermi, warps of 16"), got.speed("Fermi, DWR-64", base="Fermi, warps of 32")],
                 lambda found: min(found) > 1, "mean IPC over warps of 16 and of 32 on the same SM: more")
    study.judged("dwr.sec7.frontend-clock", lambda: [mean(got.of(machine, name).packets_a_cycle for name in ALL) for machine in (*FIXED[::-1], BEST)],
                 lambda found: found[:4] == sorted(found[:4]) and found[4] > found[0], "packets per cycle with warps of 64, 32, 16, 8 and DWR-64: rises")
    study.judged("dwr.sec7.fetch-bandwidth", lambda: [mean(got.of(machine, name).fetches_a_cycle for name in ALL) for machine in (*FIXED[::-1], BEST)],
                 lambda found: found[:4] == sorted(found[:4]) and found[4] > found[0], "fetches per cycle with warps of 64, 32, 16, 8 and DWR-64: rises")
    study.judged("dwr.sec7.scheduler-area", lambda: [scheduler_entries(machine) for machine in (*FIXED[::-1], BEST)],
                 lambda found: found[:4] == sorted(set(found[:4])) and found[4] >= found[3], "warps that a scheduler selects from, 64, 32, 16, 8 threads and DWR-64: rise")
    study.judged("dwr.sec7.register-row", lambda: [32 * setting(machine, "warp_size") for machine in FIXED], lambda found: found == sorted(set(found)),
                 "bits of a row that holds a register of a warp: rise with warp size")
    study.at_most("dwr.cost.overhead.bound", added_storage, "bits of the tables that the machine declares, percent of registers, shared memory and L1 of the SM")


def setting(machine, name):
    """A parameter of the machine's SMs."""
    preset, settings = MACHINES[machine]
    known = json.loads(output_of([str(HEDDLE), "config", *on_machine(preset, settings)], f"the description of {machine}"))
    found = known["gpu"]["sm_classes"][0]["sm"][name]
    return found["value"] if isinstance(found, dict) else found


def scheduler_entries(machine):
    return 1024 // setting(machine, "warp_size")


def added_storage():
    preset, settings = MACHINES[BEST]
    text = output_of([str(HEDDLE), "cost", "--all", "--json", "-", *on_machine(preset, settings)], "cost of DWR-64")
    bits = 0
    for mechanism in json.loads(text)["mechanisms"]:
        for each in mechanism["structures"]:
            if each["name"].split(".", 1)[1].split(".")[0] in ("ignore_list", "partner_synch"):
                bits += each["entries"] * sum(field["bits"] for field in each["fields"])
    return 100 * bits / 8 / 1024 / (64 + 16 + 48)


def start_all(got):
    """Every run of the targets and figures."""
    got.start(FIXED + RESIZED, ALL)
    got.start_accesses([*ALL, *KERNELS])
    got.start([machine for width in (16, 32) for machine in of_width("fixed", width)], ALL)
    got.start([f"{machine}, {suffix}" for machine in FIXED + RESIZED for suffix in ("12 KB", "192 KB", "2048 threads")], SENSITIVE)
    got.start([machine for width in (16, 32) for machine in of_width("DWR", width)], SENSITIVE)
    got.start(["DWR-64, list of 16", "DWR-64, list of 8"], SENSITIVE)
    got.start([*VARIANTS, "fixed-32, 128-byte lines", "DWR-64, 128-byte lines"], ALL)
    got.start([machine for machine in MACHINES if machine.startswith("Fermi")], ALL)
    got.start(FIXED + RESIZED, KERNELS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="programs at smaller sizes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="what it runs is built")
    add_output(parser, "dynamic-warp-resizing")
    options = parser.parse_args()
    output = output_folder(options, "dynamic-warp-resizing")
    known = {target_id: target for target_id, target in targets("dynamic-warp-resizing", "dwr.").items()
             if target["kind"] not in ("structural", "cost") or target_id.startswith((*ON_PROGRAMS, "dwr.tab1.lat-total."))}
    study = Study(known)
    if not options.no_build:
        build("heddle_program", "workloads", "study_programs")
    got = Results(options.quick, Runs(options.jobs))
    start_all(got)
    for target_id in known:
        for beginning, why in QUOTED.items():
            if target_id.startswith(beginning):
                study.left_out(target_id, why)
    for part in (widths, fixed_machines, coalescing, idle_cycles, performance, ignored, sensitivity, claims):
        study.part(part, study, got)
    status = study.finish(output)
    figures.write(got, output)
    return status


if __name__ == "__main__":
    sys.exit(main())
