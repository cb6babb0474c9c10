#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws pipeline logs or a timeline of `heddle run` as a PNG for the documentation, without a viewer.

usage: trace_pictures.py pipeline PICTURE.png PANEL... [--cycles N] [--lines N]
       trace_pictures.py timeline PICTURE.png FILE.json [--from CYCLE] [--cycles N] [--processes NAME,...] [--rows N]

PANEL: LOG.kanata, LOG.kanata@CYCLE (the first cycle shown) or LOG.kanata@CYCLE=TITLE. Panels are drawn below each other with
the same scale; lines are drawn in the order in which they issue. Files must be uncompressed. Requires Chromium, which renders
the SVG drawing. Exits with 1 if a file has nothing in the given cycles.
"""
import argparse
import html
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTH = 900   # CSS pixels: the width of a page on the forge, so that the text is shown in its own size
SCALE = 2     # device pixels per CSS pixel
FONT = "DejaVu Sans Mono, monospace"
CHARACTER = 0.602  # width of a character of that font, in font sizes
QUIET, GRID = "#5b6670", "#e3e7eb"

# Colours of causes are those of the report.
STAGES = {"Fq": ("fetch waits to be sent", "#b8dccb"), "F": ("fetch", "#1b9e77"), "D": ("decode", "#66c2a4"), "I": ("instruction buffer", "#d0d5db"),
          "OC": ("operand collect", "#9ecae1"), "Xalu": ("ALU", "#2166ac"), "Xsfu": ("SFU", "#4b3f9e"), "Xfp64": ("FP64", "#7b4fa3"),
          "Xctl": ("control", "#53616f"), "Xsh": ("shared memory", "#c06c00"), "Xmem": ("memory stage", "#e69f5a"),
          "M": ("request to memory", "#d55e00"), "WB": ("write-back", "#3f4750")}
# Names are those of the states in docs/profiles.md.
CAUSES = {"memory": "#d55e00", "hazard": "#f2a93b", "pipeline": "#f6d36b", "fetch": "#1b9e77", "branch": "#8fd1a6", "asleep": "#3b5a4c",
          "unit_busy": "#7b4fa3", "held": "#c79bd6", "not_chosen": "#17a2b8", "barrier": "#7d5a3c", "rendezvous": "#b08d6e", "parked": "#d8c3a5",
          "partner_wait": "#94704d"}
WAITS = {state: (text, CAUSES[state]) for state, text in {
    "hazard": "an arithmetic result", "memory": "data from memory", "fetch": "an instruction",
    "pipeline": "its last instruction to leave the pipeline", "unit_busy": "its unit or a collector", "not_chosen": "its turn",
    "held": "a policy", "barrier": "a barrier", "rendezvous": "threads of its warp", "parked": "others to re-form",
    "partner_wait": "its partners"}.items()}
OTHER = "#e7298a"
ROWS = ("#1b7f8c", "#8cc8cf")  # open rows of a bank, in turn


def ink_on(colour):
    """Black or white, whichever is easier to read on this colour."""
    red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#fff"


class Drawing:
    """SVG elements, from top to bottom, with a time axis to the right of the labels."""

    def __init__(self, labels):
        self.labels, self.parts, self.y = labels, [], 4
        self.first, self.cycles = 0, 1

    def show(self, first, cycles):
        self.first, self.cycles = first, cycles

    def x(self, cycle):
        return self.labels + (WIDTH - self.labels - 6) * (min(max(cycle, self.first), self.first + self.cycles) - self.first) / self.cycles

    def text(self, x, y, text, colour="#1b232c", size=11, anchor="start", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}">'
                          f'{html.escape(text)}</text>')

    def fitting(self, x, y, text, room, **style):
        """The text, or as much of it as fits."""
        most = int(room / (CHARACTER * style.get("size", 11)))
        self.text(x, y, text if len(text) <= most else text[:most - 1] + "…", **style)

    def box(self, left, right, y, height, colour):
        self.parts.append(f'<rect x="{left:.1f}" y="{y:.1f}" width="{max(right - left, 0.6):.2f}" height="{height}" fill="{colour}"/>')

    def bar(self, begin, end, y, height, colour, text="", size=10):
        left, right = self.x(begin), self.x(end)
        if right <= left:
            return
        self.box(left, right - (0.8 if right - left > 2 else 0), y, height, colour)
        if text and right - left > CHARACTER * size * len(text) + 4:
            self.text(left + 3, y + height - (height - 0.72 * size) / 2, text, ink_on(colour), size)

    def axis(self, bottom):
        """Labels and lines of the cycles from here to the bottom, behind everything drawn since."""
        step = next(s * 10 ** p for p in range(9) for s in (1, 2, 5) if self.cycles / (s * 10 ** p) <= 8)
        for cycle in range(-(-self.first // step) * step, self.first + self.cycles + 1, step):
            x = self.x(cycle)
            self.parts.insert(0, f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{self.y + 16}" y2="{bottom}" stroke="{GRID}"/>')
            at_end = x > WIDTH - 40
            self.text(WIDTH - 4 if at_end else x, self.y + 11, f"{cycle:,}", QUIET, 10, "end" if at_end else "middle")

    def legend(self, title, entries):
        """entries: (name, colour, what it means)."""
        x = 4
        self.y += 18
        self.text(x, self.y, title, QUIET)
        x += CHARACTER * 11 * (len(title) + 1)
        start = x
        for name, colour, meaning in entries:
            text = f"{name}: {meaning}" if name and meaning else name or meaning
            if x + 16 + CHARACTER * 11 * len(text) > WIDTH:
                x, self.y = start, self.y + 17
            self.box(x, x + 11, self.y - 9, 11, colour)
            self.text(x + 15, self.y, text)
            x += 30 + CHARACTER * 11 * len(text)

    def write(self, picture):
        height = int(self.y + 10)
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="{FONT}">'
               f'<rect width="100%" height="100%" fill="white"/>{"".join(self.parts)}</svg>')
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(f'<!doctype html><meta charset="utf-8"><body style="margin:0">{svg}')
            subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                            f"--force-device-scale-factor={SCALE}", f"--window-size={WIDTH},{height}",
                            f"--screenshot={pathlib.Path(picture).resolve()}", page.as_uri()], check=True, capture_output=True)


def source_name(mangled):
    """A kernel's name as in the source, without parameters, as far as it is a plain one."""
    match = re.match(r"_Z(\d+)", mangled)
    return mangled[match.end():match.end() + int(match[1])] if match else mangled.split("(")[0]


