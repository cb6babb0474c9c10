# SPDX-License-Identifier: Apache-2.0
# Sourced by the driver: a prebuilt program in place of a build. Only one that was built from the clone's commit will do, and only
# while the program's sources in the clone are as committed, so that nobody runs an old program by mistake.
# shellcheck shell=bash disable=SC2154,SC2034

# Debian packages of the clone's version: in $HEDDLE_PACKAGE, which may also be the file itself; if it is not set, in the clone,
# beside it, and in the present folder.
package_files() {
  local name place places=("$root" "$(dirname "$root")" "$PWD")
  command -v dpkg-deb >/dev/null || return 0
  name=heddle_$(sed -n 's/^project(heddle VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")_$(dpkg --print-architecture).deb
  [ -z "${HEDDLE_PACKAGE:-}" ] || places=("$HEDDLE_PACKAGE")
  for place in "${places[@]}"; do
    [ ! -d "$place" ] || place+=/$name
    [ ! -f "$place" ] || realpath "$place"
  done | sort -u
}

# is_ours WHAT COMMIT: whether a program of this commit is that of the clone; says why not.
is_ours() {
  local here why
  here=$("$root/tools/source_commit.sh")
  case $here in
    unknown) why='the commit of this folder is not known' ;;
    *-modified) why="sources in this clone are modified" ;;
    "$2") return 0 ;;
    *) why="it was built from ${2:-an unknown commit}, this clone is at $here" ;;
  esac
  say "$1 is not used: $why"
  return 1
}

# Installs what a package depends on, without the package itself.
install_dependencies() {
  local depends plan
  depends=$(dpkg-deb --field "$1" Depends)
  has_package_lists || as_root apt-get update -q >&2
  plan=$(apt-get -qq --simulate --no-install-recommends satisfy "$depends" 2>/dev/null) || return 1
  [[ $plan == *Inst* ]] || return 0
  say "installing what $1 depends on"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends satisfy "$depends" >&2
}

# Unpacks a package into build/prebuilt, unless that is where it was unpacked last.
unpack() {
  local folder=$root/build/prebuilt identity
  identity=$(stat -c '%n %s %Y' "$1")
  mkdir -p "$root/build"
  (
    flock 8
    [ "$identity" != "$(cat "$folder/package" 2>/dev/null)" ] || return 0
    rm -rf "$folder"
    install_dependencies "$1" && dpkg-deb -x "$1" "$folder" || return 1
    # It names the runtime library by its full path.
    echo "INPUT(\"$folder/usr/lib/heddle/libcudart.so\")" >"$folder/usr/lib/heddle/libcudart_static.a"
    echo "$identity" >"$folder/package"
  ) 8>"$root/build/.prebuilt.lock"
}

# settle WHAT PROGRAM COMMIT: makes this the program to use, if it starts and states the commit.
settle() {
  if [[ $("$2" --version 2>/dev/null) != *"(commit $3)" ]]; then
    say "$1 is not used: $2 does not start, or is not of the commit that it came with"
    return 1
  fi
  program=$2
  say "using $1, built from this clone's commit; ./heddle build builds the clone's own"
}

# Sets `program` to a prebuilt one; false if there is none that will do.
use_prebuilt() {
  local package packages installed commit
  mapfile -t packages < <(package_files)
  [ -z "${HEDDLE_PACKAGE:-}" ] || [ ${#packages[@]} -gt 0 ] || die "HEDDLE_PACKAGE=$HEDDLE_PACKAGE: there is no package of this version"
  for package in "${packages[@]}"; do
    commit=$(dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/share/heddle/commit 2>/dev/null) || true
    is_ours "$package" "$commit" || continue
    if ! unpack "$package"; then
      say "$package is not used: what it depends on cannot be installed here"
      continue
    fi
    ! settle "$package" "$root/build/prebuilt/usr/bin/heddle" "$commit" || return 0
  done
  installed=$(readlink -f "$(type -P heddle)") || return 1
  [ "$installed" != "$root/heddle" ] || return 1
  commit=$(cat "$(dirname "$installed")/../share/heddle/commit" 2>/dev/null) || true
  is_ours "$installed" "$commit" && settle "$installed" "$installed" "$commit"
}
