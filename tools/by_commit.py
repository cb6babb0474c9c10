# SPDX-License-Identifier: Apache-2.0
"""Samples that change with the commit: what a test leaves out for one commit, it takes for another.

usage: by_commit.py COUNT NAME...    prints the chosen names, a line each
"""
import subprocess
import sys
import zlib
from pathlib import Path


def commit():
    """The hash of the commit that is checked out; without git an empty text, so that the samples are always the same."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip()


def chosen(names, count, of):
    """`count` of the names, in their order; all of them if there are no more. `of`: the commit."""
    names = list(names)
    first = set(sorted(names, key=lambda name: zlib.crc32(f"{of} {name}".encode()))[:count])
    return [name for name in names if name in first]


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print("\n".join(chosen(sys.argv[2:], int(sys.argv[1]), commit())))