# Pipeline logs

def read_pipeline(path):
    """The lines of the log: label, notes and stages (lane, name, first cycle, end)."""
    lines, cycle = {}, 0
    for number, text in enumerate(pathlib.Path(path).read_text().split("\n"), start=1):
        fields = text.split("\t")
        if number == 1 and fields[0] != "Kanata":
            raise SystemExit(f"{path}: not a pipeline log")
        if fields[0] == "C=":
            cycle = int(fields[1])
        elif fields[0] == "C":
            cycle += int(fields[1])
        elif fields[0] == "I":
            lines[int(fields[1])] = {"label": "", "notes": "", "stages": [], "open": {}}
        elif fields[0] == "L":
            lines[int(fields[1])]["label" if fields[2] == "0" else "notes"] += fields[3]
        elif fields[0] in ("S", "E", "R"):
            line = lines[int(fields[1])]
            lanes = list(line["open"]) if fields[0] == "R" else [fields[2]]
            for lane in lanes:
                if lane in line["open"]:
                    name, begin = line["open"].pop(lane)
                    line["stages"].append((lane, name, begin, cycle))
            if fields[0] == "S":
                line["open"][fields[2]] = (fields[3], cycle)
    for line in lines.values():
        line["stages"] += [(lane, name, begin, cycle) for lane, (name, begin) in line["open"].items()]
        line["issue"] = next((int(n) for n in re.findall(r"Cycle (\d+), slot", line["notes"])), None)
        line["threads"] = next((int(n) for n in re.findall(r"(\d+) threads on lanes", line["notes"])), 0)
    return [line for line in lines.values() if line["issue"] is not None]


