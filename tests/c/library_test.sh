#!/usr/bin/env bash
# What libcrivo.so shows to programs and asks of the system. usage: library_test.sh LIBRARY
set -euo pipefail

fail() { echo "$*" >&2; exit 1; }

exports=$(nm -D --defined-only "$1" | awk '$2 != "A" {print $3}')
[[ $exports ]] || fail "must export functions, got none"
strangers=$(grep -v '^crivo_' <<<"$exports" || true)
[[ -z $strangers ]] || fail "must export nothing but crivo_*, got $strangers"

soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[[ $soname == libcrivo.so.0 ]] || fail "must be called libcrivo.so.0, got $soname"

needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.*) ;;
    *) fail "must need nothing beside libc, got $library" ;;
  esac
done

# A zstd or a C++ runtime that the program brings must not take the place of the one inside.
undefined=$(nm -D --undefined-only "$1" | awk '$1 == "U" {print $2}' | grep -E '^(ZSTD_|XXH|_Z|__cxa_throw)' || true)
[[ -z $undefined ]] || fail "must bring everything along, got undefined $undefined"

stack=$(readelf -lW "$1" | awk '$1 == "GNU_STACK" {print $7}')
[[ $stack == RW ]] || fail "must not ask for an executable stack, got ${stack:-no word on it}"
! readelf -d "$1" | grep -q TEXTREL || fail "must be relocatable without changing its code, got TEXTREL"
