#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of heddle with unusual files: the result must be an error message and a documented status, never an
uncaught exception, a replaced device or a silent wait.

usage: odd_files_test.py [--sample] HEDDLE PROGRAM [unittest arguments]

PROGRAM: a CUDA program that takes `--size small`. --sample: each file is given to half of the
commands, a different half for each commit.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import by_commit  # noqa: E402

HEDDLE = PROGRAM = COMMIT = None  # set at the end; COMMIT with --sample only
USAGE, CONFIGURATION, IO = 2, 100, 106
DOCUMENTED = {0, 1, USAGE, *range(100, 111), 130}
DEEP = 1_000_000
MOST_BYTES = 2 << 30  # limit of the address space: ends commands that take quadratic memory
NOBODY = 65534

RUN = {"schema_version": 1, "identity": {"machine": "small"}, "configuration": {}, "statistics": {"classes": {}},
       "kernels": [], "profile": {"files": [], "kernels": [{"name": "k", "instructions": []}]}}

# Commands with file arguments; ODD marks the file. Commands not listed take none.
READERS = {
    "compare": [["ODD", "good.json"], ["good.json", "ODD"]],
    "annotate": [["ODD"]],
    "report": [["ODD", "-o", "page.html"], ["good.json", "ODD", "-o", "page.html"]],
    "memtrace": [["ODD"], ["--machine", "ODD", "trace.csv"]],
    "replay-l1": [["ODD"]],
    "config": [["--machine", "ODD"], ["--machine", "small", "--against", "ODD"]],
    "cost": [["--machine", "ODD"]],
    "draw": [["--machine", "ODD"]],
    "explain": [["--machine", "ODD", "sm.order"]],
    "sweep": [["ODD", "-o", "out"], ["ODD", "-o", "out", "--list"], ["ODD", "-o", "out", "--collect"]],
    "top": [["ODD", "--once"]],
    "run": [["ODD"], ["--machine", "ODD", "PROGRAM", "--size", "small"]],
    "check": [["ODD"], ["--machine", "ODD", "PROGRAM", "--size", "small"]],
    "profile-loops": [["ODD"], ["--machine", "ODD", "PROGRAM", "--size", "small"]],
    "best-limit": [["--limits", "1", "ODD"], ["--limits", "1", "--machine", "ODD", "PROGRAM", "--size", "small"]],
    "cc": [["-c", "-x", "cu", "ODD", "-o", "a.o"], ["-dlink", "ODD", "-o", "a.o"], ["@ODD"], ["-optf", "ODD"]],
}
WITHOUT_FILES = {"machines", "schema", "reference", "completion"}
# Commands that print to standard output on success.
PRINTERS = [["machines"], ["schema"], ["reference", "parameters"], ["reference", "statistics"], ["reference", "commands"],
            ["reference", "variables"], ["explain"], ["config", "--machine", "small"], ["cost", "--machine", "small"],
            ["draw", "--machine", "small"],
            ["compare", "good.json", "good.json"], ["annotate", "good.json"], ["memtrace", "--machine", "small", "trace.csv"],
            ["top", "--once"], ["--help"], ["--version"], ["run", "--help"],
            ["cc", "--help"], ["cc", "--version"]]
# Commands that write a file; OUT marks it.
WRITERS = [["report", "good.json", "-o", "OUT"], ["cost", "--machine", "small", "--json", "OUT"],
           ["draw", "--machine", "small", "-o", "OUT"],
           ["memtrace", "--machine", "small", "trace.csv", "--accesses", "OUT"],
           ["memtrace", "--machine", "small", "trace.csv", "--vcd", "OUT"],
           ["memtrace", "--machine", "small", "trace.csv", "--command-trace", "OUT"],
           ["run", "--machine", "small", "--vcd", "OUT", "PROGRAM", "--size", "small"],
           ["run", "--machine", "small", "--timeline", "OUT", "PROGRAM", "--size", "small"],
           ["run", "--machine", "small", "--pipeline", "OUT", "PROGRAM", "--size", "small"],
           ["run", "--machine", "small", "--command-trace", "OUT", "PROGRAM", "--size", "small"],
           ["run", "--machine", "small", "--l1-trace", "OUT", "PROGRAM", "--size", "small"],
           ["cc", "-ptx", "app.cu", "-o", "OUT"], ["cc", "-dc", "app.cu", "-o", "OUT"],
           ["cc", "-MD", "-MF", "OUT", "-c", "app.cu", "-o", "a.o"]]


