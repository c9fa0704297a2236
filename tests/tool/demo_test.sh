#!/usr/bin/env bash
# demo_test.sh DEMO_FOLDER BUILD_FOLDER: the report of `./dev demo` fits a terminal of 80 columns, has colours there
# only, and explains the figures that it shows. That every host gives the same answers is what the demo itself checks.
set -euo pipefail
demo=$1 build=$2
fail() {
  echo "$*" >&2
  exit 1
}

report=$("$demo/run" "$build" | cat)
long=$(sed "s|$build|build/release|" <<<"$report" | grep -E '.{81}' || true)  # ./dev demo names this folder
[[ -z $long ]] || fail "lines must have at most 80 columns, got" "$long"
[[ $report != *$'\e'* ]] || fail "a pipe must get no colours"

row=($(grep -E '^  words +[0-9]' <<<"$report"))
grep -q "Why are ${row[1]} raw bytes of 'words' only ${row[2]} bytes as a blob" <<<"$report" ||
  fail "the explanation must be of the figures in the table"
grep -qE 'crivo\.Ribbon:10' <<<"$report" && grep -qE '^  ribbon +[0-9]' <<<"$report" ||
  fail "ribbons must be shown in RocksDB and SQLite"

paint() { TERM=xterm script --quiet --return --command "printf 'Heading\n  the same answers\n' | $1" /dev/null; }
[[ $(paint "$demo/paint") == *$'\e[1mHeading\e[0m'*$'\e[32mthe same answers\e[0m'* ]] ||
  fail "a terminal must get colours"
[[ $(paint "NO_COLOR=1 $demo/paint") != *$'\e'* ]] || fail "NO_COLOR must be respected"
