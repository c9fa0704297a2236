#!/usr/bin/env bash
# What a library that brings everything along asks of the system: libc alone. usage: self_contained.sh LIBRARY
set -euo pipefail

needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.*) ;;
    *) echo "must need nothing beside libc, got $library" >&2; exit 1 ;;
  esac
done

# A zstd or a C++ runtime that the program brings must not take the place of the one inside. SQLite is reached through
# the table that it hands over, so a statically linked host works, too.
undefined=$(nm -D --undefined-only "$1" | awk '$1 == "U" {print $2}' |
  grep -E '^(sqlite3_|ZSTD_|XXH|_Z|__cxa_throw)' || true)
[[ -z $undefined ]] || { echo "must bring everything along, got undefined $undefined" >&2; exit 1; }
echo "needs" $needed
