#!/usr/bin/env bash
# as_subproject.sh CMAKE BUILT CRIVO_SOURCE BUILD_FOLDER [CMAKE ARGUMENT...]: configures subproject/, which contains
# Crivo, and checks that Crivo did not change the parent's settings. Compiles the parent's programs with its commands,
# and links them with the libraries in the folder BUILT, so that Crivo is not compiled again.
set -euo pipefail
cmake=$1 built=$2 crivo=$3 build=$4
shift 4
here=$(dirname "$(realpath "$0")")

fail() {
  echo "as_subproject: $*" >&2
  exit 1
}

rm -rf "$build"
"$cmake" -S "$here/subproject" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CRIVO_SOURCE="$crivo" "$@"

[[ ! -e $build/compile_commands.json ]] || fail "compile_commands.json must not be there unasked"

# The commands that a whole build would run.
"$cmake" -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "$build" >"$build/configure.log"
commands=$(grep '"command":' "$build/compile_commands.json")
! grep -E -- '-Werror|-O[1-3]' <<<"$commands" || fail "the parent's flags must hold, got the commands above"
! grep -v -- '-DFLAG_OF_THE_PARENT' <<<"$commands" || fail "the parent's flags must hold, got the commands above"
grep -q sqlite_ext <<<"$commands" || fail "the SQLite extension must be among what is built"
! grep -E -- '/tests/(unit|contract)|/examples/' <<<"$commands" || fail "tests and examples must not be built"
made=$(ninja -C "$build" -t targets all | grep -v ': phony$')
! grep -E '^[^/]*crivo[^/]*: ' <<<"$made" || fail "the parent's folder must hold nothing of Crivo, got the above"

# make_program NAME: links the program with the command of the build.
make_program() {
  local command library
  command=$(ninja -C "$build" -t commands -s "$1")
  grep -oE 'CMakeFiles/[^ ]+\.o' <<<"$command" | xargs ninja -C "$build"
  for library in $(grep -oE ' crivo/[^ ]+\.(a|so)' <<<"$command"); do
    # Not in tests, where the tests of packages may have left libraries for other CPUs.
    find "$built" -path "$built/tests" -prune -o -name "${library##*/}" -exec cp {} "$build/$library" \; -quit
  done
  (cd "$build" && eval "$command")
}

for program in program linked policy; do
  grep -q "^$program: " <<<"$made" || continue
  make_program "$program"
  "$build/$program"
done

# Reads the install scripts, because `cmake --install` needs a complete build.
installed=$(find "$build" -name cmake_install.cmake -exec grep -ho 'file(INSTALL .*' {} +)
[[ $(wc -l <<<"$installed") == 1 && $installed == *program* ]] || fail "only program may be installed, got $installed"
