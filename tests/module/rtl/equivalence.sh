#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# equivalence.sh YOSYS sat|bdd FIRST.sv SECOND.sv LANES: proves the equivalence of two prefix-sum networks by a miter. SAT
# works up to 16 lanes; 32 bits summed in two orders are too hard for it, but have a small decision diagram, since the sum
# depends only on the number of ones. Each file holds one module, named like the file.
set -euo pipefail
yosys=$1 method=$2 first=$3 second=$4 lanes=$5
a=$(basename "$first" .sv) b=$(basename "$second" .sv)
miter="read_verilog -sv $first $second; chparam -set LANES $lanes $a $b; proc; miter -equiv -flatten"
case $method in
  sat)
    "$yosys" -q -p "$miter -make_outputs $a $b miter; hierarchy -top miter; opt -full;
      sat -verify -prove trigger 0 -show-inputs miter"
    ;;
  bdd)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "$yosys" -q -p "$miter $a $b miter; hierarchy -top miter; opt -full; techmap; opt; aigmap; opt_clean;
      write_aiger -symbols $folder/miter.aig"
    "$yosys-abc" -c "read_aiger $folder/miter.aig; strash; collapse; write_eqn $folder/miter.eqn" >"$folder/log"
    if ! grep -q '^trigger = ' "$folder/miter.eqn"; then
      echo "no diagram was built:" >&2
      cat "$folder/log" >&2
      exit 1
    fi
    if ! grep -qx 'trigger = 0;' "$folder/miter.eqn"; then
      echo "$a and $b of $lanes lanes differ" >&2
      exit 1
    fi
    ;;
  *)
    echo "equivalence.sh: the method is sat or bdd, not $method" >&2
    exit 2
    ;;
esac
echo "$a and $b of $lanes lanes are equivalent ($method)"
