#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install_test.sh BUILD: installs a finished build into a fresh prefix, runs the command from there, and builds and runs a
# project that uses the installed package.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
heddle=$work/prefix/bin/heddle
"$heddle" --version
"$heddle" machines >"$work/machines"
grep -q '^small ' "$work/machines" || { echo "the installed command does not find the preset 'small'"; exit 1; }
for file in bash-completion/completions/heddle-cc zsh/site-functions/_heddle fish/vendor_completions.d/heddle.fish man/man1/heddle-run.1; do
  [ -s "$work/prefix/share/$file" ] || { echo "the installation lacks share/$file"; exit 1; }
done
"$heddle" cc "$here/../../workloads/vector_add.cu" -o "$work/vector_add"
"$heddle" run --functional --output "$work" "$work/vector_add" --size small

# A Makefile that needs the toolkit's folder.
cuda=$("$heddle" cc --print-cuda-path)
[ "$cuda" = "$work/prefix/share/heddle/cuda" ] || { echo "the folder of the toolkit is said to be $cuda"; exit 1; }
cp -r "$here/../program/projects/samples" "$work/samples"
make -C "$work/samples/Samples/scale" CUDA_PATH="$cuda" scale
[ "$("$heddle" run --functional --quiet "$work/samples/Samples/scale/scale")" = PASS ] || { echo "a sample does not pass"; exit 1; }

if [ -f "$build/share/heddle/report.html" ]; then
  "$heddle" report "$work" -o "$work/report.html"
  grep -q 'id="payload">H4sI' "$work/report.html" || { echo "the installed command writes no page"; exit 1; }
fi

cmake -S "$here/project" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"
"$work/build/borrower"
"$work/build/gpu_in_a_platform"

# Third-party memory parts in complete machines, as in their guide.
python3 "$here/../program/book/commands_test.py" "$heddle" guide-memory-kind.md
