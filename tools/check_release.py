#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a version is the same everywhere before it is released.

usage: check_release.py [TAG]      (TAG: vX.Y.Z)

Compares the version of CMakeLists.txt with those of CITATION.cff and, if given, of the tag. CHANGELOG.md must mention it,
and with a tag have a section of its own for it: "## X.Y.Z". Exits with 1 and a sentence for each difference.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def differences(root, tag=None):
    text = {name: (root / name).read_text() for name in ("CMakeLists.txt", "CITATION.cff", "CHANGELOG.md")}
    project = re.search(r"project\(heddle VERSION (\S+)", text["CMakeLists.txt"])
    if project is None:
        return ["CMakeLists.txt states no version"]
    version = project.group(1)
    found = []
    cited = re.search(r"^version: (\S+)$", text["CITATION.cff"], re.M)
    if cited is None or cited.group(1) != version:
        found.append(f"CITATION.cff states {cited.group(1) if cited else 'no version'}, CMakeLists.txt {version}")
    if not re.search(rf"^## .*\b{re.escape(version)}\b", text["CHANGELOG.md"], re.M):
        found.append(f"CHANGELOG.md has no section for {version}")
    if tag is not None:
        if tag != f"v{version}":
            found.append(f"the tag is {tag}, the version in CMakeLists.txt {version}")
        if not re.search(rf"^## {re.escape(version)}\b", text["CHANGELOG.md"], re.M):
            found.append(f"CHANGELOG.md has {version} only as unreleased")
    return found


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] == ["--help"]:
        print(__doc__)
        return 2
    found = differences(ROOT, *sys.argv[1:])
    for sentence in found:
        print(f"check_release: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
