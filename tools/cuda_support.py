#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/cuda-support.md from platforms/cuda/support.json, which has a row for everything of CUDA that a program may name.

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

What of CUDA there is, and what is refused; written by `tools/cuda_support.py` from `platforms/cuda/support.json`. A test walks every row: what
is supported is used by the test program that is named (in `tests/program`), what is refused gives its code or message.
Instructions have a [page of their own](ptx-support.md).
"""

TITLES = {
    "runtime": ("Runtime API", "Refused calls return the code; the last error is set to it."),
    "driver": ("Driver API", "By the names that the library exports; `cuda.h` leaves the version out."),
    "headers": ("Headers", "Refused ones stop the compilation with a sentence."),
    "options": ("Options of the compiler", "By their long names, with two dashes or one; `heddle reference compiler` has the short ones. Refused ones stop the "
                "compilation and say why."),
    "libraries": ("Libraries", "Refused ones by their header."),
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
    lines += ["## Device functions", "", f"All are called by `{device['test']}`.", ""]
    lines += [", ".join(f"`{name}`" for name in device["names"]), ""]
    lines += ["## Language", "", "Kernels that launch kernels and clusters of blocks are not modelled: a note of `heddle cc` says so when a program that",
              "uses them does not compile. There is one device, which has no peers."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page(json.loads(TABLE.read_text()))
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
    else:
        print(text, end="")
