# SPDX-License-Identifier: Apache-2.0
"""Shared by all studies: runs of the model, targets, and the verdict on each.

A study measures the claims of a source. Its targets are read-only data; `Study` compares each with the model's result within
the target's own tolerance, and writes results.json and a table. A failed run affects only the targets that depend on it.
"""
import concurrent.futures
import csv
import functools
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import outputs  # noqa: E402

BUILD = ROOT / "build" / "release"
HEDDLE = BUILD / "bin" / "heddle"


class RunFailed(RuntimeError):
    """A failed run of the model. The first line of the message names the run."""


def output_of(command, name):
    """A program's output. Raises RunFailed with the name if the program is missing or its status is not 0."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise RunFailed(f"{name}: {error}") from error
    if done.returncode != 0:
        raise RunFailed(f"{name}: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}".rstrip())
    return done.stdout


def add_output(parser, name):
    """Adds the options of the folder of results."""
    parser.add_argument("--output", type=pathlib.Path, help=f"folder of results; out/studies/{name} of the repository when absent, whose results are replaced")
    parser.add_argument("-f", "--force", action="store_true", help="replace results in another folder")


def output_folder(options, name):
    """The folder of results. Ends the study now if its results could not be written, or would replace others."""
    folder = options.output or ROOT / "out" / "studies" / name
    try:
        outputs.check_results(folder, ["results.json", "results.md"], options.force or options.output is None)
    except outputs.Refused as refused:
        print(f"heddle study: error: {refused}", file=sys.stderr)
        sys.exit(106)
    return folder


def targets(page, prefix):
    """The targets of a page whose ids start with the prefix, by id."""
    with open(ROOT / "studies" / "targets" / f"{page}.json", encoding="utf-8") as file:
        return {target["id"]: target for target in json.load(file) if target["id"].startswith(prefix)}


def build(*wanted):
    subprocess.run(["cmake", "--build", str(BUILD), "--target", *wanted], check=True, stdout=sys.stderr)


@functools.lru_cache(maxsize=None)
def digest_of(file):
    """Digest of a program file."""
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise RunFailed(f"{file}: {error.strerror}") from error


def on_machine(machine, settings):
    return ["--machine", machine, *(f"--set={setting}" for setting in settings)]


@functools.lru_cache(maxsize=None)
def resolved(machine, settings):
    """The resolved description of a machine."""
    return output_of([str(HEDDLE), "config", *on_machine(machine, settings)], " ".join(["the description", *on_machine(machine, settings)]))


class Cache:
    """Results of runs, keyed by everything they depend on: program, arguments, all values of the machine, the model itself."""

    folder = ROOT / "out" / "studies" / "cache"

    @classmethod
    def key(cls, machine, settings, program, arguments, more=()):
        """more: whatever else the result depends on."""
        model = digest_of(BUILD / "lib" / "libcudart.so")
        parts = [model, digest_of(BUILD / program), resolved(machine, tuple(settings)), *arguments, *more]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @classmethod
    def get(cls, key):
        try:
            with open(cls.folder / f"{key}.json", encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    @classmethod
    def put(cls, key, value):
        cls.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=cls.folder, delete=False, encoding="utf-8") as file:
            json.dump(value, file)
        pathlib.Path(file.name).replace(cls.folder / f"{key}.json")


def executed(machine, settings, program, arguments, options=(), sections=()):
    """Output and run.json of a run with more options: kernels, statistics, and these sections."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(HEDDLE), "run", "--quiet", *on_machine(machine, settings), "--output", folder, *options]
        output = output_of([*command, str(BUILD / program), *arguments], " ".join([program, *arguments, *on_machine(machine, settings), *options]))
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            result = json.load(file)
    return {"output": output, **{section: result[section] for section in ("kernels", "statistics", *sections)}}


class Run:
    """One program on one machine: its run.json and output. Identical earlier runs are read from the cache.

    recorded: sections of run.json to keep in addition to kernels and statistics; each is recorded by the option of its name.
    """

    def __init__(self, machine, settings, program, arguments, recorded=()):
        recorded = tuple(recorded)
        key = Cache.key(machine, settings, program, arguments, recorded)
        known = Cache.get(key)
        if known is None:
            known = self._made(machine, settings, program, arguments, recorded)
            Cache.put(key, known)
        self.recorded = {section: known[section] for section in recorded}
        self.output = known["output"]
        self.kernels = known["kernels"]
        self.statistics = known["statistics"]
        self.kernel = self.kernels[0]
        self.cycles = self.kernel["cycles"]
        self.warp_instructions = self.kernel["warp_instructions"]

    @staticmethod
    def _made(machine, settings, program, arguments, recorded):
        return executed(machine, settings, program, arguments, [f"--{section}" for section in recorded], recorded)

    def of(self, owner_class, name):
        """A statistic of the first kernel."""
        return self.kernel["statistics"]["classes"][owner_class][name]

    def total(self, owner_class, name, otherwise=0):
        """A statistic summed over all kernels. run.json omits counters that are zero."""
        return self.statistics["classes"].get(owner_class, {}).get(name, otherwise)

    @property
    def all_cycles(self):
        return sum(kernel["cycles"] for kernel in self.kernels)


