#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints the commit of the program's sources in this clone, with -modified where they differ from it; "unknown" outside a clone.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# A folder without .git may still lie in some other clone, whose commit says nothing.
if [ -e .git ] && commit=$(git rev-parse --verify HEAD 2>/dev/null) &&
  changes=$(git status --porcelain -- CMakeLists.txt cmake models platforms rtl 2>/dev/null); then
  echo "$commit${changes:+-modified}"
else
  echo unknown
fi
