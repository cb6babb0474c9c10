#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the naming rule (docs/glossary.md) on every declaration in the headers of models/ and tb/: types in CamelCase;
# functions, variables and enumerators in snake_case, private members with a trailing '_'; constants kCamelCase.
# One translation unit per layer: half a minute on two cores. usage: check_names.sh [layer ...]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
command -v clang-tidy-14 >/dev/null || { echo "name check: clang-tidy-14 is missing: apt-get install clang-tidy-14" >&2; exit 1; }
layers=("$@")
[ $# -gt 0 ] || layers=(core isa memory sm gpu)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

rule() { printf '{key: readability-identifier-naming.%s, value: "%s"}, ' "$1" "$2"; }
options=$(
  for kind in Class Struct Union Enum TypeAlias Typedef TypeTemplateParameter; do rule "${kind}Case" CamelCase; done
  for kind in Function Method Variable Parameter Member Namespace ScopedEnumConstant; do rule "${kind}Case" lower_case; done
  rule PrivateMemberSuffix _
  rule ProtectedMemberSuffix _
  rule ClassMemberCase lower_case
  rule ClassMemberSuffix _
  for kind in ConstexprVariable GlobalConstant ClassConstant StaticConstant EnumConstant; do
    rule "${kind}Case" CamelCase
    rule "${kind}Prefix" k
  done
  rule ScopedEnumConstantPrefix ""
  # Exceptions: C++ keywords with a trailing '_', names prescribed by the standard library and TLM, JEDEC timings, and
  # clang's name for the type of a requires expression.
  rule ScopedEnumConstantIgnoredRegexp '[a-z_]+_'
  rule TypeAliasIgnoredRegexp '([a-z_]+_)?types?'
  rule ConstexprVariableIgnoredRegexp 'is_[a-z]+'
  rule MemberIgnoredRegexp 't[A-Z0-9][A-Za-z0-9]+'
  rule TypeTemplateParameterIgnoredRegexp expr-type
)

check() {
  local layer=$1 unit=$folder/$1.cpp
  git ls-files -- "models/$layer/*.h" | sed 's#^models/\(.*\)#\#include "\1"#' >"$unit"
  clang-tidy-14 --quiet --config="{Checks: '-*,readability-identifier-naming', WarningsAsErrors: '*', HeaderFilterRegex: 'models/$layer/', CheckOptions: [$options]}" \
    "$unit" -- -std=c++20 -xc++ -Imodels -DSC_CPLUSPLUS=201703L -DSC_INCLUDE_DYNAMIC_PROCESSES -DHEDDLE_LANE_LEVEL=lane_level -Wno-everything 2>"$folder/$layer.err" || return 1
}

failed=0
for layer in "${layers[@]}"; do
  check "$layer" || { failed=1; grep -E 'error:' "$folder/$layer.err" | head -3; echo "name check: $layer has names that break the rule" >&2; }
done
[ $failed = 0 ] && echo "name check: the headers of ${layers[*]} are clean"
exit $failed
