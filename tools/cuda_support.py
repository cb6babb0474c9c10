#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates docs/cuda-support.md from platforms/cuda/support.json, which has a row for every CUDA name a program may use.

  tools/cuda_support.py          prints the page
  tools/cuda_support.py --write  writes it
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "platforms/cuda/support.json"
PAGE = ROOT / "docs/cuda-support.md"

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
# CUDA support

Which functions, headers, libraries and compiler options of CUDA are supported, and which are refused. For PTX instructions see
[PTX instructions](ptx-support.md). `tools/cuda_support.py` generates this page from `platforms/cuda/support.json`, and a test checks every row:
the test program named in the first column (in `tests/program`) uses the supported entries, and refused entries return the stated code or message.
"""

TITLES = {
    "runtime": ("Runtime API", "A refused call returns the stated code and sets the last error to it."),
    "driver": ("Driver API", "The names are those that the library exports; in `cuda.h` they have no version suffix."),
    "headers": ("Headers", "A refused header stops the compilation with a message."),
    "options": ("Options of the compiler", "The long names, which take one or two dashes; `heddle reference compiler` also lists the short ones. A refused\n"
                "option stops the compilation with the stated reason."),
    "libraries": ("Libraries", "For a refused library, the table names the header that stops the compilation."),
}


def functions(rows):
    by_test, refused = {}, {}
    for name, row in rows.items():
        (by_test if "test" in row else refused).setdefault(row.get("test") or row["refused"], []).append(name)
    lines = ["| tested by | supported |", "|---|---|"]
    lines += [f"| `{test}` | {', '.join(f'`{name}`' for name in names)} |" for test, names in sorted(by_test.items())]
    if refused:
        lines += ["", "| refused with | |", "|---|---|"]
        lines += [f"| `{code}` | {', '.join(f'`{name}`' for name in names)} |" for code, names in sorted(refused.items())]
    return lines


def options(rows):
    lines = functions({name: row for name, row in rows.items() if "test" in row})
    for key, title in (("no_effect", "accepted, without effect"), ("refused", "refused")):
        by_reason = {}
        for name, row in rows.items():
            if key in row:
                by_reason.setdefault(row[key], []).append(name)
        lines += ["", f"| {title} | |", "|---|---|"]
        lines += [f"| {', '.join(f'`{name}`' for name in names)} | {reason} |" for reason, names in by_reason.items()]
    return lines


def page(table):
    lines = [HEAD]
    for key in ("runtime", "driver", "headers", "libraries"):
        title, sentence = TITLES[key]
        lines += [f"## {title}", "", sentence, ""] + functions(table[key]) + [""]
    title, sentence = TITLES["options"]
    lines += [f"## {title}", "", sentence, ""] + options(table["options"]) + [""]
    device = table["device"]
    lines += ["## Device functions", "", f"`{device['test']}` calls all of them.", ""]
    lines += [", ".join(f"`{name}`" for name in device["names"]), ""]
    lines += ["## Language", "", "Dynamic parallelism and thread block clusters are not modelled. If a program does not compile because it uses them,",
              "`heddle cc` prints a note. There is one device, without peers."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page(json.loads(TABLE.read_text()))
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
    else:
        print(text, end="")
