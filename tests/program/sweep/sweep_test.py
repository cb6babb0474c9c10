#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heddle sweep with real runs: resumed, interrupted, killed, concurrent. usage: sweep_test.py HEDDLE PROGRAM [unittest arguments]

PROGRAM: a CUDA program that takes `--size small`. Scripts wrap it where a test must intervene in an active run; each
execution of a script writes a line to a log, so that repeated runs are detected.
"""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HEDDLE = PROGRAM = None  # set at the end
SOME_FAILED, INTERRUPTED = 1, 130


def alive(pid):
    """Whether a process is running; zombies are not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("timed out")
        time.sleep(0.02)


class BestLimit(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="best-limit-"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def heddle(self, *arguments):
        return subprocess.run([HEDDLE, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def test_finds_the_limit_of_each_kernel_which_a_run_then_uses(self):
        other = {"kernel": "other", "warp_limit": 3, "loops": []}
        (self.folder / "limits.json").write_text(json.dumps({"format": 1, "kernels": [other]}))
        command = ["best-limit", "--machine", "small", "--limits", "1,64", "-q", PROGRAM, "--size", "small"]
        found = self.heddle(*command)
        self.assertEqual(found.returncode, 0, found.stderr)
        kernels = json.loads((self.folder / "limits.json").read_text())["kernels"]
        self.assertEqual(kernels[0], other, "what the file says about other kernels stays")
        self.assertEqual(kernels[1]["warp_limit"], 64, "one warp at a time hides no latency")
        cycles = {}
        for limit in (1, 64):
            run = self.heddle("run", "--quiet", "--machine", "small", "--set", 'sm.vetoes=["static_limit"]', "--set",
                              f"sm.static_limit.limit={limit}", "-o", f"at-{limit}", PROGRAM, "--size", "small")
            self.assertEqual(run.returncode, 0, run.stderr)
            cycles[limit] = json.loads((self.folder / f"at-{limit}/run.json").read_text())["run"]["cycles"]
        self.assertLess(cycles[64], cycles[1])
        run = self.heddle("run", "--quiet", "--machine", "small", "--set", 'sm.vetoes=["static_limit"]', "--set",
                          "sm.static_limit.limit=1", "--set", "sm.static_limit.profile=limits.json", "-o", "by-profile", PROGRAM,
                          "--size", "small")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads((self.folder / "by-profile/run.json").read_text())["run"]["cycles"], cycles[64])

    def test_refuses_what_is_no_program_or_limit(self):
        self.assertEqual(self.heddle("best-limit").returncode, 2)
        self.assertIn("no such program", self.heddle("best-limit", "./nothing").stderr)
        self.assertIn("at most 512", self.heddle("best-limit", "--limits", "600", PROGRAM).stderr)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sweep-"))
        self.out = self.folder / "out"
        self.log = self.folder / "log"
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        shutil.rmtree(self.folder)

    def script(self, name, body):
        """Creates a program of that name that writes a line to the log, runs `body`, then replaces itself by PROGRAM."""
        file = self.folder / name
        file.write_text(f'#!/bin/sh\necho "$$ $*" >>"{self.log}"\n{body}\nexec "{PROGRAM}" --size small\n')
        file.chmod(0o755)

    def study(self, programs, parameters=None, **more):
        value = {"name": "s", "programs": programs, "machines": ["small"], "parameters": parameters or {}, **more}
        (self.folder / "s.json").write_text(json.dumps({k: v for k, v in value.items() if v != {}}))

    def command(self, *arguments):
        return [HEDDLE, "sweep", "s.json", "-o", "out", *map(str, arguments)]

    def sweep(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=120, **options)

    def start(self, *arguments):
        process = subprocess.Popen(self.command(*arguments), cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def runs(self):
        """Lines of the log, one per run."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def table(self):
        with open(self.out / "results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def statuses(self):
        """Times at which statuses were written, by key."""
        return {file.parent.name: file.stat().st_mtime_ns for file in self.out.glob("runs/*/status.json")}

    def waiting(self):
        """Waits until a run waits at the gate, and returns its process."""
        file = self.folder / "waiting"
        wait_until(file.exists)
        pid = int(file.read_text())
        file.unlink()
        return pid

    # A run that waits for the file `open`.
    GATE = 'if [ ! -e open ]; then echo $$ >partial; mv partial waiting; while [ ! -e open ]; do sleep 0.05; done; fi'

    def test_a_finished_run_is_never_made_again_also_when_the_study_grows(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}], {"sm.order": ["gto", "lrr"]})
        first = self.sweep()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(len(self.runs()), 2)
        self.assertIn(f"heddle sweep: 2 runs have results, in {self.out / 'runs'}:\n", first.stderr)
        for row in self.table():
            self.assertIn(f"\n  {row['key']}/run.json: app on small, sm.order={row['sm.order']}\n", first.stderr)
        before = self.statuses()
        self.study([{"command": ["./app"]}], {"sm.order": ["oldest", "lrr", "gto"]}, retries=1, name="other")
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 3)
        after = self.statuses()
        self.assertEqual({key: after[key] for key in before}, before)
        rows = self.table()
        self.assertEqual([row["sm.order"] for row in rows], ["oldest", "lrr", "gto"])
        self.assertTrue(all(row["status"] == "finished" and int(row["cycles"]) > 0 for row in rows))
        run = json.loads((self.out / "runs" / rows[1]["key"] / "run.json").read_text())
        self.assertEqual(str(run["run"]["cycles"]), rows[1]["cycles"])
        self.assertEqual(run["configuration"]["gpu"]["sm_classes"][0]["sm"]["order"], "lrr")

    def test_a_changed_program_is_run_anew_beside_the_old_run(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}])
        self.sweep()
        self.script("app", ": changed")
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 2)
        self.assertEqual(len(self.statuses()), 2)

    def test_the_environment_of_the_caller_does_not_reach_the_runs(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}])
        told = self.sweep(env={**os.environ, "HEDDLE_FUNCTIONAL": "1", "HEDDLE_MACHINE": "gtx480"})
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertGreater(int(self.table()[0]["cycles"]), 0)

    def test_a_failing_program_is_listed_and_does_not_stop_the_others(self):
        self.script("app", "")
        self.study([{"name": "bad", "command": ["/bin/sh", "-c", "echo first >&2; echo the cause >&2; exit 7"]},
                    {"command": ["./app"]}], {"sm.order": ["gto", "lrr"]})
        ended = self.sweep()
        self.assertEqual(ended.returncode, SOME_FAILED)
        self.assertEqual(len(self.runs()), 2)
        self.assertIn("failed: bad on small, sm.order=gto: exit status 7", ended.stderr)
        self.assertIn("| the cause", ended.stderr)
        bad = [row for row in self.table() if row["program"] == "bad"]
        self.assertEqual([(row["status"], row["exit_status"]) for row in bad], [("failed", "7")] * 2)
        self.assertIn(str(self.out / "runs" / bad[0]["key"]), ended.stderr)
        # Retried only on request.
        before = self.statuses()
        self.assertEqual(self.sweep().returncode, SOME_FAILED)
        self.assertEqual(self.statuses(), before)
        self.assertEqual(self.sweep("--retry-failed").returncode, SOME_FAILED)
        changed = [key for key in before if self.statuses()[key] != before[key]]
        self.assertCountEqual(changed, [row["key"] for row in bad])

    def test_a_run_that_is_killed_is_tried_again_as_often_as_the_study_says(self):
        self.script("app", self.GATE)
        self.study([{"command": ["./app"]}], retries=1)
        sweep = self.start("-j", 2)
        os.kill(self.waiting(), signal.SIGKILL)
        second = self.waiting()
        (self.folder / "open").touch()
        self.assertEqual(sweep.wait(60), 0, sweep.stderr.read())
        self.assertFalse(alive(second))
        status = json.loads(next(self.out.glob("runs/*/status.json")).read_text())
        self.assertEqual((status["state"], status["attempts"]), ("finished", 2))

    def test_a_run_that_is_killed_without_retries_is_a_failure_with_its_signal(self):
        self.script("app", self.GATE)
        self.study([{"command": ["./app"]}])
        sweep = self.start()
        os.kill(self.waiting(), signal.SIGKILL)
        self.assertEqual(sweep.wait(60), SOME_FAILED)
        self.assertIn("ended by signal 9", sweep.stderr.read())
        self.assertEqual(self.table()[0]["exit_status"], "137")

    def test_a_sweep_that_is_killed_leaves_no_run_behind_and_is_resumed(self):
        self.script("app", '[ "$1" = quick ] || { ' + self.GATE + "; }")
        self.study([{"name": "quick", "command": ["./app", "quick"]}, {"name": "slow", "command": ["./app"]}])
        sweep = self.start("-j", 1)
        run = self.waiting()
        before = self.statuses()
        self.assertEqual(len(before), 1)
        sweep.kill()
        sweep.wait()
        wait_until(lambda: not alive(run))
        self.assertEqual(self.statuses(), before)  # the active run has none
        (self.folder / "open").touch()
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 3)  # fast once, slow twice
        after = self.statuses()
        self.assertEqual({key: after[key] for key in before}, before)

    def test_an_interrupt_stops_cleanly_and_says_how_to_go_on(self):
        self.script("app", '[ "$1" = quick ] || { ' + self.GATE + "; }")
        self.study([{"name": "quick", "command": ["./app", "quick"]}, {"name": "slow", "command": ["./app"]}],
                   {"sm.order": ["gto", "lrr"]})
        for number in (signal.SIGINT, signal.SIGTERM):
            sweep = self.start("-j", 2)
            run = self.waiting()
            wait_until(lambda: len(self.statuses()) == 2)
            sweep.send_signal(number)
            self.assertEqual(sweep.wait(20), INTERRUPTED)
            said = sweep.stderr.read()
            self.assertIn("the same command resumes", said)
            self.assertFalse(alive(run))
            self.assertEqual(len(self.statuses()), 2)
            (self.folder / "waiting").unlink(missing_ok=True)
        before = self.statuses()
        (self.folder / "open").touch()
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual({key: self.statuses()[key] for key in before}, before)

    def test_two_sweeps_at_once_make_each_run_once(self):
        self.script("app", "sleep 0.3")
        self.study([{"command": ["./app"]}], {"sm.order": ["gto", "lrr", "oldest"], "sm.schedulers": [1, 2]})
        both = [self.start("-j", 2), self.start("-j", 2)]
        self.assertEqual([one.wait(60) for one in both], [0, 0])
        self.assertEqual(len(self.runs()), 6)
        self.assertEqual(len(self.statuses()), 6)

    def test_what_another_sweep_leaves_unfinished_is_taken_over(self):
        self.script("app", self.GATE)
        self.study([{"command": ["./app"]}])
        first = self.start()
        run = self.waiting()
        second = self.start()
        time.sleep(0.5)
        self.assertEqual(len(self.runs()), 1)
        first.kill()
        wait_until(lambda: not alive(run))
        self.waiting()
        (self.folder / "open").touch()
        self.assertEqual(second.wait(60), 0)
        self.assertEqual(len(self.runs()), 2)

    def test_half_of_a_status_or_results_without_one_are_no_finished_run(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}])
        self.sweep()
        status = next(self.out.glob("runs/*/status.json"))
        status.write_bytes(status.read_bytes()[:30])
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 2)
        (status.parent / "run.json").unlink()
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 3)
        status.unlink()
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(self.runs()), 4)

    def test_a_spoilt_result_is_said_to_be_and_made_again(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}])
        self.sweep()
        table = self.table()
        result = next(self.out.glob("runs/*/run.json"))
        whole = result.read_bytes()

        def fold():
            result.unlink()
            result.mkdir()

        spoils = [lambda: result.write_bytes(whole[:len(whole) // 2]), lambda: result.write_bytes(b""),
                  lambda: result.write_bytes(bytes(len(whole))), fold]
        for number, spoil in enumerate(spoils):
            spoil()
            collected = self.sweep("--collect")
            self.assertEqual(collected.returncode, SOME_FAILED, collected.stderr)
            self.assertIn("run.json", collected.stderr)
            self.assertEqual(json.loads(self.sweep("--list").stdout)["points"][0]["state"], "missing")
            again = self.sweep()
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("again: ", again.stderr)
            self.assertEqual(len(self.runs()), 2 + number)
            self.assertEqual([row["cycles"] for row in self.table()], [row["cycles"] for row in table])

    def test_a_run_that_leaves_half_a_result_has_failed(self):
        # Commands after the program damage its results.
        (self.folder / "app").write_text(f'#!/bin/sh\n"{PROGRAM}" --size small\n'
                                         'for f in out/runs/*/run.json; do head -c 100 "$f" >half; cat half >"$f"; done\n')
        (self.folder / "app").chmod(0o755)
        self.study([{"command": ["./app"]}])
        ended = self.sweep()
        self.assertEqual(ended.returncode, SOME_FAILED, ended.stderr)
        self.assertIn("malformed JSON", ended.stderr)

    def test_a_run_that_takes_too_long_is_ended_and_failed(self):
        self.study([{"name": "long", "command": ["/bin/sh", "-c", "sleep 60 & echo $! >child; wait"]}],
                   requests={"minutes": 0.01})
        began = time.monotonic()
        ended = self.sweep()
        self.assertEqual(ended.returncode, SOME_FAILED)
        self.assertLess(time.monotonic() - began, 20)
        self.assertIn("stopped after its time limit of 0.01 minutes", ended.stderr)
        wait_until(lambda: not alive(int((self.folder / "child").read_text())))

    def test_what_a_run_leaves_under_way_ends_with_it(self):
        self.script("app", "sleep 60 & echo $! >child")
        self.study([{"command": ["./app"]}])
        self.assertEqual(self.sweep().returncode, 0)
        wait_until(lambda: not alive(int((self.folder / "child").read_text())), 5)

    def test_a_program_that_changes_while_the_study_runs_is_not_run_under_its_old_key(self):
        self.script("app", self.GATE)
        self.script("late", "")
        self.study([{"command": ["./app"]}, {"command": ["./late"]}])
        sweep = self.start("-j", 1)
        self.waiting()
        self.script("late", ": changed")
        (self.folder / "open").touch()
        self.assertEqual(sweep.wait(60), SOME_FAILED)
        self.assertIn("late on small: its program, an input or its machine changed", sweep.stderr.read())
        self.assertEqual(len(self.runs()), 1)
        self.assertEqual(self.sweep().returncode, 0)

    def test_on_a_terminal_the_progress_is_one_line(self):
        self.script("app", "sleep 0.5")
        self.study([{"command": ["./app"]}], {"sm.order": ["gto", "lrr"]})
        terminal, other = os.openpty()
        subprocess.run(self.command("-j", 1), cwd=self.folder, stderr=other, timeout=60)
        os.close(other)
        said = b""
        while chunk := self.read(terminal):
            said += chunk
        os.close(terminal)
        lines = said.decode().split("\r")
        self.assertTrue(any("1/2 done, 1 running, 0 left" in line for line in lines), said)
        self.assertNotIn("running", self.sweep().stderr)  # not one line per run elsewhere

    @staticmethod
    def read(descriptor):
        try:
            return os.read(descriptor, 4096)
        except OSError:  # the reading end is closed
            return b""

    def test_a_comparison_of_two_runs_accounts_for_every_cycle(self):
        self.study([{"command": [PROGRAM, "--size", "small"]}], machines=["small", "gtx480", "large-warp-core"])
        self.assertEqual(self.sweep().returncode, 0)
        files = [str(self.out / "runs" / row["key"] / "run.json") for row in self.table()]
        compared = json.loads(subprocess.run([HEDDLE, "compare", "--json", *files], capture_output=True, check=True).stdout)
        cycles = [int(row["cycles"]) for row in self.table()]
        for account in [compared["account"], *compared["kernels"]]:
            self.assertEqual(account["cycles"], cycles)
            for run in range(3):
                self.assertEqual(sum(cause["cycles"][run] for cause in account["causes"]), cycles[run])
                self.assertEqual(sum(cause["difference"][run] for cause in account["causes"]), cycles[run] - cycles[0])
        self.assertIn("gpu.sm_classes.0.count", [one["what"] for one in compared["configuration"]])
        text = subprocess.run([HEDDLE, "compare", *files], capture_output=True, check=True, text=True).stdout
        self.assertIn(f"{cycles[2]:,}", text)

    def test_the_report_is_made_where_the_command_has_one(self):
        self.study([{"command": [PROGRAM, "--size", "small"]}], machines=["small", "gtx480"])
        said = self.sweep().stderr
        if (pathlib.Path(HEDDLE).resolve().parents[1] / "share/heddle/report.html").exists():
            self.assertIn("<html", (self.out / "report.html").read_text()[:2000])
        else:
            self.assertIn(": no report", said)
            self.assertFalse((self.out / "report.html").exists())

    def test_a_limit_that_the_study_sets_is_an_end_and_no_failure(self):
        self.study([{"command": [PROGRAM, "--size", "small"]}], options=["--max-cycles", "500"])
        self.assertEqual(self.sweep().returncode, 0)
        row = self.table()[0]
        self.assertEqual((row["status"], row["exit_status"]), ("limit", "105"))
        self.assertFalse(row["cycles"] == "")

    def test_files_of_a_run_go_to_its_folder(self):
        self.study([{"command": [PROGRAM, "--size", "small"]}], {"sm.order": ["gto", "lrr"]},
                   options=["--command-trace", "{folder}/dram.csv"])
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(len(list(self.out.glob("runs/*/files/dram.csv"))), 2)

    def test_list_only_and_collect_are_what_workflow_tools_need(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}], {"sm.order": ["gto", "lrr"]}, requests={"memory_gib": 1, "minutes": 3})
        plan = json.loads(self.sweep("--list").stdout)
        self.assertEqual([point["state"] for point in plan["points"]], ["missing"] * 2)
        self.assertEqual(plan["points"][1]["parameters"], {"sm.order": "lrr"})
        self.assertEqual((plan["points"][0]["memory_gib"], plan["points"][0]["minutes"]), (1, 3))
        self.assertEqual(self.runs(), [])
        self.assertEqual(subprocess.run(plan["points"][0]["command"]).returncode, 0)
        self.assertEqual(self.sweep("--only", plan["points"][0]["key"][:10]).returncode, 0)  # it exists
        self.assertEqual(len(self.runs()), 1)
        self.assertEqual([point["state"] for point in json.loads(self.sweep("--list").stdout)["points"]],
                         ["finished", "missing"])
        collected = self.sweep("--collect")
        self.assertEqual(collected.returncode, SOME_FAILED)
        self.assertIn("1 finished, 1 missing", collected.stderr)
        self.assertEqual([row["status"] for row in self.table()], ["finished", "missing"])
        unknown = self.sweep("--only", "ffff")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("no run ffff", unknown.stderr)

    def test_only_fails_with_its_run_and_tries_again_when_asked_again(self):
        self.study([{"name": "bad", "command": ["/bin/sh", "-c", f"echo x >>{self.log}; exit 3"]}])
        key = json.loads(self.sweep("--list").stdout)["points"][0]["key"]
        for runs in (1, 2):
            ended = self.sweep("--only", key)
            self.assertEqual(ended.returncode, SOME_FAILED)
            self.assertEqual(len(self.runs()), runs)

    def test_wrong_use_leaves_nothing_behind(self):
        self.study([{"command": [PROGRAM]}], {"sm.ordr": ["gto"]})
        wrong = self.sweep()
        self.assertEqual(wrong.returncode, 100)
        self.assertIn("did you mean 'sm.order'?", wrong.stderr)
        self.assertEqual(wrong.stderr.count("\n"), 1)
        self.assertFalse(self.out.exists())
        self.study([{"command": ["./absent"]}])
        self.assertEqual(self.sweep().returncode, 2)
        self.assertEqual(self.sweep("--list", "--collect").returncode, 2)
        self.assertEqual(self.sweep("--jobs", "0").returncode, 2)
        self.assertEqual(self.sweep("--", "--dry-run").returncode, 2)
        (self.folder / "s.json").unlink()
        self.assertEqual(self.sweep().returncode, 106)
        self.assertFalse(self.out.exists())

    @unittest.skipUnless(shutil.which("snakemake"), "there is no snakemake")
    def test_through_snakemake_the_table_is_the_same(self):
        self.script("app", "")
        self.study([{"command": ["./app"]}, {"name": "bad", "command": ["/bin/sh", "-c", "exit 3"]}],
                   {"sm.order": ["gto", "lrr"]}, retries=1, requests={"memory_gib": 0.1, "minutes": 1})
        self.assertEqual(self.sweep().returncode, SOME_FAILED)

        def table():
            return [{k: v for k, v in row.items() if k not in ("wall_seconds", "peak_memory_mib")} for row in self.table()]

        expected = table()
        shutil.rmtree(self.out)
        ended = self.sweep("--snakemake", "-j", 2)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(table(), expected)
        self.assertIn("Trying to restart job", ended.stderr)
        # Snakemake does not repeat runs that a local sweep finished, and vice versa.
        before = len(self.runs())
        self.study([{"command": ["./app"]}], {"sm.order": ["gto", "lrr"]})
        self.assertEqual(self.sweep().returncode, 0)
        again = self.sweep("--snakemake")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(self.runs()), before)
        self.assertEqual(len(self.table()), 2)
        # A mark left by an earlier workflow does not prevent a damaged result from being rerun.
        for _ in range(2):
            next(self.out.glob("runs/*/run.json")).write_text("{")
            self.assertEqual(self.sweep("--snakemake").returncode, 0)
            before += 1
            self.assertEqual(len(self.runs()), before)


if __name__ == "__main__":
    HEDDLE, PROGRAM = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
