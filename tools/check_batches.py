#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that names in anonymous namespaces differ within a layer and within a test program.

Their sources may be compiled in batches (HEDDLE_UNITY), which a new file shifts, so that any two may meet in one. Types,
constants, aliases of different types, and functions with the same parameters clash.
usage: check_batches.py [root]; lists clashes and exits with 1.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
TARGET = re.compile(r"heddle_(?:layer|test)\((\w+)([^)]*)\)")
TYPE = re.compile(r"^(?:template <[^>]*>\s*)?(?:struct|class|enum class|enum)\s+(\w+)\b(?!;)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
CONSTANT = re.compile(r"^(?:inline |static )*(?:constexpr|const)\s[\w:<>,\s*&]*?\b(\w+)(?:\[[^\]]*\])*\s*(?:=|\{)")
FUNCTION = re.compile(r"^(?!return|using|struct|class|enum|namespace|TEST|template)[\w:<>,*&\s]+?\b(\w+)\(([^;{]*)\)\s*(?:const)?\s*\{")


def names(source):
    """Name or signature, with its namespace, and the line that declares it."""
    found, inside, namespace = {}, False, ""
    for line in source.read_text().splitlines():
        if opened := re.match(r"^namespace ([\w:]+) \{", line):
            namespace = opened.group(1)
        if line in ("namespace {", "}  // namespace"):
            inside = line == "namespace {"
        if not inside or line.startswith(" "):
            continue
        for kind in (TYPE, ALIAS, CONSTANT):
            if declared := kind.match(line):
                found[f"{namespace}::{declared.group(1)}"] = line
                break
        else:
            if declared := FUNCTION.match(line):
                types = re.sub(r"\s*\b\w+(?=,|$)", "", declared.group(2))
                found[f"{namespace}::{declared.group(1)}({types})"] = line
    return found


def targets():
    for folder in ("models", "platforms", "tests"):
        for lists in (ROOT / folder).rglob("CMakeLists.txt"):
            for name, arguments in TARGET.findall(lists.read_text()):
                sources = {(lists.parent / file).resolve() for file in re.findall(r"[\w/.-]+\.cpp", arguments)}
                yield name, sorted(source for source in sources if source.exists())


def main():
    wrong = 0
    for target, sources in targets():
        places = collections.defaultdict(list)
        for source in sources:
            for name, line in names(source).items():
                places[name].append((source.relative_to(ROOT.resolve()), line))
        for name, all_places in places.items():
            lines = {line for _, line in all_places}
            # The same alias may be declared twice.
            if len(all_places) == 1 or (len(lines) == 1 and ALIAS.match(lines.copy().pop())):
                continue
            wrong += 1
            print(f"{target}: {name} in {' and '.join(str(file) for file, _ in all_places)}")
    print(f"batch check: {wrong} names stand twice")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
