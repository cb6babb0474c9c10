#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the naming rule (docs/glossary.md) on every declaration in the headers of models/: types in CamelCase;
# functions, variables and enumerators in snake_case, private members with a trailing '_'; constants kCamelCase.
# Takes twenty seconds. usage: check_names.sh [layer ...]
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

# One translation unit, so that what the layers share is parsed once.
unit=$folder/headers.cpp filter=$(IFS='|' && echo "models/(${layers[*]})/")
git ls-files -- 'models/*.h' | grep -E "^$filter" | sed 's#^models/\(.*\)#\#include "\1"#' >"$unit"
if clang-tidy-14 --quiet --config="{Checks: '-*,readability-identifier-naming', WarningsAsErrors: '*', HeaderFilterRegex: '$filter', CheckOptions: [{key: readability-identifier-naming.GetConfigPerFile, value: false}, $options]}" \
  "$unit" -- -std=c++20 -xc++ -Imodels -DSC_CPLUSPLUS=201703L -DSC_INCLUDE_DYNAMIC_PROCESSES -DHEDDLE_LANE_LEVEL=lane_level -Wno-everything >"$folder/said" 2>&1; then
  echo "name check: the headers of ${layers[*]} are clean"
else
  grep -E 'error:' "$folder/said" | head -n 15
  echo "name check: names in ${layers[*]} break the rule" >&2
  exit 1
fi
