#!/usr/bin/env bash
# What crivo.so shows to its host and asks of it. usage: symbols_test.sh CRIVO_SO
set -euo pipefail

exports=$(nm -D --defined-only "$1" | awk '{print $3}')
[[ $exports == sqlite3_crivo_init ]] || { echo "must export sqlite3_crivo_init alone, got $exports" >&2; exit 1; }

needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.*) ;;
    *) echo "must need nothing beside libc, got $library" >&2; exit 1 ;;
  esac
done

# SQLite is reached through the table that it hands over, so a statically linked host works too.
undefined=$(nm -D --undefined-only "$1" | awk '$1 == "U" {print $2}' | grep -E '^(sqlite3_|ZSTD_|_Z|__cxa_throw)' || true)
[[ -z $undefined ]] || { echo "must bring everything along, got undefined $undefined" >&2; exit 1; }
echo "exports $exports, needs" $needed
