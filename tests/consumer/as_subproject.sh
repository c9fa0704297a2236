#!/usr/bin/env bash
# as_subproject.sh CMAKE GENERATOR CRIVO_SOURCE BUILD_FOLDER [CMAKE ARGUMENT...]: builds subproject/, of which Crivo is
# a part, and looks for what must not have changed by that.
set -euo pipefail
cmake=$1 generator=$2 crivo=$3 build=$4
shift 4
here=$(dirname "$(realpath "$0")")

fail() {
  echo "as_subproject: $*" >&2
  exit 1
}

rm -rf "$build"
"$cmake" -S "$here/subproject" -B "$build" -G "$generator" -D CMAKE_BUILD_TYPE=Release -D CRIVO_SOURCE="$crivo" "$@"

[[ ! -e $build/compile_commands.json ]] || fail "compile_commands.json must not be there unasked"

# What a whole build would run; only the programs are really built.
"$cmake" -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "$build" >"$build/configure.log"
commands=$(grep '"command":' "$build/compile_commands.json")
! grep -E -- '-Werror|-O[1-3]' <<<"$commands" || fail "the parent's flags must hold, got the commands above"
! grep -v -- '-DFLAG_OF_THE_PARENT' <<<"$commands" || fail "the parent's flags must hold, got the commands above"
grep -q sqlite_ext <<<"$commands" || fail "the SQLite extension must be among what is built"
! grep -E -- '/tests/(unit|contract)|/examples/' <<<"$commands" || fail "tests and examples must not be built"

"$cmake" --build "$build" --target program
"$build/program"
if [[ $commands == *linked.c* ]]; then
  "$cmake" --build "$build" --target linked
  "$build/linked"
fi
if [[ $commands == *policy.cpp* ]]; then
  "$cmake" --build "$build" --target policy
  "$build/policy"
fi
left=$(find "$build" -maxdepth 1 -name '*crivo*.*')
[[ -z $left ]] || fail "the parent's folder must hold nothing of Crivo, got $left"

# `cmake --install` would want all to be built.
installed=$(find "$build" -name cmake_install.cmake -exec grep -ho 'file(INSTALL .*' {} +)
[[ $(wc -l <<<"$installed") == 1 && $installed == *program* ]] || fail "only program may be installed, got $installed"
