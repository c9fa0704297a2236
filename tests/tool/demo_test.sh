#!/usr/bin/env bash
# demo_test.sh DEMO_FOLDER BUILD_FOLDER: the report of `./dev demo` fits in 80 columns, has colors only on a terminal,
# explains its figures, and matches the README's excerpt. The demo itself checks that all hosts give the same answers.
set -euo pipefail
demo=$1 build=$2
fail() {
  echo "$*" >&2
  exit 1
}

waits=$(mktemp) words=$(mktemp)
trap 'rm "$waits" "$words"' EXIT
sed -n '1~5p' /usr/share/dict/american-english-huge >"$words"
report=$("$demo/run" "$build" "$words" 2>"$waits" | cat)
[[ $(wc -l <"$waits") == 3 ]] || fail "each part must be announced, got" "$(cat "$waits")"
long=$(sed "s|$build|build/release|" <<<"$report" | grep -E '.{81}' || true)  # `./dev demo` prints this folder
[[ -z $long ]] || fail "lines must have at most 80 columns, got" "$long"
[[ $report != *$'\e'* ]] || fail "a pipe must get no colours"

# The figures depend on RocksDB's version, so only the text around them is compared.
without_figures() { sed -E 's/ +/ /g; s/[0-9][0-9.,]*%?$//; s/[0-9][0-9.,]*%? /N /g' | sort -u; }
excerpt=$(sed -n '/^```text$/,/^```$/{//!p}' "$demo/../../README.md")
[[ -n $excerpt ]] || fail "the README must show a part of the report, got none"
invented=$(comm -23 <(without_figures <<<"$excerpt") <(without_figures <<<"$report"))
[[ -z $invented ]] || fail "the README must show lines of the report, got" "$invented"

grep -qE '^  Promised: at most 1% of the misspelt\. Of [0-9,]+, chance can make it 1\.[0-9]{2}%\.$' <<<"$report" ||
  fail "the rate that was promised must stand beside those that were measured"

row=($(grep -E '^  words +[0-9]' <<<"$report"))
grep -q "Why are ${row[1]} raw bytes of 'words' only ${row[2]} bytes as a blob" <<<"$report" ||
  fail "the explanation must be of the figures in the table"
grep -qE 'crivo\.Ribbon:10' <<<"$report" && grep -qE '^  ribbon +[0-9]' <<<"$report" ||
  fail "ribbons must be shown in RocksDB and SQLite"

paint() { TERM=xterm script --quiet --return --command "printf 'Heading\n  the same answers\n' | $1" /dev/null; }
[[ $(paint "$demo/paint") == *$'\e[1mHeading\e[0m'*$'\e[32mthe same answers\e[0m'* ]] ||
  fail "a terminal must get colours"
[[ $(paint "NO_COLOR=1 $demo/paint") != *$'\e'* ]] || fail "NO_COLOR must be respected"