class Pipeline:
    """One picture of several logs."""

    ROW, WARP, PC, TEXT, THREADS = 17, 4, 40, 66, 292
    MOST_THREADS, BAR = 32, 48  # of a packet; its bar, pixels

    def __init__(self, options):
        self.options, self.drawing = options, Drawing(labels=370)
        self.stages, self.waits = set(), set()

    def panel(self, path, first, title):
        """Draws a panel. Returns whether it has lines."""
        lines = sorted(read_pipeline(path), key=lambda line: line["issue"])
        first = lines[0]["issue"] if first is None and lines else first
        lines = [line for line in lines if line["issue"] >= first][:self.options.lines]
        if not lines:
            return False
        begin = max(first - 4, 0)
        drawing = self.drawing
        drawing.show(begin, self.options.cycles)
        if title:
            drawing.text(4, drawing.y + 12, title, size=13, weight="bold")
            drawing.y += 20
        bottom = drawing.y + 18 + len(lines) * self.ROW
        drawing.axis(bottom)
        for x, head in ((self.WARP, "warp"), (self.PC, "PC"), (self.TEXT, "instruction"), (self.THREADS, "threads")):
            drawing.text(x, drawing.y + 11, head, QUIET, 10)
        for row, line in enumerate(lines):
            self.line(line, drawing.y + 18 + row * self.ROW)
        drawing.y = bottom + 8
        return True

    def line(self, line, y):
        drawing, middle = self.drawing, y + 11
        match = re.match(r"sm\d+ c(\d+)\s+(\d+) (.*?)(  |$)", line["label"].expandtabs(2))
        context, pc, text = match[1], match[2], re.sub(r"_Z\w+_param_", "param_", match[3])
        drawing.text(self.WARP + 6, middle, context)
        drawing.text(self.PC, middle, pc, QUIET)
        drawing.fitting(self.TEXT, middle, text, self.THREADS - self.TEXT - 4)
        drawing.box(self.THREADS, self.THREADS + self.BAR, y + 3, 9, "#eceff2")
        drawing.box(self.THREADS, self.THREADS + self.BAR * min(1, line["threads"] / self.MOST_THREADS), y + 3, 9, "#62429e")
        drawing.text(self.THREADS + self.BAR + 4, middle, str(line["threads"]))
        for lane, name, first, end in line["stages"]:
            known, seen = (STAGES, self.stages) if lane == "0" else (WAITS, self.waits)
            if drawing.x(end) <= drawing.x(first):
                continue
            seen.add(name)
            colour = known.get(name, ("", OTHER))[1]
            if lane == "0":
                drawing.bar(first, end, y + 1, 11, colour, name)
            else:
                drawing.bar(first, end, y + 13, 3, colour)

    def legends(self):
        self.drawing.y -= 6
        for title, known, seen in (("stages:", STAGES, self.stages), ("waits, below:", WAITS, self.waits)):
            names = [name for name in known if name in seen] + sorted(seen - set(known))
            if names:
                self.drawing.legend(title, [(name, known.get(name, ("", OTHER))[1], known.get(name, ("",))[0]) for name in names])


def draw_pipeline(options):
    picture = Pipeline(options)
    for panel in options.files:
        match = re.fullmatch(r"(.*?)(?:@(\d+))?(?:=(.*))?", panel)
        if not picture.panel(match[1], int(match[2]) if match[2] else None, match[3]):
            return match[1]
    picture.legends()
    picture.drawing.write(options.picture)
    return None


# Timelines

def joined(slices):
    """Name, begin and end of slices, with neighbours of the same name as one: waits are cut when counters are sampled."""
    whole = []
    for e in slices:
        if whole and whole[-1][0] == e["name"] and whole[-1][2] == e["ts"]:
            whole[-1][2] += e["dur"]
        else:
            whole.append([e["name"], e["ts"], e["ts"] + e["dur"]])
    return whole


