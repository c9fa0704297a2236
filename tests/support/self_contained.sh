#!/usr/bin/env bash
# Checks that a library needs only libc, libm and the dynamic loader from the system. usage: self_contained.sh LIBRARY
set -euo pipefail

needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.*) ;;
    *) echo "must need nothing beside libc, got $library" >&2; exit 1 ;;
  esac
done

# The library must use its own zstd and C++ runtime, not those of the host program. It calls SQLite through the table
# that SQLite passes, so that it works in a statically linked host too.
undefined=$(nm -D --undefined-only "$1" | awk '$1 == "U" {print $2}' |
  grep -E '^(sqlite3_|ZSTD_|XXH|_Z|__cxa_throw)' || true)
[[ -z $undefined ]] || { echo "must bring everything along, got undefined $undefined" >&2; exit 1; }
echo "needs" $needed
