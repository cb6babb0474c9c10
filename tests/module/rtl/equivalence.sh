#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# equivalence.sh YOSYS FIRST.sv SECOND.sv LANES: proves that two prefix-sum networks are the same function, by SAT over a
# miter of both. Each file holds one module of its own name.
set -euo pipefail
yosys=$1 first=$2 second=$3 lanes=$4
a=$(basename "$first" .sv) b=$(basename "$second" .sv)
"$yosys" -q -p "read_verilog -sv $first $second; chparam -set LANES $lanes $a $b; proc;
  miter -equiv -flatten -make_outputs $a $b miter; hierarchy -top miter; opt -full;
  sat -verify -prove trigger 0 -show-inputs miter"
echo "$a and $b of $lanes lanes are equivalent"
