#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the book, page by page, each page in its own folder that resembles a clone of the repository.

usage: commands_test.py [--sample] HEDDLE [page.md ...]      (pages below docs/; default: all; --sample: half of those with
commands, a different half for each commit)

Each folder contains `workloads` and other parts of the repository, ./app (a small CUDA program), the page's files, and
the prerequisites of the page from SETTING and projects/PAGE. `heddle` and ./heddle are the built program, $PREFIX is its
prefix. Viewers are replaced by a script that fails if a file to be opened is missing. Exits with 1 if a command's status
differs from that given on the page, and with 77 (skipped) if nothing could be compiled. Commands that are not run are
listed with the reason.
"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

import pages

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import by_commit  # noqa: E402

LONGEST = 60  # time limit of a command, seconds
# Pages that build against an installed Heddle (the build tree is not one), and the parts of the repository they need.
INSTALLED = {"guide-memory-kind.md": ["docs/examples"]}
LONGEST_BUILD = 600
COMPILE = "heddle cc -O2 -lineinfo workloads/{0}.cu -o {0}"
RUN = "heddle run --machine small {1} -o {0} ./app"
# Prerequisites of these pages.
SETTING = {
    "report.md": [COMPILE.format("bfs")],
    "profiles.md": [COMPILE.format("bfs")],
    "locality.md": [COMPILE.format("spmv_scalar")],
    "timeline.md": [COMPILE.format("bfs")],
    "guide-memory-kind.md": [COMPILE.format("bfs")],
    "pipeline-view.md": [COMPILE.format("bfs")],
    "statistics.md": [RUN.format(".", "--inspect"), RUN.format("a", ""), RUN.format("b", "--set sm.order=lrr")],
}
# Many pages compile the same programs of the repository: each is compiled once per set of options.
COMPILES = re.compile(r"(?:\./)?heddle cc (?P<what>(?:-O2 )?(?:-lineinfo )?workloads/\w+\.cu) -o (?P<program>\w+)")
# Tools that may be missing; the rest of the page is then listed as not run.
TOOLS = {"jq": r"\bjq\b", "verilator": r"\bverilator\b|=rtl\b|=lockstep\b|_rtl\b", "yosys": r"\byosys\b", "cmake": r"\bcmake\b",
         "snakemake": r"\bsnakemake\b", "make": r"\bmake\b", "vcd2fst": r"\bvcd2fst\b|\.fst\b", "node": r"\bheddle report\b"}
VIEWERS = {"gtkwave", "konata"}
OPENS = """#!/bin/sh
for file; do [ -s "$file" ] || { echo "there is no $file to open" >&2; exit 1; }; done
"""


def lacking(command):
    """The first tool that the command needs and that is missing here; empty if there is none."""
    return next((tool for tool, sign in TOOLS.items() if re.search(sign, command) and shutil.which(tool) is None), "")


def write_script(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Reader:
    """A reader who follows one page."""

    compiled = {}  # shared by all readers; source and options: the program's bytes

    def __init__(self, name, folder, heddle, app):
        self.name, self.folder = name, folder
        self.failures, self.not_run, self.count, self.lacking = [], [], 0, ""
        programs = folder / ".programs"
        programs.mkdir(parents=True)
        write_script(folder / "heddle", f'#!/bin/sh\nexec {heddle} "$@"\n')
        write_script(programs / "heddle", f'#!/bin/sh\nexec {heddle} "$@"\n')
        for viewer in VIEWERS:
            write_script(programs / viewer, OPENS)
        for part in ["workloads", "rtl", *INSTALLED.get(name, [])]:  # copies: a page may write where it likes
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(app, folder / "app")
        self.longest = LONGEST_BUILD if name in INSTALLED else LONGEST
        if name in INSTALLED and not (heddle.parent.parent / "include" / "heddle").is_dir():
            self.lacking = "installed Heddle"
        if (HERE / "projects" / name).is_dir():
            shutil.copytree(HERE / "projects" / name, folder, dirs_exist_ok=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HEDDLE_")}
        self.environment = {**kept, "PATH": f"{programs}:{os.environ['PATH']}",
                            "PREFIX": str(heddle.parent.parent)}

    def run(self, command, status, place):
        compiles = COMPILES.fullmatch(command) if status == 0 else None
        program = compiles and self.folder / compiles["program"]
        if compiles and compiles["what"] in self.compiled:
            program.write_bytes(self.compiled[compiles["what"]])
            program.chmod(0o755)
            self.count += 1
            return
        started = time.monotonic()
        try:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, timeout=self.longest,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            ended, said = done.returncode, (done.stdout + done.stderr)[-1500:]
        except subprocess.TimeoutExpired:
            ended, said = "no end", f"after {self.longest} s"
        self.count += 1
        if ended != status:
            self.failures.append(f"{place}: {command}\n  ended with {ended}, not {status}\n{said}")
        elif time.monotonic() - started > 5:
            print(f"{place}: took {time.monotonic() - started:.0f} s: {command}")
        if compiles and program.is_file():
            self.compiled[compiles["what"]] = program.read_bytes()

    def follow(self, page):
        for command in SETTING.get(self.name, []):
            self.run(command, 0, f"{self.name} (before)")
        parts = pages.blocks(page.read_text())
        for block in parts:
            if block.file:
                (self.folder / block.file).write_text(block.text + "\n")
        for block in parts:
            if block.file:
                continue
            for line, command in pages.commands(block):
                place = f"docs/{self.name}:{line}"
                self.lacking = self.lacking or lacking(command)
                reason = block.not_run or (f"there is no {self.lacking}" if self.lacking else pages.synopsis(command))
                if reason:
                    self.not_run.append(f"{place}: {command} ({reason})")
                else:
                    self.run(command, block.status, place)


def has_commands(page):
    return any(True for block in pages.blocks(page.read_text()) if not block.file for _ in pages.commands(block))


def chosen_pages(arguments):
    sample = arguments[:1] == ["--sample"]
    chosen = [ROOT / "docs" / name for name in arguments[1 + sample:]] or sorted((ROOT / "docs").rglob("*.md"))
    chosen = {str(page.relative_to(ROOT / "docs")): page for page in chosen if has_commands(page)}
    if sample:
        commit = by_commit.commit()
        print(f"chosen by the commit {commit}")
        chosen = {name: chosen[name] for name in by_commit.chosen(chosen, (len(chosen) + 1) // 2, commit)}
    return arguments[sample], chosen


def main():
    heddle, chosen = chosen_pages(sys.argv[1:])
    heddle = pathlib.Path(heddle).resolve()
    failures, not_run, count = [], [], 0
    with tempfile.TemporaryDirectory(prefix="heddle-book-") as temporary:
        app = pathlib.Path(temporary) / "app"
        if subprocess.run([heddle, "cc", "-O2", "-lineinfo", HERE / "app.cu", "-o", app]).returncode != 0:
            print("heddle cc could not compile a program")
            return 77 if not any(shutil.which(f"clang++-{version}") for version in range(14, 20)) else 1
        for name, page in chosen.items():
            reader = Reader(name, pathlib.Path(temporary) / name.replace("/", "-"), heddle, app)
            reader.follow(page)
            failures += reader.failures
            not_run += reader.not_run
            count += reader.count
            shutil.rmtree(reader.folder)
    for entry in not_run:
        print(f"not run: {entry}")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{count} commands run on {len(chosen)} pages, {len(not_run)} not run, {len(failures)} failed")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
