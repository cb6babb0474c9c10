#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that C++ files, including untracked ones, are formatted by clang-format 14. usage: check_format.sh [--fix]
# Exits with 77 without it: other versions format otherwise, and not every distribution has that one.
# The CUDA headers are excluded: their declarations are aligned by hand.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- 'models/*.h' 'models/*.cpp' 'platforms/*.h' 'platforms/*.cpp' 'tests/*.h' \
  'tests/*.cpp' 'tb/*.h' 'tb/*.cpp' ':!platforms/cuda/include/*')
[ ${#files[@]} -gt 0 ] || { echo "format check: git lists no files" >&2; exit 1; }

format=$(command -v clang-format-14 || command -v clang-format)
case $("${format:-false}" --version) in
  *"version 14."*) ;;
  *)
    echo "format check: there is no clang-format 14 (the distribution's clang-format-14, or clang-format==14.0.6 of PyPI)" >&2
    exit 77
    ;;
esac
if [ "${1:-}" = --fix ]; then
  "$format" -i "${files[@]}"
  exit
fi
if "$format" --dry-run -Werror "${files[@]}"; then
  echo "format check: ${#files[@]} files are clean"
else
  echo "format check: the files above are not formatted; tools/check_format.sh --fix formats them" >&2
  exit 1
fi