def sampled(commands, subject):
    """The commands to try on a file or argument: all, or with --sample half of them."""
    if COMMIT is None:
        return list(commands)
    by_name = {str(command): command for command in commands}
    return [by_name[name] for name in by_commit.chosen(by_name, (len(by_name) + 1) // 2, f"{COMMIT} {subject}")]


class OddFiles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="odd-"))
        self.folder.chmod(0o755)
        (self.folder / "good.json").write_text(json.dumps(RUN))
        (self.folder / "trace.csv").write_text("kind,address,bytes\nread,0x100000,128\n")
        (self.folder / "app.cu").write_text("__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def heddle(self, arguments, timeout=60, user=None, **options):
        def limit():
            if arguments[0] in ("compare", "annotate", "report"):  # the others reserve device memory
                resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES,) * 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if user is not None:
                os.setgid(user)
                os.setuid(user)

        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        words = [HEDDLE, *(PROGRAM if word == "PROGRAM" else word for word in arguments)]
        return subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, timeout=timeout, errors="replace",
                              preexec_fn=limit, **options)

    def check_end(self, arguments, ended):
        said = f"heddle {' '.join(map(str, arguments))[:200]}: {ended.returncode}: {ended.stderr[-500:]}"
        self.assertIn(ended.returncode, DOCUMENTED, said)
        self.assertNotIn("terminate called", ended.stderr, said)
        if ended.returncode not in (0, 130) and ended.returncode != 1:
            self.assertIn("error:", ended.stderr, said)
        if "-c" not in arguments:  # compiler messages about random bytes are not ours
            self.assertLess(len(ended.stderr), 20000, said[:300])
        return ended

    def walk(self, odd, failing=True, without=(), **options):
        """Runs every command that reads a file on this one."""
        for command in sampled([one for one in READERS if one not in without], odd):
            for form in READERS[command]:
                arguments = [command] + [word.replace("ODD", str(odd)) for word in form]
                with self.subTest(arguments=" ".join(arguments)[:200]):
                    ended = self.check_end(arguments, self.heddle(arguments, **options))
                    # Views of nothing are not errors, and top expects a folder; an empty file is a valid program, an object
                    # without device code and list of options.
                    if failing and command not in ("top", "cc"):
                        self.assertNotEqual(ended.returncode, 0, arguments)

    def test_every_command_is_walked(self):
        listed = self.heddle(["--help"]).stdout.splitlines()
        names = {line.split()[0] for line in listed if line.startswith("  ")}
        self.assertEqual(names, set(READERS) | WITHOUT_FILES)

    def test_a_missing_file(self):
        self.walk("nowhere/at.all")

    def test_a_folder(self):
        (self.folder / "folder").mkdir()
        self.walk("folder")
        self.walk("./folder/")
        for command in (["compare", "folder", "good.json"], ["annotate", "folder"], ["report", "folder"]):
            self.assertIn("folder/run.json: cannot be read: No such file", self.heddle(command).stderr)
        self.assertIn("it is a folder", self.heddle(["memtrace", "folder"]).stderr)
        self.assertIn("is a folder, not a program", self.heddle(["run", "./folder"]).stderr)
        # A results folder stands for the files in it.
        shutil.copy(self.folder / "good.json", self.folder / "folder" / "run.json")
        self.assertEqual(self.heddle(["compare", "folder", "good.json"]).returncode, 0)
        self.assertEqual(self.heddle(["annotate", "folder"]).returncode, 0)

    def test_an_empty_file(self):
        (self.folder / "empty").touch()
        self.walk("./empty")

    def test_half_a_file(self):
        whole = json.dumps(RUN)
        (self.folder / "half.json").write_text(whole[:len(whole) // 2])
        self.walk("./half.json")
        (self.folder / "string.json").write_text('{"a": "' + "x" * 5_000_000)
        self.walk("./string.json")

    def test_noise(self):
        (self.folder / "noise").write_bytes(random.Random(1).randbytes(1 << 16))
        (self.folder / "noise").chmod(0o755)
        self.walk("./noise")
        (self.folder / "elf").write_bytes(b"\x7fELF\2\1\1" + random.Random(2).randbytes(1 << 16))
        (self.folder / "elf").chmod(0o755)
        self.walk("./elf")

    def test_nesting_without_end_takes_no_more_than_its_bytes(self):
        for name, text in (("objects", '{"schema_version":1,"a":' + '{"a":' * DEEP), ("lists", "[" * DEEP),
                           ("skipped", '{"schema_version":1,"structures":' + '{"a":' * DEEP),
                           ("table", '{"schema_version":1,"time_series":{"rows":' + "[" * DEEP)):
            (self.folder / name).write_text(text)
            self.walk(f"./{name}", without={"cc"})  # clang crashes on such a source
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            self.assertLess(before, 1 << 20, "KiB")

    def test_many_keys_take_no_quadratic_time(self):
        (self.folder / "keys.json").write_text(
            '{"schema_version": 1, "statistics": {' + ", ".join(f'"k{i}": 0' for i in range(300_000)) + "}}")
        begun = time.monotonic()
        self.assertEqual(self.heddle(["compare", "keys.json", "good.json"]).returncode, 0)
        self.assertLess(time.monotonic() - begun, 20)
        (self.folder / "twice.json").write_text('{"a": 1, ' + ", ".join(f'"k{i}": 0' for i in range(100)) + ', "a": 2}')
        self.assertIn("'a' occurs twice", self.heddle(["annotate", "twice.json"]).stderr)

    def test_a_file_that_may_not_be_read(self):
        (self.folder / "closed").write_text("{}")
        (self.folder / "closed").chmod(0)
        user = NOBODY if os.geteuid() == 0 else None
        try:
            self.heddle(["--version"], user=user)
        except (PermissionError, subprocess.SubprocessError):
            self.skipTest("nobody may not run the command here")
        self.folder.chmod(0o777)
        self.walk("./closed", user=user)
        self.assertIn("Permission denied", self.heddle(["annotate", "closed"], user=user).stderr)

    def test_names_that_no_file_has(self):
        (self.folder / "loop").symlink_to("loop")
        for name in ("x" * 5000, "./" + "x" * 300, "loop", "./loop", "a\nb.json", "", "/proc/self/mem", "/dev/tty0/x"):
            self.walk(name, failing=name != "")  # an empty name means the default

    def test_devices_that_end_and_that_do_not(self):
        self.walk("/dev/null")
        self.walk("/dev/zero", without={"cc"})  # its compiler reads what it is told to
        self.assertIn("it is an endless device", self.heddle(["annotate", "/dev/zero"]).stderr)

    def test_a_pipe(self):
        os.mkfifo(self.folder / "pipe")

        def feed():
            with open(self.folder / "pipe", "w") as pipe:
                pipe.write(json.dumps(RUN))

        writer = threading.Thread(target=feed, daemon=True)
        writer.start()
        ended = self.heddle(["compare", "pipe", "good.json"])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        writer.join()
        # A pipe without a writer: the command waits and says so.
        waiting = subprocess.Popen([HEDDLE, "annotate", "pipe"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting for data from pipe pipe", waiting.stderr.readline())
        feed()
        self.assertEqual(waiting.wait(timeout=20), 0)
        waiting.stderr.close()
        # A program cannot be a pipe.
        self.check_end(["run"], self.heddle(["run", "./pipe"]))

    def test_output_goes_through_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        got = []
        reader = threading.Thread(target=lambda: got.append((self.folder / "pipe").read_text()), daemon=True)
        reader.start()
        ended = self.heddle(["cost", "--machine", "small", "--json", "pipe"])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        reader.join(timeout=20)
        self.assertEqual(json.loads(got[0])["machine"], "small")
        self.assertTrue(stat.S_ISFIFO((self.folder / "pipe").stat().st_mode))

    def test_output_follows_a_link(self):
        (self.folder / "real").mkdir()
        (self.folder / "page").symlink_to("real/page.html")
        for _ in range(2):  # created, then replaced
            self.assertEqual(self.heddle(["report", "good.json", "--force", "-o", "page"]).returncode, 0)
            self.assertTrue((self.folder / "page").is_symlink())
            self.assertIn("<", (self.folder / "real" / "page.html").read_text())
        with open(self.folder / "out.json", "w") as out:
            ended = self.heddle(["cost", "--machine", "small", "--json", "/dev/stdout"], stdout=out)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue(os.path.islink("/dev/stdout"))
        self.assertIn('"mechanisms"', (self.folder / "out.json").read_text())

    def device(self, name, minor):
        node = self.folder / name
        try:
            os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            open(node, "w").close()
        except PermissionError:
            self.skipTest("this user makes no devices here")
        return node

    def test_output_onto_a_device_goes_through_it(self):
        for name in ("null", "null.gz"):
            for writer in sampled(WRITERS, name):
                node = self.device(name, 3)
                arguments = [word.replace("OUT", name) for word in writer]
                with self.subTest(arguments=" ".join(arguments)):
                    ended = self.check_end(arguments, self.heddle(arguments))
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertTrue(stat.S_ISCHR(node.stat().st_mode), "the device is a device still")
                node.unlink()
        self.assertEqual(list(self.folder.glob("*.gtkw")), [], "a device has no view beside it")

    def test_what_cannot_go_through_a_device_is_refused(self):
        node = self.device("null.fst", 3)
        ended = self.heddle(["memtrace", "--machine", "small", "trace.csv", "--vcd", "null.fst"])
        self.assertEqual(ended.returncode, USAGE, ended.stderr)
        self.assertIn("FST can only be written to a regular file", ended.stderr)
        self.assertTrue(stat.S_ISCHR(node.stat().st_mode))

    def test_a_full_disk(self):
        for writer in sampled(WRITERS, "full"):
            node = self.device("full", 7)
            arguments = [word.replace("OUT", "full") for word in writer]
            with self.subTest(arguments=" ".join(arguments)):
                ended = self.check_end(arguments, self.heddle(arguments))
                self.assertNotEqual(ended.returncode, 0, arguments)
                self.assertIn("No space left on device", ended.stderr)
                self.assertTrue(stat.S_ISCHR(node.stat().st_mode))
            node.unlink()

    def test_a_standard_output_without_room(self):
        for printer in PRINTERS:
            with self.subTest(arguments=" ".join(printer)), open("/dev/full", "w") as full:
                ended = self.check_end(printer, self.heddle(printer, stdout=full))
                self.assertEqual(ended.returncode, IO, ended.stderr)
                self.assertIn("standard output: cannot be written", ended.stderr)

    def test_output_onto_a_folder_or_below_a_file(self):
        (self.folder / "folder").mkdir()
        (self.folder / "file").touch()
        for place in ("folder", "file/below"):
            for writer in sampled(WRITERS, place):
                arguments = [word.replace("OUT", place) for word in writer]
                with self.subTest(arguments=" ".join(arguments)):
                    self.assertNotEqual(self.check_end(arguments, self.heddle(arguments)).returncode, 0, arguments)
        for arguments in (["memtrace", "--machine", "small", "trace.csv", "-o", "file"],
                          ["run", "--machine", "small", "-o", "file", "PROGRAM", "--size", "small"],
                          ["sweep", "study.json", "-o", "file"]):
            (self.folder / "study.json").write_text(json.dumps({"name": "s", "machines": ["small"],
                                                                "programs": [{"command": [PROGRAM, "--size", "small"]}]}))
            with self.subTest(arguments=" ".join(arguments)):
                self.assertEqual(self.check_end(arguments, self.heddle(arguments)).returncode, IO)

    def test_arguments_that_mean_nothing(self):
        for argument in ("--nonsense", "--machine", "-", "--", "", "\xff\xfe", "y" * 5000, "--set", "--set=a.b.c.d=1"):
            for command in sampled(sorted(set(READERS) | WITHOUT_FILES), argument):
                with self.subTest(command=command, argument=argument[:20]):
                    self.check_end([command, argument], self.heddle([command, argument]))
        for arguments in ([""], ["\xff"], ["y" * 5000]):
            self.assertEqual(self.check_end(arguments, self.heddle(arguments)).returncode, USAGE)


if __name__ == "__main__":
    if sys.argv[1] == "--sample":
        del sys.argv[1]
        COMMIT = by_commit.commit()
        print(f"chosen by the commit {COMMIT}", flush=True)
    HEDDLE, PROGRAM = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
