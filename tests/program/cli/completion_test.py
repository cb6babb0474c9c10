#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion and manual pages, as they come out of the program. usage: completion_test.py HEDDLE

Drives bash's completion function with words as bash splits them, and checks what it offers; asks fish for its
completions, and zsh for the syntax of its script, where these shells are installed; checks the manual pages with groff
and mandoc where they are installed. Every command and every option that --help shows must be in all of them.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HEDDLE = ""
DRIVER = ["--also", "test --fast --all", "--also", "setup run docs", "--also", "demo"]


def output(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command[:3]} ended with {result.returncode}: {result.stderr}")
    return result.stdout


def commands():
    """The commands in `heddle --help`."""
    return re.findall(r"^  ([a-z][\w-]*) ", output(HEDDLE, "--help"), re.MULTILINE)


def options_of(command):
    """The options in the --help of a command; the compiler driver's are those of its table."""
    if command == "cc":
        page = output(HEDDLE, "reference", "compiler")
        return re.findall(r"^\| `(--[\w-]+)` \|[^|]*\| (?!refused)", page, re.MULTILINE)
    return re.findall(r"^  (?:-\w,)?(--[a-z][\w-]*)", output(HEDDLE, command, "--help"), re.MULTILINE)


class WithScript(unittest.TestCase):
    shell = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.script = self.folder / "script"
        self.script.write_text(output(HEDDLE, "completion", self.shell, *DRIVER))


class Bash(WithScript):
    shell = "bash"

    def offered(self, *words, breaks="="):
        """What is offered for the last word. The words are split at '=', as bash does it."""
        split = []
        for word in words:
            parts = re.split("(=)", word) if breaks else [word]
            split += [part for part in parts if part] or [""]
        # compopt only works within a completion proper.
        text = f'''compopt() {{ echo "compopt $*" >&2; }}
source "$0"
COMP_WORDBREAKS=$1 COMP_WORDS=("${{@:2}}") COMP_CWORD=$(($# - 2))
_heddle
printf '%s\\n' "${{COMPREPLY[@]}}"'''
        return output("bash", "-u", "-c", text, self.script, breaks or " ", *split).split()

    def test_a_command_by_its_beginning(self):
        self.assertEqual(self.offered("heddle", "ma"), ["machines"])
        self.assertEqual(self.offered("./heddle", "expl"), ["explain"])
        self.assertEqual(set(commands()) - set(self.offered("heddle", "")), set())

    def test_every_option_of_every_command(self):
        for command in commands():
            with self.subTest(command):
                self.assertEqual(set(options_of(command)) - set(self.offered("heddle", command, "-")), set())

    def test_machines(self):
        for words in (["run", "--machine", "gtx"], ["run", "-m", "gtx"], ["config", "--against", "gtx"],
                      ["run", "--machine=gtx"]):
            self.assertEqual(self.offered("heddle", *words), ["gtx285", "gtx480"], words)

    def test_a_machine_in_one_word_where_equals_signs_do_not_split(self):
        self.assertEqual(self.offered("heddle", "run", "--machine=gtx4", breaks=""), ["--machine=gtx480"])

    def test_keys_level_by_level(self):
        self.assertEqual(self.offered("heddle", "run", "--set", "sm.ord"), ["sm.order="])
        offered = self.offered("heddle", "run", "--set", "memory.c")
        self.assertIn("memory.controller.", offered)
        self.assertEqual([name for name in offered if "." in name[len("memory."):-1]], [])

    def test_values_of_a_key(self):
        self.assertEqual(self.offered("heddle", "run", "--set", "sm.order=gt"), ["gto"])
        self.assertIn("reconvergence_stack", self.offered("heddle", "run", "--set", "sm.grouping="))
        self.assertEqual(self.offered("heddle", "run", "--set", "sm.order=gt", breaks=""), ["sm.order=gto"])
        self.assertEqual(self.offered("heddle", "config", "--set=caches.l1d.present=t"), ["true"])

    def test_values_of_an_option(self):
        self.assertEqual(self.offered("heddle", "run", "--pipeline-lines", "p"), ["packets"])
        self.assertEqual(self.offered("heddle", "reference", "par"), ["parameters"])
        self.assertEqual(self.offered("heddle-cc", "-arch=sm_8"), ["sm_80", "sm_86"])

    def test_names_for_explain(self):
        self.assertEqual(self.offered("heddle", "explain", "sm.warp_si"), ["sm.warp_size"])
        self.assertEqual(self.offered("heddle", "explain", "reconv"), ["reconvergence_stack"])

    def test_the_arguments_of_a_program_are_its_own(self):
        self.assertEqual(self.offered("heddle", "run", "-m", "small", "./app", "--"), [])
        self.assertIn("--live", self.offered("heddle", "run", "-m", "small", "--"))

    def test_further_commands(self):
        self.assertEqual(self.offered("./heddle", "te"), ["test"])
        self.assertEqual(self.offered("./heddle", "test", "--f"), ["--fast"])
        self.assertEqual(self.offered("./heddle", "setup", "d"), ["docs"])