class Runs:
    """Runs by name, executed once each, two at a time."""

    def __init__(self, jobs=2):
        self._pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self._runs = {}

    def start(self, name, function, *arguments):
        if name not in self._runs:
            self._runs[name] = self._pool.submit(function, *arguments)

    def __getitem__(self, name):
        return self._runs[name].result()


def replay(machine, settings, rows, enter="controller"):
    """Latency in cycles of each access of an address trace. rows: dictionaries by column name."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.csv"
        with open(trace, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        command = [str(HEDDLE), "memtrace", "--quiet", *on_machine(machine, settings), "--enter", enter, "--accesses", f"{folder}/accesses.csv"]
        output_of([*command, str(trace)], " ".join(["memtrace", *on_machine(machine, settings)]))
        with open(f"{folder}/accesses.csv", encoding="utf-8") as file:
            return [{key: int(value) if value.isdigit() else value for key, value in row.items()} for row in csv.DictReader(file)]


def within(target, model):
    """Whether a number meets a target within the target's own tolerance."""
    tolerance, source = target["tolerance"], target["source"]
    if "points" in tolerance:
        return abs(model - source) <= tolerance["points"]
    if "relative" in tolerance:
        return abs(model - source) <= tolerance["relative"] * abs(source)
    if "exact" in tolerance:
        return model == source
    raise ValueError(f"{target['id']}: {tolerance} is no tolerance of a number")


def slack(target):
    """By how much a bound may be exceeded."""
    tolerance = target["tolerance"]
    return tolerance.get("points", tolerance.get("relative", 0) * abs(target["source"]))


class Study:
    """Verdicts by target. A measured value may be a function without arguments: if a run that it needs has failed, its target is
    not measured, but the others are."""

    def __init__(self, known):
        self.targets = known
        self.results = {}
        self.failures = {}  # messages of failed runs, by name

    def _judge(self, target_id, measure, holds, how=""):
        target = self.targets[target_id]
        result = {"id": target_id, "what": target["what"], "unit": target["unit"], "source": target["source"]}
        try:
            result["model"] = measure() if callable(measure) else measure
            result["holds"] = bool(holds(result["model"]) if callable(holds) else holds)
        except RunFailed as failure:
            result |= {"model": None, "holds": False, "error": self._failed(failure)}
        self.results[target_id] = result | ({"how": how} if how else {})

    def _failed(self, failure):
        name = str(failure).splitlines()[0]
        self.failures[name] = str(failure)
        return name

    def value(self, target_id, measure, how=""):
        self._judge(target_id, measure, lambda model: within(self.targets[target_id], model), how)

    def at_most(self, target_id, measure, how=""):
        target = self.targets[target_id]
        self._judge(target_id, measure, lambda model: model <= target["source"] + slack(target), how)

    def at_least(self, target_id, measure, how=""):
        target = self.targets[target_id]
        self._judge(target_id, measure, lambda model: model >= target["source"] - slack(target), how)

    def order(self, target_id, measure, how=""):
        """measure: the quantity that orders the target's machines, largest first."""
        def ordered():
            by_name = measure() if callable(measure) else measure
            return sorted(by_name, key=lambda name: -by_name[name])

        self._judge(target_id, ordered, lambda model: model == self.targets[target_id]["source"], how)

    def judged(self, target_id, measure, holds, how):
        """holds: the rule for a shape, as a function of the measured value; how: the rule in words."""
        self._judge(target_id, measure, holds, how)

    def left_out(self, target_id, why):
        """A target that cannot be measured: it neither holds nor fails to."""
        target = self.targets[target_id]
        self.results[target_id] = {"id": target_id, "what": target["what"], "unit": target["unit"], "source": target["source"], "model": None, "holds": None, "left_out": why}

    def not_built(self, target_id, why):
        """A target for a mechanism that the model lacks: it does not hold."""
        self._judge(target_id, None, False, "not built: " + why)

    def part(self, measure, *arguments):
        """Runs a function that judges several targets. If a run that it needs fails, its remaining targets are not measured."""
        try:
            measure(*arguments)
        except RunFailed as failure:
            self._failed(failure)

    def finish(self, folder):
        """Writes and prints the results. Returns the exit status: 1 if a target was not measured."""
        for target_id in set(self.targets) - set(self.results):
            why = "; ".join(self.failures) or "the study does not come to it"
            self._judge(target_id, None, False)
            self.results[target_id]["error"] = why
        self.write(folder)
        print(self.table())
        for failure in self.failures.values():
            print("failed: " + failure)
        missing = self.unmeasured()
        judged = [result["holds"] for result in self.results.values() if "left_out" not in result]
        left_out = len(self.results) - len(judged)
        print(f"{sum(judged)} of {len(judged)} hold" + (f"; {left_out} cannot be measured" if left_out else ""))
        outputs.say_written("study", f"{folder} (results: results.json, results.md)")
        if missing:
            print("not measured: " + ", ".join(missing))
        return 1 if missing else 0

    def unmeasured(self):
        return sorted(target_id for target_id, result in self.results.items() if "error" in result)

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        results = [self.results[target_id] for target_id in self.targets]
        with open(folder / "results.json", "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
        with open(folder / "results.md", "w", encoding="utf-8") as file:
            file.write(self.table())

    def table(self):
        def names(value):
            return value and all(isinstance(each, str) or isinstance(each, list) and names(each) for each in value)

        def text(value):
            if isinstance(value, float):
                return f"{value:.4g}"
            if isinstance(value, dict):
                return ", ".join(f"{name}: {text(each)}" for name, each in value.items())
            if isinstance(value, (list, tuple)):
                return " > ".join(map(text, value)) if names(value) else ", ".join(map(text, value))
            return str(value)

        lines = ["| target | source | model | difference | holds |", "|---|---|---|---|---|"]
        for target_id in self.targets:
            result = self.results[target_id]
            if "left_out" in result:
                lines.append(f"| {target_id} | {text(result['source'])} | cannot be measured: {result['left_out']} | | |")
                continue
            source, model = result["source"], "not measured" if "error" in result else result["model"]
            numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (source, model))
            difference = f"{model - source:+.4g}" if numbers else ""
            lines.append(f"| {target_id} | {text(source)} | {text(model)} | {difference} | {'yes' if result['holds'] else '**no**'} |")
        return "\n".join(lines) + "\n"


