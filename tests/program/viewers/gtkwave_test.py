#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a waveform of `heddle run --vcd`, with its view, in GTKWave on a virtual display, and checks a screenshot.

usage: gtkwave_test.py HEDDLE PROGRAM [PICTURE]. PICTURE: where to save the screenshot. Exits with 77 (skipped) without gtkwave, Xvfb or ImageMagick.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1600, 900
WAIT = 60  # time limit for the window to show the waveform, seconds
FIRST, LAST = 20600, 20630  # core cycles with much activity
# Colours of the view: orange for values valid in one cycle, blue for decimal, yellow for text, green for the rest.
HUES = {"orange": lambda r, g, b: r > 200 and 100 < g < 200 and b < 80, "blue": lambda r, g, b: b > 180 and r < 120,
        "yellow": lambda r, g, b: r > 200 and g > 200 and b < 100, "green": lambda r, g, b: g > 180 and r < 120 and b < 120}


def start_display(folder):
    """Starts Xvfb on a free display. Returns the process and the display's name."""
    reading, writing = os.pipe()
    log = open(folder / "xvfb.txt", "w")
    display = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
                               pass_fds=[writing], stdout=log, stderr=log)
    os.close(writing)
    with os.fdopen(reading) as names:
        return display, ":" + names.readline().strip()


def colours(picture):
    """Number of pixels of each colour (red, green, blue)."""
    text = subprocess.run(["convert", picture, "-alpha", "off", "-depth", "8", "-format", "%c", "histogram:info:-"], check=True,
                          capture_output=True, text=True).stdout
    found = {}
    for count, code in re.findall(r"(\d+): \([^)]*\) #([0-9A-F]{6})", text):
        found[tuple(int(code[i:i + 2], 16) for i in (0, 2, 4))] = int(count)
    return found


def shows(found):
    """Hues of values found in the picture, next to black (the background of the waveform)."""
    hues = {name for name, is_hue in HUES.items() if sum(n for c, n in found.items() if is_hue(*c)) > 100}
    return hues | ({"black"} if found.get((0, 0, 0), 0) > WIDTH * HEIGHT // 5 else set())


def main():
    missing = [tool for tool in ("gtkwave", "Xvfb", "import", "convert") if shutil.which(tool) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        return 77
    heddle, program = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    started = []
    with tempfile.TemporaryDirectory(prefix="heddle-gtkwave-") as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([heddle, "run", "--machine", "small", "--vcd", folder / "bfs.vcd", "--signals", "sm0.issue.*,sm0.alu.*,sm0.memory.*",
                        "--window", f"{FIRST}:{LAST}", program, "--size", "small"], check=True, cwd=folder)
        (folder / "fit.tcl").write_text("gtkwave::/Time/Zoom/Zoom_Full\n")
        try:
            display, name = start_display(folder)
            started.append(display)
            environment = {**os.environ, "DISPLAY": name, "NO_AT_BRIDGE": "1", "HOME": temporary}
            log = open(folder / "gtkwave.txt", "w")
            started.append(subprocess.Popen(
                ["gtkwave", "--rcvar", "splash_disable on", "--rcvar", f"initial_window_x {WIDTH}", "--rcvar",
                 f"initial_window_y {HEIGHT}", "-S", "fit.tcl", "bfs.vcd", "bfs.gtkw"],
                cwd=folder, env=environment, stdout=log, stderr=log))
            picture, seen, until = folder / "window.png", set(), time.monotonic() + WAIT
            while time.monotonic() < until and started[-1].poll() is None:
                time.sleep(1)
                subprocess.run(["import", "-window", "root", picture], check=True, env=environment)
                before, seen = seen, shows(colours(picture))
                if seen == before and seen >= {"black", "orange", "blue", "yellow", "green"}:
                    break
            print(f"GTKWave shows {', '.join(sorted(seen)) or 'nothing'}")
            if len(sys.argv) > 3 and picture.exists():
                shutil.copy(picture, sys.argv[3])
            wanted = {"black", "orange", "blue", "yellow", "green"}
            if seen >= wanted and started[-1].poll() is None:
                return 0
            print(f"missing: {', '.join(sorted(wanted - seen))}\n{(folder / 'gtkwave.txt').read_text()[-2000:]}")
            return 1
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


if __name__ == "__main__":
    sys.exit(main())
