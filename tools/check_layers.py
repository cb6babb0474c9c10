#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes between layers go one way: core <- isa <- sm, core <- memory, both <- gpu <- platforms.

sm and memory never include each other: they connect through TLM sockets. Tests may include everything; models and
platforms never include tests, benchmarks or programs. usage: check_layers.py [root]; lists wrong includes and exits with 1.
"""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": set(),
    "isa": {"core"},
    "memory": {"core"},
    "sm": {"core", "isa"},
    "gpu": {"core", "isa", "memory", "sm"},
    "rtl": {"core", "isa", "sm"},
}
LAYERS = set(MAY_INCLUDE)
OUTSIDE = {"tb", "tests", "workloads", "bench"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".inc"}


def layer_of_include(name, file, root):
    """The layer or folder of an include: its first part, or the target of a path relative to the file."""
    beside = (file.parent / name).resolve()
    if name.startswith(".") and root in beside.parents:
        parts = beside.relative_to(root).parts
        return parts[1] if parts[0] == "models" else parts[0]
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "models" and len(parts) > 1:
        return parts[1]
    return parts[0]


def wrong_includes(root):
    platforms = {path.name for path in (root / "platforms").iterdir() if path.is_dir()} | {"platforms"}
    for file in sorted((root / "models").rglob("*")) + sorted((root / "platforms").rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        parts = file.relative_to(root).parts
        if parts[0] == "models":
            layer = parts[1]
            if layer not in LAYERS:
                yield f"{file.relative_to(root)}: models/{layer} is not a layer known to tools/check_layers.py"
                continue
            refused = (LAYERS - MAY_INCLUDE[layer] - {layer}) | platforms | OUTSIDE
        else:
            layer, refused = "platforms", OUTSIDE
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and "/" in match[1] and layer_of_include(match[1], file, root) in refused:
                yield f"{file.relative_to(root)}:{number}: {layer} may not include {match[1]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    wrong = list(wrong_includes(root))
    for line in wrong:
        print(line)
    print(f"layer check: {len(wrong)} wrong includes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
