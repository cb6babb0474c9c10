#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures in docs/pictures anew, from real runs.

usage: pictures.py [KIND...]    report, waveform, pipeline, timeline, drawings; default: all

Builds Heddle and runs the demo by the driver. Needs the packages of the purposes `test` and `docs` (./heddle setup). Pictures are
900 pixels wide, or drawn twice as large for that width, so that their text is readable where the README is shown.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES, BUILD, DEMO = ROOT / "docs/pictures", ROOT / "build/release", ROOT / "out/demo"
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/program/viewers")]
import gtkwave  # noqa: E402
import trace_pictures  # noqa: E402


def call(*words, **options):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **options)


class Runs:
    """Programs, and what their runs wrote, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder

    def program(self, name):
        path = self.folder / name
        if not path.exists():
            call(BUILD / "bin/heddle", "cc", "-O2", "-lineinfo", ROOT / f"workloads/{name}.cu", "-o", path)
        return path

    def run(self, machine, name, *options, size="small"):
        call(BUILD / "bin/heddle", "run", "--quiet", "--machine", machine, *options, self.program(name), "--size", size, cwd=self.folder)


def packed(runs):
    """Records blackjack on barrel-core and large-warp-core. Returns an instruction that a large warp issues in at least five packets
    for half of its threads: its program counter, and by machine the cycle of its issue, which is the same one in the course of the
    program."""
    lines = {}
    for machine in ("barrel-core", "large-warp-core"):
        runs.run(machine, "blackjack", "--pipeline", f"{machine}.kanata", "--pipeline-lines", "packets")
        lines[machine] = sorted(trace_pictures.read_pipeline(runs.folder / f"{machine}.kanata"), key=lambda line: line["issue"])
    issues = {machine: [] for machine in lines}  # [program counter, cycle, threads of its packets], of warp 0
    for machine, of_machine in lines.items():
        for line in of_machine:
            _, context, pc = line["label"].split()[:3]
            if context != "c0":
                continue
            if machine == "large-warp-core" and "packet 1," not in line["label"] and "packet " in line["label"]:
                issues[machine][-1][2].append(line["threads"])
            else:
                issues[machine].append([int(pc), line["issue"], [line["threads"]]])
    for place, (pc, cycle, threads) in enumerate(issues["large-warp-core"]):
        if len(threads) >= 5 and 100 <= sum(threads) <= 160:
            times = sum(1 for other in issues["large-warp-core"][:place] if other[0] == pc)
            same = [issue for issue in issues["barrel-core"] if issue[0] == pc]
            return pc, {"large-warp-core": cycle, "barrel-core": same[min(times, len(same) - 1)][1]}
    raise SystemExit("pictures: no large warp packs half of its threads any more; choose another moment")


def report(_):
    call("cmake", "--build", BUILD, "--target", "heddle_report_page", "report_test_packages")
    call("node", ROOT / "tools/report_screenshots.mjs", BUILD, DEMO, PICTURES)


def screenshot(runs, name, picture, **size):
    def drawn(found):  # the values of the first cycle and the marker are there
        return found.get((0, 0, 0), 0) > 0.2 * sum(found.values()) and sum(n for (r, g, b), n in found.items() if r > 200 and b < 100) > 500
    good, printed = gtkwave.screenshot(runs.folder / f"{name}.vcd", runs.folder / f"{name}.gtkw", PICTURES / picture, scale=2, ready=drawn, **size)
    if not good:
        raise SystemExit(f"pictures: GTKWave shows nothing: {printed}")


def waveform(runs):
    _, cycles = packed(runs)
    first = cycles["large-warp-core"] - 3
    runs.run("large-warp-core", "blackjack", "--vcd", "packing.vcd", "--window", f"{first}:{first + 20}", "--signals",
             "sm0.issue.slot0_*,sm0.packer.*,sm0.warps.warp?")
    screenshot(runs, "packing", "waveform.png", width=1000, height=578, labels=235)
    runs.run("small", "bfs", "--vcd", "bfs.vcd", "--signals", "sm0.*")
    screenshot(runs, "bfs", "waveform-view.png", width=1100, height=790, labels=335)


def pipeline(runs):
    _, cycles = packed(runs)
    call(sys.executable, ROOT / "tools/trace_pictures.py", "pipeline", PICTURES / "pipeline-view.png",
         f"barrel-core.kanata@{cycles['barrel-core']}=barrel-core: a warp is 32 threads, whatever they do",
         f"large-warp-core.kanata@{cycles['large-warp-core']}=large-warp-core: sub-warps packed from the 256 threads of a warp",
         "--cycles", 30, "--lines", 13, cwd=runs.folder)
    runs.run("small", "bfs", "--pipeline", "bfs.kanata", "--sms", 0, "--window", "20600:20720")
    call(sys.executable, ROOT / "tools/trace_pictures.py", "pipeline", PICTURES / "pipeline-stages.png", "bfs.kanata@20609", "--cycles", 45,
         "--lines", 24, cwd=runs.folder)


def timeline(runs):
    runs.run("gtx480", "spmv_scalar", "--timeline", "spmv.json", "--timeline-every", 50, "--sms", 0, "--window", "0:5000", size="medium")
    call(sys.executable, ROOT / "tools/trace_pictures.py", "timeline", PICTURES / "timeline.png", "spmv.json", "--cycles", 5000, "--processes",
         "GPU,SM 0,memory partition 0", cwd=runs.folder)


def drawings(_):
    call(ROOT / "tools/drawings.sh", BUILD / "bin/heddle")


KINDS = {"report": report, "waveform": waveform, "pipeline": pipeline, "timeline": timeline, "drawings": drawings}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    kinds = parser.parse_args().kinds or list(KINDS)
    if set(kinds) - set(KINDS):
        parser.error(f"kinds are {', '.join(KINDS)}")
    if gtkwave.missing() and "waveform" in kinds:
        parser.error(f"not installed: {', '.join(gtkwave.missing())}; ./heddle setup test")
    call(ROOT / "heddle", "demo" if "report" in kinds else "build", *([] if "report" in kinds else ["heddle_program"]))
    started = time.time()
    with tempfile.TemporaryDirectory(prefix="heddle-pictures-") as folder:
        runs = Runs(pathlib.Path(folder))
        for kind in kinds:
            print(f"pictures: {kind}", flush=True)
            KINDS[kind](runs)
    for picture in (picture for picture in sorted(PICTURES.glob("*.png")) if picture.stat().st_mtime > started):
        # 256 colours are enough for charts and windows, and halve the files.
        call("mogrify", "-strip", "+dither", "-colors", 256, "-define", "png:exclude-chunks=date,time", picture)


if __name__ == "__main__":
    main()
