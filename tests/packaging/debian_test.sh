#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debian_test.sh BUILD: creates the Debian package of a finished build, unpacks it and checks its contents. Exits with 77
# (skipped) if the packaging tools are not installed.
set -euo pipefail
build=$1
for tool in dpkg-shlibdeps dpkg-deb file; do
  command -v $tool >/dev/null || { echo "$tool is not installed (packages dpkg-dev and file)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
deb=$(echo "$work"/heddle_*.deb)
dpkg-deb --field "$deb" Package Version Architecture Depends
dpkg-deb -x "$deb" "$work/root"
for file in bin/heddle bin/heddle-cc lib/heddle/libcudart.so include/heddle/cuda/cuda_runtime.h \
  include/heddle/memory/cache/cache.h share/heddle/presets/small.json share/heddle/commit share/heddle/sweep/Snakefile share/heddle/sweep/slurm/status.sh share/heddle/cuda/bin/nvcc \
  share/bash-completion/completions/heddle-cc share/zsh/vendor-completions/_heddle share/fish/vendor_completions.d/heddle-cc.fish share/man/man1/heddle.1 lib/cmake/heddle/heddleConfig.cmake; do
  [ -e "$work/root/usr/$file" ] || { echo "the package lacks /usr/$file"; exit 1; }
done
# The static runtime refers to the installed path of the shared one, not to the build path.
grep -qF 'INPUT("/usr/lib/heddle/libcudart.so")' "$work/root/usr/lib/heddle/libcudart_static.a"
"$work/root/usr/bin/heddle" machines | grep '^small '
# The driver compares what the package says with its clone, and then what the program says.
"$work/root/usr/bin/heddle" --version | grep -F "(commit $(cat "$work/root/usr/share/heddle/commit"))"