def bars(file, title, unit, groups, marks=None):
    """Draws a bar chart as SVG, or none of no groups. groups: {label: {bar: value}}; marks: {bar: value} of the source, next to the
    last group. Returns False without gnuplot."""
    if not groups:
        return True
    names = list(next(iter(groups.values())))
    rows = [["label", *names]] + [[label, *(values[name] for name in names)] for label, values in groups.items()]
    if marks:
        rows.append(["the source", *(marks.get(name, "?") for name in names)])
    lines = f"""set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8 noborder
set xtics rotate by -35 nomirror noenhanced
set datafile missing "?"
plot for [i=2:{len(names) + 1}] $data using i:xtic(1) title columnheader(i)"""
    return plotted(file, title, unit, rows, lines, max(600, 70 * len(rows)))


def stacked(file, title, unit, parts, groups):
    """Draws a chart of stacked bars as SVG, a cluster a group, or none of no groups. groups: {label: {bar: values by part}}. Returns
    False without gnuplot."""
    if not groups:
        return True
    rows = []
    for label, bars_of in groups.items():
        rows += [[f"{label} {bar}", *values] for bar, values in bars_of.items()] + [["", *(0 for _ in parts)]]
    plots = ", ".join(f"$data using {column}{':xtic(1)' if column == 2 else ''} title '{part}'" for column, part in enumerate(parts, 2))
    lines = f"""set style data histograms
set style histogram rowstacked
set style fill solid 0.8 noborder
set boxwidth 0.9
set xtics rotate by -70 nomirror noenhanced font ',7'
plot {plots}"""
    return plotted(file, title, unit, rows, lines, max(600, 16 * len(rows) + 250))


def curves(file, title, unit, over, places, lines):
    """Draws curves as SVG: {name: values} at the places, which `over` names. Returns False without gnuplot."""
    rows = [[place, *(values[i] for values in lines.values())] for i, place in enumerate(places)]
    plots = ", ".join(f"$data using 0:{column}:xtic(1) with linespoints pointtype 7 pointsize 0.5 title '{name}'" for column, name in enumerate(lines, 2))
    return plotted(file, title, unit, rows, f"set xlabel '{over}'\nset yrange [0:*]\nset xtics noenhanced\nplot {plots}")


def plotted(file, title, unit, rows, lines, width=900):
    """Draws a chart by gnuplot, whose data $data are the rows. Returns False without gnuplot."""
    data = "\n".join("\t".join(str(value) for value in row) for row in rows)
    script = f"""set terminal svg size {width},400 font ",10"
set output "{file}"
set title "{title}"
set ylabel "{unit}"
set grid ytics
set key outside top right
set datafile separator "\\t"
$data << END
{data}
END
{lines}
"""
    try:
        subprocess.run(["gnuplot"], input=script, text=True, check=True, capture_output=True)
    except FileNotFoundError:
        return False
    return True
