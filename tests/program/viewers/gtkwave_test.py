#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a waveform of `heddle run --vcd`, with its view, in GTKWave on a virtual display, and checks a screenshot.

usage: gtkwave_test.py HEDDLE PROGRAM [PICTURE]. PICTURE: where to save the screenshot. Exits with 77 (skipped) without gtkwave, Xvfb or ImageMagick.
"""
import pathlib
import subprocess
import sys
import tempfile

import gtkwave

# Colours of the view: orange for values valid in one cycle, blue for decimal, yellow for text, and red for the marker, a line from
# top to bottom. The rest is green; none of it need be on the first screen.
HUES = {"orange": lambda r, g, b: r > 200 and 100 < g < 200 and b < 80, "blue": lambda r, g, b: b > 180 and r < 120,
        "yellow": lambda r, g, b: r > 200 and g > 200 and b < 100,
        "marker": lambda r, g, b: r > 220 and 80 < g < 150 and 80 < b < 150}
WANTED = {"black", *HUES}
WIDTH, HEIGHT = 1600, 900


def shows(found):
    """Hues of values found in the picture, next to black (the background of the waveform)."""
    hues = {name for name, is_hue in HUES.items() if sum(n for c, n in found.items() if is_hue(*c)) > 100}
    return hues | ({"black"} if found.get((0, 0, 0), 0) > WIDTH * HEIGHT // 5 else set())


def main():
    if gtkwave.missing():
        print(f"not installed: {', '.join(gtkwave.missing())}")
        return 77
    heddle, program = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="heddle-viewers-") as temporary:
        folder = pathlib.Path(temporary)
        # All of the run: nothing but the moment at which the view opens makes values readable.
        subprocess.run([heddle, "run", "--machine", "small", "--vcd", folder / "bfs.vcd", "--sms", "0", program, "--size", "small"],
                       check=True, cwd=folder)
        picture = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else folder / "window.png"
        seen = set()

        def ready(found):
            seen.clear()
            seen.update(shows(found))
            return seen >= WANTED

        good, printed = gtkwave.screenshot(folder / "bfs.vcd", folder / "bfs.gtkw", picture, width=WIDTH, height=HEIGHT, ready=ready)
        print(f"GTKWave shows {', '.join(sorted(seen)) or 'nothing'}")
        if not good:
            print(f"missing: {', '.join(sorted(WANTED - seen))}\n{printed}")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
