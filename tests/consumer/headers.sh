#!/usr/bin/env bash
# headers.sh COMPILER INCLUDE_FOLDER [alone]: below C++20, each installed C++ header must report that it needs C++20.
# crivo.h must compile as C99 and C++11, and two others as C90 and C++98. With "alone", each header must compile by
# itself instead.
set -euo pipefail
compiler=$1 folder=$2 alone=${3:-}

# compile LANGUAGE STANDARD HEADER
compile() { "$compiler" -x "$1" "$2" -pedantic-errors -I "$folder" -fsyntax-only - <<<"#include <crivo/$3>" 2>&1; }

for header in "$folder"/crivo/*.h; do
  name=$(basename "$header")
  if [[ $alone ]]; then
    compile c++ -std=c++20 "$name" || { echo "$name must compile by itself" >&2; exit 1; }
    continue
  fi
  if [[ $name == sqlite.h || $name == rocksdb_counters.h ]]; then
    compile c -std=c90 "$name" && compile c++ -std=c++98 "$name" || { echo "$name must be C" >&2; exit 1; }
    continue
  fi
  ! errors=$(compile c++ -std=c++17 "$name") || { echo "$name must not compile as C++17" >&2; exit 1; }
  first=$(grep -m 1 'error:' <<<"$errors")
  [[ $first == *"Crivo needs C++20"* ]] ||
    { echo "$name must say first that Crivo needs C++20, got $first" >&2; exit 1; }
  (($(grep -c 'error:' <<<"$errors") <= 2)) ||
    { echo "$name must say little more than that Crivo needs C++20, got $errors" >&2; exit 1; }
done
[[ ! $alone ]] || exit 0

# strictly COMPILER LANGUAGE STANDARD: compiles crivo.h with many warnings as errors.
strictly() {
  "$1" -x "$2" "$3" -pedantic-errors -Wall -Wextra -Wconversion -Werror "${@:4}" -I "$folder" -fsyntax-only - \
    <<<"#include <crivo.h>" || { echo "crivo.h must compile with $1 $3" >&2; exit 1; }
}
strictly gcc c -std=c99 -Wstrict-prototypes -Wmissing-prototypes
strictly gcc c -std=c17 -Wstrict-prototypes
strictly "$compiler" c++ -std=c++11 -Wold-style-cast
strictly "$compiler" c++ -std=c++20 -Wold-style-cast
! command -v clang >/dev/null || strictly clang c -std=c11 -Wstrict-prototypes -Wdocumentation
