#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every row of platforms/cuda/support.json: supported entries are exported and used by the named test, refused ones
return the given code or message. Arguments: the command `heddle`, libcudart.so."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import cuda_support  # noqa: E402

TABLE = json.loads(cuda_support.TABLE.read_text())
TESTS = HERE.parent

# In a separate process, because the library ends its process with the status of a failure.
CALL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.cudaGetErrorName.restype = ctypes.c_char_p
for name in sys.argv[2:]:
    code = getattr(library, name)(0, 0, 0, 0, 0, 0, 0, 0)
    print(name, library.cudaGetErrorName(code).decode(), library.cudaGetErrorName(library.cudaGetLastError()).decode())
"""


class Support(unittest.TestCase):
    def test_the_page_is_what_the_table_gives(self):
        self.assertEqual(cuda_support.PAGE.read_text(), cuda_support.page(TABLE), "tools/cuda_support.py --write")

    def test_every_exported_function_has_a_row(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in listed.splitlines()}
        names = {n for n in names if re.match(r"cu(da)?[A-Z]", n) and not re.search(r"_pt[ds][sz]$", n)}
        self.assertEqual(sorted(names), sorted({*TABLE["runtime"], *TABLE["driver"]}))

    def test_what_is_supported_is_used_by_its_test(self):
        rows = {**TABLE["runtime"], **TABLE["driver"]}
        for name, row in rows.items():
            if "test" not in row:
                continue
            plain = re.sub(r"_v[23]$", "", name)
            text = (TESTS / row["test"]).read_text()
            self.assertRegex(text, rf"\b({plain}|{name})\b", row["test"])
        text = (TESTS / TABLE["device"]["test"]).read_text()
        for name in TABLE["device"]["names"]:
            self.assertRegex(text, rf"\b{name}\b")
        for name, row in TABLE["libraries"].items():
            if "test" in row:
                self.assertTrue((TESTS / row["test"]).exists(), name)
            else:
                self.assertIn("refused", TABLE["headers"][row["refused"]], name)

    def test_what_is_refused_gives_its_code(self):
        refused = {name: row["refused"] for name, row in TABLE["runtime"].items() if "refused" in row}
        self.assertGreater(len(refused), 50)
        called = subprocess.run([sys.executable, "-c", CALL, LIBRARY, *refused], capture_output=True, text=True)
        answers = [line.split() for line in called.stdout.splitlines()]
        self.assertEqual([[name, code, code] for name, code in refused.items()], answers, called.stderr[-500:])

    def test_options_are_those_of_the_compiler(self):
        listed = subprocess.run([HEDDLE, "reference", "compiler"], capture_output=True, text=True, check=True).stdout
        rows = re.findall(r"^\| `--([^`]+)` \| (?:`-([^`]+)`)? ?\| (.*) \|$", listed, re.M)
        self.assertEqual([long for long, _, _ in rows], list(TABLE["options"]))
        for long, short, what in rows:
            row = TABLE["options"][long]
            if what == "taken":
                names = "|".join(re.escape(name) for name in (long, short) if name)
                ends = "" if len(short) == 1 else r"(?![A-Za-z-])"
                self.assertRegex((TESTS / row["test"]).read_text(), rf"(?<![\w-])--?({names}){ends}", row["test"])
            else:
                self.assertEqual(row, {"no_effect": what.removeprefix("no effect: ")} if what.startswith("no effect: ") else
                                 {"refused": what.removeprefix("refused: ")})

    def test_refused_options_say_why(self):
        refused = {name: row["refused"] for name, row in TABLE["options"].items() if "refused" in row}
        self.assertGreater(len(refused), 5)
        for name, why in refused.items():
            done = subprocess.run([HEDDLE, "cc", f"--{name}", "a.cu"], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, name)
            self.assertIn(why, done.stderr)

    def test_supported_headers_compile_together_and_refused_ones_say_so(self):
        with tempfile.TemporaryDirectory() as folder:
            def compile_text(text, *options):
                source = pathlib.Path(folder, "a.cu")
                source.write_text(text)
                return subprocess.run([HEDDLE, "cc", *options, str(source), "-o", os.devnull], capture_output=True, text=True)

            supported = [name for name, row in TABLE["headers"].items() if "test" in row]
            self.assertGreater(len(supported), 60)
            done = compile_text("".join(f"#include <{name}>\n" for name in supported), "-std=c++17", "-ptx")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            for name, row in TABLE["headers"].items():
                if "refused" not in row:
                    continue
                done = compile_text(f"#include <{name}>\n", "-E")
                self.assertNotEqual(done.returncode, 0, name)
                self.assertIn(row["refused"], done.stderr, name)


if __name__ == "__main__":
    HEDDLE, LIBRARY = map(os.path.abspath, sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
