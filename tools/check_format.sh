#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that C++ files, including untracked ones, are formatted by clang-format 14. usage: check_format.sh [--fix]
# The CUDA headers are excluded: their declarations are aligned by hand.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- 'models/*.h' 'models/*.cpp' 'platforms/*.h' 'platforms/*.cpp' 'tests/*.h' \
  'tests/*.cpp' 'tb/*.h' 'tb/*.cpp' ':!platforms/cuda/include/*')
[ ${#files[@]} -gt 0 ] || { echo "format check: git lists no files" >&2; exit 1; }

if [ "${1:-}" = --fix ]; then
  clang-format-14 -i "${files[@]}"
  exit
fi
if clang-format-14 --dry-run -Werror "${files[@]}"; then
  echo "format check: ${#files[@]} files are clean"
else
  echo "format check: the files above are not formatted; tools/check_format.sh --fix formats them" >&2
  exit 1
fi
