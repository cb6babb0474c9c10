#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks that C++ files, new ones too, are as clang-format 14 leaves them. usage: check_format.sh [--fix]
# Left out are the CUDA headers, whose declarations are set by hand.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- 'models/*.h' 'models/*.cpp' 'platforms/*.h' 'platforms/*.cpp' 'tests/*.h' \
  'tests/*.cpp' 'tb/*.h' 'tb/*.cpp' ':!platforms/cuda/include/*')
[ ${#files[@]} -gt 0 ] || { echo "format check: git lists no file" >&2; exit 1; }

if [ "${1:-}" = --fix ]; then
  clang-format-14 -i "${files[@]}"
  exit
fi
if clang-format-14 --dry-run -Werror "${files[@]}"; then
  echo "format check: ${#files[@]} files are clean"
else
  echo "format check: the files above differ from clang-format; tools/check_format.sh --fix changes them" >&2
  exit 1
fi
