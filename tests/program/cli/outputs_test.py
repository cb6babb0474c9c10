#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every command of heddle that writes does with its outputs: refused before the work where they cannot be written or
exist, replaced with --force, named on standard error afterwards. And options without effect, which are refused.

usage: outputs_test.py HEDDLE PROGRAM [unittest arguments]

PROGRAM: a CUDA program that takes `--size small`.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HEDDLE = PROGRAM = None  # set at the end
USAGE, CONFIGURATION, IO = 2, 100, 106
RUN = {"schema_version": 1, "identity": {"machine": "small"}, "configuration": {}, "statistics": {"classes": {}}, "kernels": []}
PTX = """.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) { ret; }
"""

# What a command is and writes. OUT marks a file, FOLDER a folder of results, STARTED a program that says that it started.
ON_SMALL = ["--machine", "small"]
FILES = [(["report", "good.json", "-o", "OUT"], "page of 1 run"),
         (["draw", *ON_SMALL, "-o", "OUT"], "drawing"),
         (["cost", *ON_SMALL, "--json", "OUT"], "storage of the mechanisms"),
         (["memtrace", *ON_SMALL, "--accesses", "OUT", "trace.csv"], "start and end of each access"),
         (["memtrace", *ON_SMALL, "--vcd", "OUT", "trace.csv"], "waveform"),
         (["memtrace", *ON_SMALL, "--command-trace", "OUT", "trace.csv"], "DRAM commands"),
         (["run", *ON_SMALL, "--vcd", "OUT", "PROGRAM", "--size", "small"], "waveform"),
         (["run", *ON_SMALL, "--pipeline", "OUT", "PROGRAM", "--size", "small"], "pipeline log"),
         (["run", *ON_SMALL, "--timeline", "OUT", "PROGRAM", "--size", "small"], "timeline"),
         (["run", *ON_SMALL, "--command-trace", "OUT", "PROGRAM", "--size", "small"], "DRAM commands"),
         (["profile-loops", *ON_SMALL, "--loops", "OUT", "PROGRAM", "--size", "small"], "profile of loops"),
         (["run", *ON_SMALL, "--l1-trace", "OUT", "PROGRAM", "--size", "small"], "L1 trace"),
         (["run", "--functional", "--ptx", "k.ptx", "--save", "out=OUT", "zeros:u32:4"], "buffer out")]
FOLDERS = [(["run", *ON_SMALL, "-o", "FOLDER", "PROGRAM", "--size", "small"], "results: run.json, run.csv"),
           (["check", "-o", "FOLDER", "PROGRAM", "--size", "small"], "results: run.json, run.csv"),
           (["memtrace", *ON_SMALL, "-o", "FOLDER", "trace.csv"], "results: run.json, run.csv")]
STARTS = [["run", "--vcd", "OUT"], ["run", "--pipeline", "OUT"], ["run", "--timeline", "OUT"], ["run", "--command-trace", "OUT"],
          ["run", "--l1-trace", "OUT"], ["run", "-o", "OUT"], ["check", "-o", "OUT"], ["profile-loops", "--loops", "OUT"]]
# Commands that only print, and the compiler, which replaces its outputs as nvcc does. `sweep` goes on with its folder, and
# `best-limit` keeps what its file says of other kernels.
WITHOUT = {"annotate", "best-limit", "compare", "replay-l1", "top", "explain", "machines", "config", "schema", "reference", "cc", "sweep", "completion"}

IDLE = {
    "run": [(["--signals", "*"], "--vcd"), (["--window", "1:2"], "--vcd, --pipeline, --timeline, --profile or --inspect"),
            (["--sms", "0"], "--vcd, --pipeline, --timeline, --profile, --spans, --locality, --l1-trace or --inspect"),
            (["--warps", "0"], "--vcd, --pipeline, --timeline, --profile, --spans or --inspect"),
            (["--kernels", "k", "--vcd", "w.vcd"], "--pipeline, --timeline, --profile, --spans, --locality, --l1-trace or --inspect"),
            (["--trace-bytes", "9"], "--vcd, --pipeline, --timeline, --locality or --l1-trace"), (["--pipeline-lines", "packets"], "--pipeline"),
            (["--timeline-every", "9"], "--timeline"), (["--series-every", "9", "--inspect", "-o", "out"], "--series"),
            (["--series", "*"], "--output"), (["--profile"], "--output"), (["--spans"], "--output"),
            (["--locality"], "--output"),
            (["--inspect"], "--output"), (["--kernel", "k"], "--ptx"), (["--grid", "2"], "--ptx"), (["--block", "2"], "--ptx"),
            (["--shared", "2"], "--ptx"), (["--save", "0=x"], "--ptx"), (["--print", "0"], "--ptx")],
    "memtrace": [(["--signals", "*"], "--vcd"), (["--window", "1:2"], "--vcd"), (["--trace-bytes", "9"], "--vcd"),
                 (["--series-every", "9"], "--series"), (["--series", "*"], "--output")],
}
EXCLUDED = {
    "run": [(option, "--functional") for option in (
        ["--vcd", "w"], ["--pipeline", "p"], ["--timeline", "t"], ["--command-trace", "c"], ["--timing-kernels", "1"],
        ["--skip-kernels", "1"], ["--max-cycles", "9"], ["--threads", "2"], ["--thread-cycles", "4"], ["--inspect", "-o", "out"], ["--profile", "-o", "out"],
        ["--spans", "-o", "out"], ["--locality", "-o", "out"], ["--l1-trace", "l"], ["--series", "*", "-o", "out"])] + [(["--live"], "--quiet")],
    "check": [(["--live"], "--quiet")],
    "profile-loops": [(["--live"], "--quiet")],
    "sweep": [(["--jobs", "2"], "--list"), (["--jobs", "2"], "--collect"), (["--retry-failed"], "--list"),
              (["--retry-failed"], "--collect"), (["--retry-failed"], "--snakemake"), (["--retry-failed"], "--slurm")],
}


