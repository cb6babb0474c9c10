#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# properties.sh YOSYS BLOCK.sv PROPERTIES.sv NAME=VALUE...: proves by SAT that the assertions of a module named like the
# block with _properties hold for every input. Both files hold one module, whose parameters are NAME=VALUE; modules that
# the block consists of are read from rtl/.
set -euo pipefail
yosys=$1 block=$2 properties=$3
shift 3
name=$(basename "$block" .sv) settings=""
for setting in "$@"; do settings+=" -set ${setting/=/ }"; done
"$yosys" -q -p "read_verilog -sv -formal $block $properties; ${settings:+chparam$settings ${name}_properties;}
  hierarchy -libdir $(dirname "$0")/../../../rtl -top ${name}_properties; proc; flatten; opt -full; memory; opt; check -assert;
  sat -verify -prove-asserts -set-assumes -show-inputs"
echo "$name$(printf ' %s' "$@"): every assertion holds"
