#!/usr/bin/env bash
# uninstall.sh IN_PREFIX BUILD PREFIX: what is installed is listed, and uninstalling removes that and nothing else.
set -euo pipefail
in_prefix=$1 build=$2 prefix=$3

fail() {
  echo "uninstall: $*" >&2
  exit 1
}

rm -rf "$prefix"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include/crivo"
touch "$prefix/lib/pkgconfig/other.pc" "$prefix/include/crivo/notes"
# Files, and our own folders: a bin or lib that is empty may have been there before.
list() { find "$prefix" -type f -o -name crivo | sort; }
others=$(list)

said=$("$in_prefix" install "$prefix" "$build")
files=(include/crivo/filter.h lib/libcrivo.a lib/cmake/crivo/crivoConfig.cmake lib/pkgconfig/crivo.pc)
[[ ! -e $build/crivo.so ]] || files+=(include/crivo/sqlite.h lib/libcrivo_sqlite.a lib/pkgconfig/crivo-sqlite.pc)
[[ ! -e $build/manual/made ]] ||
  files+=(share/man/man1/crivo-build.1 share/man/man5/crivo.5 share/bash-completion/completions/crivo
          share/zsh/site-functions/_crivo)
for file in "${files[@]}"; do
  [[ -e $prefix/$file && $said == *"$prefix/$file"* ]] || fail "$file must be installed and named, got $said"
done
[[ $said == *"The loader does not look into $prefix/lib"* ]] || fail "the loader must be mentioned, got $said"

"$in_prefix" uninstall "$prefix"
left=$(list)
[[ $left == "$others" ]] || fail "nothing but what was there may be left, got $(diff <(echo "$others") <(echo "$left"))"
! said=$("$in_prefix" uninstall "$prefix" 2>&1) || fail "there must be nothing to uninstall twice"
[[ $said == *"got $prefix"* ]] || fail "the prefix must be named, got $said"
