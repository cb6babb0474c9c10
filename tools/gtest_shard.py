# SPDX-License-Identifier: Apache-2.0
"""Runs every COUNT-th test of a GoogleTest program, different ones for each commit.

usage: gtest_shard.py COUNT PROGRAM [argument...]
"""
import os
import sys
import zlib
from pathlib import Path

import by_commit


def index(count, program, of):
    """Which of the COUNT shards of this program, from 0, runs for the commit `of`."""
    return zlib.crc32(f"{of} {Path(program).name}".encode()) % count


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    count, command, commit = int(sys.argv[1]), sys.argv[2:], by_commit.commit()
    part = {"GTEST_TOTAL_SHARDS": str(count), "GTEST_SHARD_INDEX": str(index(count, command[0], commit))}
    print(f"chosen by the commit {commit}:", *(f"{name}={value}" for name, value in part.items()), flush=True)
    os.execve(command[0], command, {**os.environ, **part})
