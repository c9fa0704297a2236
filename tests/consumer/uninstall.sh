#!/usr/bin/env bash
# uninstall.sh IN_PREFIX BUILD PREFIX: installed files are listed, and uninstalling removes only these.
set -euo pipefail
in_prefix=$1 build=$2 prefix=$3

fail() {
  echo "uninstall: $*" >&2
  exit 1
}

rm -rf "$prefix"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include/crivo"
touch "$prefix/lib/pkgconfig/other.pc" "$prefix/include/crivo/notes"
mkdir -p "$prefix/share/man"  # empty, and older than the installation
list() { find "$prefix" | sort; }
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
[[ $said == *"The dynamic loader does not search $prefix/lib"* ]] || fail "the loader must be mentioned, got $said"

"$in_prefix" install "$prefix" "$build" >"$prefix/twice"
rm "$prefix/twice"
"$in_prefix" uninstall "$prefix"
left=$(list)
[[ $left == "$others" ]] || fail "nothing but what was there may be left, got $(diff <(echo "$others") <(echo "$left"))"
"$in_prefix" install "$prefix/new/one" "$build" >/dev/null
"$in_prefix" uninstall "$prefix/new/one"
[[ ! -e $prefix/new ]] || fail "folders that were made for the prefix must go, got $(find "$prefix/new")"
! said=$("$in_prefix" uninstall "$prefix" 2>&1) || fail "there must be nothing to uninstall twice"
[[ $said == *"got $prefix"* ]] || fail "the prefix must be named, got $said"
