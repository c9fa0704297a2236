#!/usr/bin/env bash
# Which symbols libcrivo.so exports, and what it needs from the system. usage: library_test.sh LIBRARY
set -euo pipefail

fail() { echo "$*" >&2; exit 1; }

exports=$(nm -D --defined-only "$1" | awk '$2 != "A" {print $3}')
[[ $exports ]] || fail "must export functions, got none"
strangers=$(grep -v '^crivo_' <<<"$exports" || true)
[[ -z $strangers ]] || fail "must export nothing but crivo_*, got $strangers"

soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[[ $soname == libcrivo.so.0 ]] || fail "must be called libcrivo.so.0, got $soname"

"$(dirname "$0")/../support/self_contained.sh" "$1"

stack=$(readelf -lW "$1" | awk '$1 == "GNU_STACK" {print $7}')
[[ $stack == RW ]] || fail "must not ask for an executable stack, got ${stack:-no word on it}"
! readelf -d "$1" | grep -q TEXTREL || fail "must be relocatable without changing its code, got TEXTREL"

# The handler of SIGBUS reads a thread-local variable. Without initial-exec, glibc could call malloc for it.
[[ $(readelf -VW "$1") != *GLIBC_* ]] || readelf -d "$1" | grep -q STATIC_TLS ||
  fail "must have initial-exec variables of threads, got none"
