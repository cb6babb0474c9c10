#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile.sh CLANG INCLUDE FILE.cu [FLAG...]: compiles FILE in both passes with the flags of platforms/cuda/FLAGS.md. Fails on a
# warning, a libdevice call, or any other undefined function in the PTX.
set -eu
clang=$1
include=$2
source=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"

case $clang in
  *-14) noundef=-disable-noundef-analysis ;;
  *) noundef=-no-enable-noundef-analysis ;;
esac

pass() {
  "$clang" -x cuda -std=c++17 -O2 -Wall -Wextra -Werror --cuda-path="$work/empty" -nocudainc -nocudalib \
    --cuda-gpu-arch=sm_70 -Xclang -target-sdk-version=9.2 -Xclang -fcuda-allow-variadic-functions -isystem "$include" -include cuda_runtime.h "$@"
}

pass --cuda-device-only -S -Xclang -target-feature -Xclang +ptx64 -Xclang $noundef "$@" "$source" -o "$work/device.ptx"
pass --cuda-host-only -c -Xclang -fcuda-include-gpubinary -Xclang "$work/device.ptx" "$@" "$source" -o "$work/host.o"

# CUDA types with the same prefix occur in function names.
if sed 's/__nv_bfloat16//g; s/__nv_fp8//g' "$work/device.ptx" | grep -n '__nv_'; then
  echo "the PTX of $source calls libdevice" >&2
  exit 1
fi
# An extern function is ".extern .func [(result)] name" on one line or the name on the next.
missing=$(grep -A1 '^\.extern \.func' "$work/device.ptx" | grep -o '[A-Za-z_][A-Za-z0-9_]* *$\|) [A-Za-z_][A-Za-z0-9_]*' |
  tr -d ') ' | sort -u | grep -v -x -e vprintf -e malloc -e free -e __assertfail -e func || true)
if [ -n "$missing" ]; then
  echo "the PTX of $source leaves these to a library that does not exist: $missing" >&2
  exit 1
fi
