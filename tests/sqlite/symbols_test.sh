#!/usr/bin/env bash
# Which symbols crivo.so exports, and which it needs. usage: symbols_test.sh CRIVO_SO
set -euo pipefail

exports=$(nm -D --defined-only "$1" | awk '{print $3}')
[[ $exports == sqlite3_crivo_init ]] || { echo "must export sqlite3_crivo_init alone, got $exports" >&2; exit 1; }

"$(dirname "$0")/../support/self_contained.sh" "$1"