class Zsh(WithScript):
    shell = "zsh"

    def test_syntax_and_options(self):
        text = self.script.read_text()
        for command in commands():
            function = re.search(rf"^_heddle_arguments_of_{command}\(\).*?^}}", text, re.MULTILINE | re.DOTALL)[0]
            for option in options_of(command):
                self.assertRegex(function, rf"\){option}[\[=]|\*{option}[\[=]")
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        output("zsh", "-f", "-n", self.script)


class Fish(WithScript):
    shell = "fish"

    def offered(self, line):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        text = output("fish", "--no-config", "-c", f"source {self.script}; complete -C '{line}'",
                      env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
        return [word.split("\t")[0] for word in text.splitlines()]

    def test_syntax(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        output("fish", "-n", self.script)

    def test_commands_options_and_values(self):
        self.assertEqual(self.offered("./heddle mach"), ["machines"])
        for command in commands():
            self.assertEqual(set(options_of(command)) - set(self.offered(f"heddle {command} --")), set(), command)
        self.assertEqual(self.offered("heddle run --machine gtx"), ["gtx285", "gtx480"])
        self.assertEqual(self.offered("heddle run --set sm.order=gt"), ["sm.order=gto"])
        self.assertEqual(self.offered("heddle run -m small ./app --"), [])
        self.assertEqual(self.offered("heddle setup d"), ["docs"])


class Manual(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        output(HEDDLE, "reference", "man", "-o", self.folder / "man1")
        self.pages = sorted((self.folder / "man1").iterdir())

    def test_a_page_for_every_command_with_every_option(self):
        names = {page.name for page in self.pages}
        self.assertEqual(names, {"heddle.1"} | {f"heddle-{command}.1" for command in commands()})
        for command in commands():
            text = (self.folder / "man1" / f"heddle-{command}.1").read_text().replace("\\-", "-")
            for option in options_of(command):
                self.assertIn(rf"\fB{option}\fR", text, command)
        self.assertIn("HEDDLE_MACHINE", (self.folder / "man1" / "heddle.1").read_text())

    def test_no_complaint_of_groff_or_mandoc(self):
        if shutil.which("groff") is None and shutil.which("mandoc") is None:
            self.skipTest("neither groff nor mandoc is installed")
        for page in self.pages:
            if shutil.which("groff") is not None:
                result = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""), page.name)
            if shutil.which("mandoc") is not None:
                result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
                # The pages have the date of no release.
                self.assertEqual([line for line in result.stdout.splitlines() if "missing date" not in line], [])

    def test_the_folder_must_be_named(self):
        result = subprocess.run([HEDDLE, "reference", "man"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("name their folder with -o", result.stderr)


if __name__ == "__main__":
    HEDDLE = sys.argv.pop(1)
    unittest.main()
