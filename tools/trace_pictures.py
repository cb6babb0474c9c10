#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a pipeline log or a timeline of `heddle run` as a PNG for the documentation, without a viewer.

usage: trace_pictures.py pipeline LOG.kanata PICTURE.png [--from CYCLE] [--cycles N] [--lines N]
       trace_pictures.py timeline FILE.json PICTURE.png [--from CYCLE] [--cycles N] [--processes NAME,...]

Files must be uncompressed. Lines, slices and counters are drawn in file order. Requires Chromium, which renders the SVG
drawing. Exits with 1 if the file has nothing in the given cycles.
"""
import argparse
import html
import json
import pathlib
import subprocess
import sys
import tempfile

WIDTH, LABELS, ROW = 1500, 430, 17
PALETTE = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#e15759", "#76b7b2", "#9c755f", "#ff9da7", "#7f7f7f",
           "#1b9e77", "#d95f02", "#7570b3", "#a6761d", "#2d4a73", "#8c2d56"]


class Drawing:
    """SVG elements with a common time axis."""

    def __init__(self, first, cycles, labels=LABELS):
        self.first, self.cycles, self.labels, self.parts, self.colours = first, cycles, labels, [], {}

    def x(self, cycle):
        return self.labels + (WIDTH - self.labels - 10) * (min(max(cycle, self.first), self.first + self.cycles) - self.first) / self.cycles

    def colour(self, name):
        return self.colours.setdefault(name, PALETTE[len(self.colours) % len(PALETTE)])

    def text(self, x, y, text, colour="#222", size=11):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}">{html.escape(text)}</text>')

    def bar(self, begin, end, y, height, colour, text=""):
        left, right = self.x(begin), self.x(end)
        if right <= left:
            return
        self.parts.append(f'<rect x="{left:.1f}" y="{y:.1f}" width="{right - left:.2f}" height="{height}" fill="{colour}" '
                          'stroke="white" stroke-width="0.5"/>')
        if text and right - left > 6.5 * len(text) + 3:
            self.text(left + 2, y + height - 3, text, "white", 10)

    def axis(self, height):
        step = next(s for s in (5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000) if self.cycles / s <= 14)
        for cycle in range(self.first - self.first % step + step, self.first + self.cycles, step):
            x = self.x(cycle)
            self.parts.insert(0, f'<line x1="{x:.1f}" x2="{x:.1f}" y1="18" y2="{height}" stroke="#e4e4e4"/>')
            self.text(x + 2, 12, str(cycle), "#666", 10)

    def write(self, picture, height):
        self.axis(height)
        svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="DejaVu Sans Mono, monospace">'
               f'<rect width="100%" height="100%" fill="white"/>{"".join(self.parts)}</svg>')
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(f'<!doctype html><meta charset="utf-8"><body style="margin:0">{svg}')
            subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                            f"--window-size={WIDTH},{height}", f"--screenshot={pathlib.Path(picture).resolve()}", page.as_uri()],
                           check=True, capture_output=True)


def read_pipeline(path):
    """The lines of the log, in its order: label and stages (lane, name, first cycle, end)."""
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
            lines[int(fields[1])] = {"label": "", "stages": [], "open": {}}
        elif fields[0] == "L" and fields[2] == "0":
            lines[int(fields[1])]["label"] += fields[3]
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
    return [line for line in lines.values() if line["stages"]]


def draw_pipeline(options):
    lines = read_pipeline(options.file)
    begin = options.first if options.first is not None else min(stage[2] for line in lines for stage in line["stages"])
    shown = [line for line in lines if any(s[2] < begin + options.cycles and s[3] > begin for s in line["stages"])
             and min(s[2] for s in line["stages"]) >= begin and any(s[3] > s[2] for s in line["stages"])][:options.lines]
    if not shown:
        return 1
    drawing = Drawing(begin, options.cycles)
    for row, line in enumerate(shown):
        y = 20 + row * ROW
        drawing.text(4, y + 12, line["label"].expandtabs(2)[:(LABELS - 10) // 7])
        for lane, name, first, end in line["stages"]:
            if lane == "0":
                drawing.bar(first, end, y + 1, ROW - 6, drawing.colour(name), name)
            else:
                drawing.bar(first, end, y + ROW - 5, 3, drawing.colour(name))
    legend(drawing, 20 + len(shown) * ROW + 16)
    drawing.write(options.picture, 20 + len(shown) * ROW + 28)
    return 0


def legend(drawing, y):
    x = 10
    for name, colour in drawing.colours.items():
        drawing.parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        drawing.text(x + 14, y, name)
        x += 24 + 7 * len(name)


def draw_timeline(options):
    events = json.loads(pathlib.Path(options.file).read_text())["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    order = {e["pid"]: e["args"]["sort_index"] for e in events if e["ph"] == "M" and e["name"] == "process_sort_index"}
    processes = dict(sorted(processes.items(), key=lambda entry: order.get(entry[0], entry[0])))
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    wanted = options.processes.split(",") if options.processes else list(processes.values())
    begin = options.first if options.first is not None else int(min(e["ts"] for e in events if e["ph"] in "XC"))
    end, drawing, y = begin + options.cycles, Drawing(begin, options.cycles, 270), 22
    for pid, process in processes.items():
        if process not in wanted:
            continue
        slices = [e for e in events if e["ph"] == "X" and e["pid"] == pid and e["ts"] < end and e["ts"] + e["dur"] > begin]
        counters = {e["name"] for e in events if e["ph"] == "C" and e["pid"] == pid}
        drawing.text(4, y + 12, process, "#000", 12)
        y += ROW
        for key, thread in threads.items():
            own = [e for e in slices if (e["pid"], e["tid"]) == key]
            if key[0] != pid or not own:
                continue
            drawing.text(14, y + 11, thread)
            for e in sorted(own, key=lambda e: -e["dur"]):
                # A nested slice is drawn on the lower part of the row.
                within = any(o is not e and o["ts"] <= e["ts"] and o["ts"] + o["dur"] >= e["ts"] + e["dur"] and o["dur"] > e["dur"] for o in own)
                name = e["name"].split("(")[0][:40]
                drawing.bar(e["ts"], e["ts"] + e["dur"], y + (7 if within else 1), ROW - (9 if within else 4), drawing.colour(name),
                            "" if within else name)
            y += ROW
        for name in sorted(counters):
            y = draw_counter(drawing, [e for e in events if e["ph"] == "C" and e["pid"] == pid and e["name"] == name], name, y)
    if not drawing.parts:
        return 1
    drawing.write(options.picture, int(y) + 10)
    return 0


def draw_counter(drawing, samples, name, y):
    """Draws a counter (the sum of its values) as steps, one and a half rows high. Returns the y of the next row."""
    height, last = ROW * 1.5, drawing.first + drawing.cycles
    values = [(e["ts"], sum(e["args"].values())) for e in samples]
    top = max((value for _, value in values), default=0)
    drawing.text(14, y + 14, name)
    for (at, value), (until, _) in zip(values, values[1:] + [(last, 0)]):
        if top and value and at < last and until > drawing.first:
            part = (height - 4) * value / top
            left, right = drawing.x(at), drawing.x(until)
            drawing.parts.append(f'<rect x="{left:.1f}" y="{y + height - part:.1f}" width="{right - left:.2f}" height="{part:.1f}" fill="#9db7d5"/>')
    return y + height + 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["pipeline", "timeline"])
    parser.add_argument("file")
    parser.add_argument("picture")
    parser.add_argument("--from", dest="first", type=int, help="first core cycle; default: the beginning of the file")
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--processes", help="comma-separated names; default: all")
    options = parser.parse_args()
    status = (draw_pipeline if options.kind == "pipeline" else draw_timeline)(options)
    if status:
        print(f"trace_pictures: {options.file} has nothing in these cycles", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
