# SPDX-License-Identifier: Apache-2.0
"""Charts and tables that the studies of locality scheduling share."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from machines import HITS, harmonic_mean, mean  # noqa: E402
from study import RunFailed, bars, stacked  # noqa: E402

ANSWERS = ("misses", "merges", "inter-warp hits", "intra-warp hits")
BY_THREAD = ("misses", "merges", "inter-warp hits", "intra-warp inter-thread hits", "intra-warp intra-thread hits")


def write(folder, draws, pages):
    """Calls each function that draws a figure into a folder, and writes pages: functions that give lines, by name of a file. What
    needs a run that failed is left out."""
    drawn = []
    for draw in draws:
        try:
            drawn.append(draw(folder))
        except RunFailed as failure:
            print(f"no figure: {str(failure).splitlines()[0]}", file=sys.stderr)
    if not all(drawn):
        print("no charts: they need gnuplot (package gnuplot-nox)", file=sys.stderr)
    for name, lines_of in pages.items():
        try:
            lines = lines_of()
        except RunFailed as failure:
            lines = [f"not known: {str(failure).splitlines()[0]}"]
        with open(folder / name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def by_class(name, title, unit, got, machines, classes, value, average=harmonic_mean, label="HMEAN"):
    """A chart of a bar per machine for each benchmark, and the mean of each class. classes: names by short name."""
    def draw(folder):
        groups, means = {}, {}
        for short, members in classes.items():
            members = got.without_failures(machines, members)
            rows = {program: {machine: value(machine, program) for machine in machines} for program in members}
            groups |= rows
            if rows:
                means[f"{label} {short}"] = {machine: average(row[machine] for row in rows.values()) for machine in machines}
        return bars(folder / f"{name}.svg", title, unit, groups | means)
    return draw


def answered(run, replay=None, by_thread=False):
    """What answered loads, per 1,000 instructions: values of ANSWERS or BY_THREAD."""
    hits = [(each,) for each in reversed(HITS)] if by_thread else [("inter_warp",), ("intra_thread", "inter_thread")]
    return [run.pki(*names, replay=replay) for names in (("misses",), ("merges",), *hits)]


def answers(name, title, got, machines, names, replay=None, by_thread=False, means=()):
    """A chart of what answered loads, stacked. means: {label: names} of further groups."""
    def draw(folder):
        complete = got.without_failures(machines, names)
        groups = {program: {machine: answered(got.of(machine, program), replay, by_thread) for machine in machines} for program in complete}
        for label, members in dict(means).items():
            rows = [groups[program] for program in members if program in groups]
            if rows:
                groups[label] = {machine: [mean(row[machine][part] for row in rows) for part in range(len(rows[0][machine]))] for machine in machines}
        if replay is not None:
            groups = {label: {"": row[machines[0]]} for label, row in groups.items()}
        return stacked(folder / f"{name}.svg", title, "per 1,000 instructions", BY_THREAD if by_thread else ANSWERS, groups)
    return draw


def table(title, got, machines, classes, value, form, average=harmonic_mean):
    """Lines of a table of benchmarks by machine, with the mean of each class."""
    lines = [title, "", "| benchmark | " + " | ".join(machines) + " |", "|---|" + "---|" * len(machines)]
    for short, members in classes.items():
        rows = {program: [value(machine, program) for machine in machines] for program in got.without_failures(machines, members)}
        lines += [f"| {program} | " + " | ".join(format(each, form) for each in row) + " |" for program, row in rows.items()]
        if rows:
            lines.append(f"| mean {short} | " + " | ".join(format(average(row[i] for row in rows.values()), form) for i in range(len(machines))) + " |")
    return lines


def properties(got, machine, names, programs):
    """Lines of a table of what the stand-ins are like."""
    lines = [f"Properties with {machine}", "",
             "| benchmark | run as | thread-instructions | cycles | active lanes of 32 | lines a load | L1 misses, merges, hits per 1,000 | intra-warp, of hits, % |", "|---|---|---|---|---|---|---|---|"]
    for name in got.without_failures([machine], names):
        run, program = got.of(machine, name), programs[name]
        hits = run.accesses - run.misses - run.counted("l1d.read_merges")
        lines.append(f"| {name} | {program.name} {' '.join(program.of(got.quick))} | {run.thread_instructions:,} | {run.all_cycles:,} | {32 * run.efficiency:.1f} | "
                     f"{run.counted('memory.mean_transactions'):.1f} | {run.mpki:.1f}, {run.counted('l1d.read_merges') / run.kilo:.1f}, {hits / run.kilo:.1f} | {100 * run.intra_warp_share():.0f} |")
    return lines