class Timeline:
    ROW, COUNTER = 20, 30

    def __init__(self, events, options):
        self.options, self.drawing, self.causes = options, Drawing(labels=210), set()
        named = lambda kind, value: {(e["pid"], e.get("tid")): e["args"][value] for e in events if e["ph"] == "M" and e["name"] == kind}
        self.threads = named("thread_name", "name")
        processes = {pid: name for (pid, _), name in named("process_name", "name").items()}
        order = {pid: index for (pid, _), index in named("process_sort_index", "sort_index").items()}
        wanted = options.processes.split(",") if options.processes else list(processes.values())
        self.processes = [(pid, name) for pid, name in sorted(processes.items(), key=lambda one: order.get(one[0], one[0])) if name in wanted]
        self.first = options.first if options.first is not None else int(min(e["ts"] for e in events if e["ph"] in "XC"))
        self.end = self.first + options.cycles
        self.drawing.show(self.first, options.cycles)
        self.slices = [e for e in events if e["ph"] == "X" and e["ts"] < self.end and e["ts"] + e["dur"] > self.first]
        self.counters = [e for e in events if e["ph"] == "C"]

    def draw(self):
        drawing = self.drawing
        top, drawing.y = drawing.y, drawing.y + 18
        rows = 0
        for pid, process in self.processes:
            drawing.text(4, drawing.y + 13, process, size=12, weight="bold")
            drawing.y += 18
            own = [key for key in self.threads if key[0] == pid and any((e["pid"], e["tid"]) == key for e in self.slices)]
            for key in own[:self.options.rows]:
                self.row(self.threads[key], sorted((e for e in self.slices if (e["pid"], e["tid"]) == key), key=lambda e: e["ts"]))
                rows += 1
            for name in sorted({e["name"] for e in self.counters if e["pid"] == pid}):
                rows += self.counter(name, [e for e in self.counters if e["pid"] == pid and e["name"] == name])
            drawing.y += 4
        bottom, drawing.y = drawing.y, top
        drawing.axis(bottom)
        drawing.y = bottom
        if self.causes:
            drawing.legend("a warp waits for:", [(name.replace("_", " "), CAUSES.get(name, OTHER), "") for name in [*CAUSES, *sorted(self.causes - set(CAUSES))]
                                               if name in self.causes])
            drawing.legend("above it:", [("", "#c3ccd6", "the basic block in which it is, by its first line")])
        if any(e.get("cat") == "row" for e in self.slices):
            drawing.legend("banks:", [("", ROWS[0], "an open row"), ("", ROWS[1], "the next one")])
        return rows > 0

    def row(self, name, slices):
        drawing, y = self.drawing, self.drawing.y
        drawing.text(14, y + 13, name)
        turns = {"kernel": ("#53616f", "#8794a1"), "block": ("#2166ac", "#6baed6"), "basic block": ("#c3ccd6", "#e3e8ee"), "row": ROWS}
        stalls = [e for e in slices if e.get("cat") == "stall"]
        for e, colours in zip([e for e in slices if e.get("cat") != "stall"], itertools.cycle((0, 1))):
            colour = turns.get(e.get("cat"), ("#c3ccd6", "#e3e8ee"))[colours]
            text = source_name(e["name"]) if e.get("cat") == "kernel" else re.sub(r"^BB\d+ ", "", e["name"])
            drawing.bar(max(e["ts"], self.first), min(e["ts"] + e["dur"], self.end), y + 3, 10 if stalls else 13, colour, text, 9 if stalls else 10)
        for cause, begin, end in joined(stalls):
            self.causes.add(cause)
            drawing.box(drawing.x(begin), drawing.x(end), y + 13, 5, CAUSES.get(cause, OTHER))
        drawing.y += self.ROW

    def counter(self, name, samples):
        """Draws a counter (the sum of its values) as steps, with its largest value. Nothing if it stays zero. Returns the rows drawn."""
        drawing, y = self.drawing, self.drawing.y
        values = [(e["ts"], sum(e["args"].values())) for e in samples]
        steps = [(at, min(until, self.end), value) for (at, value), (until, _) in zip(values, values[1:] + [(self.end, 0)])
                 if at < self.end and until > self.first]
        top = max((value for _, _, value in steps), default=0)
        if top == 0:
            return 0
        label = re.sub(r" \((.*)\)$", "", name).replace(".cache", "").replace(".miss_table", " MSHRs").replace(".", " ")
        unit = (re.findall(r"\((.*)\)$", name) or [""])[0]
        units = {"entries in use": "in use", "mean of a cycle": "per cycle"}
        drawing.fitting(14, y + 13, label, drawing.labels - 20)
        drawing.text(14, y + 25, f"up to {top:,.4g} {units.get(unit, unit)}", QUIET, 10)
        drawing.box(drawing.labels, WIDTH - 6, y + self.COUNTER - 1, 0.7, "#9aa5b0")
        for at, until, value in steps:
            part = (self.COUNTER - 6) * value / top
            if value:
                drawing.box(drawing.x(at), drawing.x(until), y + self.COUNTER - 1 - part, round(part, 1), "#7ea3cc")
        drawing.y += self.COUNTER + 2
        return 1


def draw_timeline(options):
    [file] = options.files
    picture = Timeline(json.loads(pathlib.Path(file).read_text())["traceEvents"], options)
    if not picture.draw():
        return file
    picture.drawing.write(options.picture)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["pipeline", "timeline"])
    parser.add_argument("picture")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--from", dest="first", type=int, help="first core cycle of a timeline; default: its beginning")
    parser.add_argument("--cycles", type=int, default=40)
    parser.add_argument("--lines", type=int, default=14, help="instructions in a panel")
    parser.add_argument("--rows", type=int, default=8, help="threads of a process of a timeline")
    parser.add_argument("--processes", help="comma-separated names; default: all")
    options = parser.parse_args()
    empty = (draw_pipeline if options.kind == "pipeline" else draw_timeline)(options)
    if empty:
        print(f"trace_pictures: {empty} has nothing in these cycles", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