class Outputs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="outputs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "good.json").write_text(json.dumps(RUN))
        (self.folder / "trace.csv").write_text("kind,address,bytes\nread,0x100000,128\n")
        (self.folder / "k.ptx").write_text(PTX)

    def heddle(self, arguments, out="OUT", **environment):
        words = [PROGRAM if word == "PROGRAM" else word.replace("OUT", out).replace("FOLDER", out) for word in arguments]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_") or name == "HEDDLE_HOME"}
        return subprocess.run([HEDDLE, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, errors="replace", env={**kept, **environment})

    def with_flag(self, arguments, flag):
        return [arguments[0], flag, *arguments[1:]]

    def entries(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def test_every_command_that_writes_is_here(self):
        listed = {line.split()[0] for line in self.heddle(["--help"]).stdout.splitlines() if line.startswith("  ")}
        self.assertEqual(listed, WITHOUT | {arguments[0] for arguments, _ in FILES + FOLDERS})

    def test_a_machine_schedules_by_a_profile_of_loops(self):
        program = ["PROGRAM", "--size", "small"]
        machine = ["--machine", "daws-profiled", "--set", "gpu.sm_classes.0.count=2"]
        ended = self.heddle(["profile-loops", *machine, *program])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        profile = json.loads((self.folder / "loops.json").read_text())
        self.assertEqual(profile["format"], 1)
        self.assertTrue(profile["kernels"])
        ended = self.heddle(["run", *machine, "--set", "sm.divergence_aware.profile=loops.json", *program])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("warning", ended.stderr)
        ended = self.heddle(["run", *machine, *program])
        self.assertEqual(ended.returncode, CONFIGURATION)
        self.assertIn("sm.divergence_aware.profile: scheduling by a profile needs one", ended.stderr)
        kernel = profile["kernels"][0]["kernel"]
        (self.folder / "none.json").write_text('{"format": 1, "kernels": []}')
        ended = self.heddle(["run", *machine, "--set", "sm.divergence_aware.profile=none.json", *program])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stderr.count(f"none.json has no profile of kernel '{kernel}'"), 1, ended.stderr)

    def test_what_was_written_is_said_and_quiet_says_nothing(self):
        for i, (arguments, what) in enumerate(FILES + FOLDERS):
            with self.subTest(arguments=arguments):
                ended = self.heddle(arguments, f"out{i}")
                self.assertEqual(ended.returncode, 0, ended.stderr)
                said = [line for line in ended.stderr.splitlines() if "wrote " in line]
                self.assertEqual(len(said), 1, ended.stderr)
                self.assertIn(f"out{i} ({what}", said[0])
                self.assertTrue((self.folder / f"out{i}").exists())
                ended = self.heddle(self.with_flag(arguments, "--quiet"), f"quiet{i}")
                self.assertEqual(ended.returncode, 0)
                if arguments[0] != "check":  # its findings are said
                    self.assertEqual(ended.stderr, "")
                self.assertNotIn("wrote", ended.stderr)
                self.assertTrue((self.folder / f"quiet{i}").exists())

    def test_a_file_that_exists_is_replaced_only_by_force(self):
        for arguments, _ in FILES:
            with self.subTest(arguments=arguments):
                (self.folder / "old").write_text("before")
                ended = self.heddle(arguments, "old")
                self.assertEqual(ended.returncode, IO, ended.stderr)
                self.assertIn("old: exists already", ended.stderr)
                self.assertIn("--force", ended.stderr)
                self.assertEqual((ended.stdout, (self.folder / "old").read_text()), ("", "before"))
                ended = self.heddle(self.with_flag(arguments, "--force"), "old")
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertNotEqual((self.folder / "old").read_bytes(), b"before")

    def test_results_that_exist_are_replaced_only_by_force(self):
        for arguments, _ in FOLDERS:
            with self.subTest(arguments=arguments):
                shutil.rmtree(self.folder / "old", ignore_errors=True)
                (self.folder / "old").mkdir()
                (self.folder / "old" / "notes.txt").write_text("mine")
                self.assertEqual(self.heddle(arguments, "old").returncode, 0, "no results are in the folder yet")
                before = (self.folder / "old" / "run.json").read_bytes()
                ended = self.heddle(arguments, "old")
                self.assertEqual(ended.returncode, IO, ended.stderr)
                self.assertIn("old: holds the results of an earlier run (run.json)", ended.stderr)
                self.assertIn("--force", ended.stderr)
                self.assertEqual((ended.stdout, (self.folder / "old" / "run.json").read_bytes()), ("", before))
                self.assertEqual(self.heddle(self.with_flag(arguments, "-f"), "old").returncode, 0)
                self.assertEqual((self.folder / "old" / "notes.txt").read_text(), "mine")

    def test_a_view_of_a_waveform_that_exists_is_not_replaced(self):
        (self.folder / "wave.gtkw").write_text("arranged by hand")
        ended = self.heddle(["run", *ON_SMALL, "--vcd", "wave.vcd", "PROGRAM", "--size", "small"])
        self.assertEqual(ended.returncode, IO)
        self.assertIn("wave.gtkw: exists already", ended.stderr)
        self.assertFalse((self.folder / "wave.vcd").exists())

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        (self.folder / "file").touch()
        (self.folder / "folder").mkdir()
        (self.folder / "program").write_text("#!/bin/sh\necho started\n")
        (self.folder / "program").chmod(0o755)
        before = self.entries()
        places = {"/proc/none/x": "No such file", "file/below": "Not a directory", "x" * 300: "File name too long"}
        for arguments in [arguments for arguments, _ in FILES + FOLDERS] + [[*start, "./program"] for start in STARTS]:
            force = self.with_flag(arguments, "--force")
            for place, why in {**places, **({} if "-o" in arguments and arguments[0] in ("run", "check", "memtrace") else
                                            {"folder": "it is a folder"})}.items():
                with self.subTest(arguments=arguments, place=place[:20]):
                    ended = self.heddle(force, place)
                    self.assertEqual(ended.returncode, IO, ended.stderr)
                    self.assertIn("cannot be written", ended.stderr)
                    self.assertIn(place, ended.stderr)
                    self.assertIn(why, ended.stderr)
                    self.assertEqual(ended.stdout, "", "nothing has run")
        self.assertEqual(self.entries(), before)

    def test_a_sweep_whose_folder_cannot_be_written_runs_nothing(self):
        # The machine does not exist: that would be found next.
        (self.folder / "study.json").write_text(json.dumps({"machines": ["none"], "programs": [{"command": [PROGRAM]}]}))
        (self.folder / "file").touch()
        for place in ("file", "file/below", "/proc/none"):
            for mode in ([], ["--list"], ["--collect"]):
                ended = self.heddle(["sweep", "study.json", "-o", place, *mode])
                self.assertEqual((ended.returncode, ended.stdout), (IO, ""), ended.stderr)
                self.assertIn(f"{place}", ended.stderr)

    def test_devices_are_never_refused(self):
        for arguments, _ in FILES:
            for place in ("/dev/null", "/dev/stdout"):
                with self.subTest(arguments=arguments, place=place):
                    ended = self.heddle(arguments, place)
                    self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_folders_of_recordings_are_created(self):
        arguments = ["run", *ON_SMALL, "-o", "a/b", "--vcd", "a/b/w.vcd", "--command-trace", "c/d.csv", "PROGRAM", "--size", "small"]
        self.assertEqual(self.heddle(arguments).returncode, 0)
        self.assertTrue((self.folder / "a/b/w.vcd").exists() and (self.folder / "c/d.csv").exists())

    def test_a_report_under_the_default_name_is_replaced_and_nothing_else(self):
        for _ in range(2):
            ended = self.heddle(["report", "good.json"])
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.heddle(["report", "good.json", "-o", "report.html"]).returncode, IO)
        (self.folder / "report.html").write_text("<title>Mine</title>")
        ended = self.heddle(["report", "good.json"])
        self.assertEqual(ended.returncode, IO)
        self.assertIn("report.html: exists already", ended.stderr)

    def test_options_without_effect_are_refused(self):
        tail = {"run": ["PROGRAM"], "memtrace": ["trace.csv"], "check": ["PROGRAM"], "profile-loops": ["PROGRAM"], "sweep": []}
        for command, options in IDLE.items():
            for option, missing in options:
                with self.subTest(command=command, option=option):
                    ended = self.heddle([command, *option, *tail[command]])
                    self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""), ended.stderr)
                    self.assertIn(f"{option[0]} has no effect without {missing}\n", ended.stderr)
        for command, options in EXCLUDED.items():
            for option, other in options:
                with self.subTest(command=command, option=option, other=other):
                    ended = self.heddle([command, *option, other, *(tail[command] or ["study.json"])])
                    self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""), ended.stderr)
                    self.assertIn(f"{option[0]} has no effect with {other}", ended.stderr)

    def test_a_variable_serves_for_the_option_it_stands_for(self):
        arguments = ["run", *ON_SMALL, "--window", "1:20", "PROGRAM", "--size", "small"]
        self.assertEqual(self.heddle(arguments).returncode, USAGE)
        self.assertEqual(self.heddle(arguments, HEDDLE_VCD="w.vcd").returncode, 0)
        self.assertTrue((self.folder / "w.vcd").exists())
        self.assertEqual(self.heddle(["memtrace", "--window", "1:2", "trace.csv"], HEDDLE_VCD="v.vcd").returncode, USAGE,
                         "it reads no variables")

    def test_numbers_are_natural(self):
        for option, value in (("--max-cycles", "-5"), ("--max-cycles", "1e5"), ("--max-cycles", "1,5"), ("--max-cycles", "0"),
                              ("--max-instructions", "0"), ("--max-instructions", "-1")):
            ended = self.heddle(["run", option, value, "PROGRAM"])
            self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""), (option, value))
            self.assertIn(option, ended.stderr)

    def test_files_that_are_no_programs_are_explained(self):
        write = {"app.cu": "int main() {}\n", "k2.ptx": PTX, "script.sh": "#!/bin/sh\n", "text": "hello\n", "empty": "",
                 "lost.sh": "#!/no/such/shell\n"}
        for name, text in write.items():
            (self.folder / name).write_text(text)
        for name in ("text", "empty", "lost.sh"):
            (self.folder / name).chmod(0o755)
        (self.folder / "folder").mkdir()
        shutil.copy(PROGRAM, self.folder / "closed")
        (self.folder / "closed").chmod(0o644)
        shutil.copy(PROGRAM, self.folder / "here")
        said = {"app.cu": "is source code, not a program; `heddle cc app.cu -o app` makes one",
                "./app.cu": "is source code, not a program", "./app": "no such program; `heddle cc ./app.cu -o ./app` makes it",
                "k2.ptx": "`heddle run --ptx k2.ptx` runs one of its kernels", "./k2.ptx": "is PTX, not a program",
                "./script.sh": "chmod +x ./script.sh", "./closed": "chmod +x ./closed",
                "./text": "is neither a program nor a script", "./empty": "is empty, so not a program",
                "./lost.sh": "its first line names the interpreter /no/such/shell", "folder": "is a folder, not a program",
                "here": "no such program in PATH; the file in this folder is ./here", "./none": "no such program",
                "none": "no such program", "": "missing program"}
        before = self.entries()
        for name, message in said.items():
            with self.subTest(name=name):
                ended = self.heddle(["run", "-o", "out", name])
                self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""), ended.stderr)
                self.assertIn(message, ended.stderr)
        for name, message in {"app.cu": "`heddle cc -ptx app.cu` makes a PTX file", "none.ptx": "no such file",
                              "folder": "is a folder, not a PTX file", "here": "is a program, not a PTX file"}.items():
            ended = self.heddle(["run", "-o", "out", "--ptx", name])
            self.assertEqual((ended.returncode, ended.stdout), (USAGE, ""), ended.stderr)
            self.assertIn(message, ended.stderr)
        self.assertEqual(self.entries(), before, "nothing was created")

    def test_the_compiler_says_at_once_that_its_output_has_no_place(self):
        (self.folder / "app.cu").write_text("int main() {}\n")
        (self.folder / "folder").mkdir()
        for output, status, why in (("none/app", IO, "there is no folder none"), ("folder", IO, "it is a folder"),
                                    ("app.cu", USAGE, "is one of the sources"), ("./app.cu", USAGE, "is one of the sources")):
            ended = self.heddle(["cc", "app.cu", "-o", output])
            self.assertEqual(ended.returncode, status, ended.stderr)
            self.assertIn(why, ended.stderr)
        self.assertEqual((self.folder / "app.cu").read_text(), "int main() {}\n")
        ended = self.heddle(["cc", "app.cu", "-odir", "none", "-c"])
        self.assertEqual(ended.returncode, IO, ended.stderr)


if __name__ == "__main__":
    HEDDLE, PROGRAM = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
