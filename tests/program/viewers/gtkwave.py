# SPDX-License-Identifier: Apache-2.0
"""GTKWave on a virtual display of its own, and its window as a picture."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

TOOLS = ("gtkwave", "Xvfb", "import", "convert")


def missing():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def start_display(folder, width, height):
    """Starts Xvfb on a free display. Returns the process and the display's name."""
    reading, writing = os.pipe()
    log = open(folder / "xvfb.txt", "w")
    display = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
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


def screenshot(waveform, view, picture, *, width=1600, height=900, labels=None, scale=1, ready, seconds=60):
    """Opens a waveform with its view and saves the window once ready(colours of the picture) twice in a row.

    width, height: of the window, in units of `scale` pixels; labels: width of the names, default: that of the view. Returns whether it got ready, and what GTKWave printed."""
    waveform, view = pathlib.Path(waveform).resolve(), pathlib.Path(view).resolve()
    started = []
    with tempfile.TemporaryDirectory(prefix="heddle-gtkwave-") as temporary:
        folder = pathlib.Path(temporary)
        # The window has the size that the view asks for.
        own = folder / view.name
        text = re.sub(r"(?m)^\[size\].*$", f"[size] {width} {height}", view.read_text())
        own.write_text(re.sub(r"(?m)^\[signals_width\].*$", f"[signals_width] {labels}", text) if labels else text)
        try:
            display, name = start_display(folder, width * scale, height * scale)
            started.append(display)
            environment = {**os.environ, "DISPLAY": name, "NO_AT_BRIDGE": "1", "HOME": temporary, "GDK_SCALE": str(scale)}
            log = open(folder / "gtkwave.txt", "w")
            started.append(subprocess.Popen(
                ["gtkwave", "--rcvar", "splash_disable on", "--rcvar", f"initial_window_x {width}", "--rcvar",
                 f"initial_window_y {height}", waveform.name, own], cwd=waveform.parent, env=environment, stdout=log, stderr=log))
            until, was_ready = time.monotonic() + seconds, False
            while time.monotonic() < until and started[-1].poll() is None:
                time.sleep(1)
                subprocess.run(["import", "-window", "root", picture], check=True, env=environment)
                before, was_ready = was_ready, ready(colours(picture))
                if before and was_ready:
                    return True, ""
            return False, (folder / "gtkwave.txt").read_text()[-2000:]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()
