#!/usr/bin/env bash
# libcrivo_sqlite.a and libcrivo.a may define only the entry point and names that no other library has. Weak symbols are
# ignored: they are instantiated templates, which are the same everywhere.
# usage: archive_symbols_test.sh LIBCRIVO_SQLITE_A LIBCRIVO_A
set -euo pipefail

# Demangled names: of the namespace crivo, of crivo.h, and of the tables and guards that the compiler adds for them.
ours='^(crivo::|crivo_[a-z_]+$|(vtable|typeinfo|typeinfo name|guard variable|reference temporary #[0-9]+|TLS [a-z ]*function) for crivo::)'
defined=$(nm --demangle --defined-only --extern-only --no-sort --format=posix "$@" | sed -nE 's/^(.*) [TDBRS] [0-9a-f]+.*$/\1/p')
[[ $defined == *sqlite3_crivo_init* ]] || { echo "must define sqlite3_crivo_init" >&2; exit 1; }
foreign=$(grep -vE "$ours|^sqlite3_crivo_init$" <<<"$defined" || true)
[[ -z $foreign ]] || { echo "must define names of crivo alone, got $foreign" >&2; exit 1; }
echo "$(wc -l <<<"$defined") names, all of crivo"
