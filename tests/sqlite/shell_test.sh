#!/usr/bin/env bash
# Tests the extension in the sqlite3 shell. usage: shell_test.sh SQLITE3 CRIVO_SO
set -euo pipefail
shell=$1 extension=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

database=$folder/test.db

run() { "$shell" -batch -init /dev/null "$database" -cmd ".load ${extension%.so}" "$1" 2>&1; }

# prints WANTED SQL: expects exactly this output.
prints() {
  local got
  got=$(run "$2") || true
  [[ $got == "$1" ]] || { echo "$2: must print $1, got $got" >&2; exit 1; }
}

# fails WANTED SQL: expects an error that contains this text.
fails() {
  local got
  ! got=$(run "$2") && [[ $got == *"$1"* ]] || { echo "$2: must fail with $1, got $got" >&2; exit 1; }
}

numbers="(WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n)"
kinds="blocked counting scalable spectral"

# Expects filter tables of these kinds with the keys 1 to 90, and adds a key.
tables_work() {
  local kind
  for kind in $kinds; do
    prints "90|90" "INSERT INTO [$kind it's](key) VALUES ('new'); INSERT INTO [$kind it's](op) VALUES ('check');
      SELECT count(*), max(i) FROM $numbers JOIN [$kind it's] ON key = i;"
  done
}

prints "" "CREATE TABLE t(name, f); INSERT INTO t SELECT 'a', bloom_agg(1); INSERT INTO t VALUES ('b', bloom_create(1000));"
prints 1 "SELECT bloom_contains(f, '1') FROM t WHERE name = 'a';"
prints 0 "SELECT bloom_contains(f, '1') FROM t WHERE name = 'b';"
fails "bloom_create: fp_rate must be in (0, 1), got 1.5" "SELECT bloom_create(10, 1.5);"
fails "wrong number of arguments to function bloom_contains()" "SELECT bloom_contains(f) FROM t;"

# A filter or a filter table that was written to a file or an SQL dump is unchanged.
for kind in $kinds; do
  run "CREATE VIRTUAL TABLE [$kind it's] USING bloom(capacity=100, fpr=1e-9, kind=$kind);
    INSERT INTO [$kind it's](key) SELECT i FROM $numbers LIMIT 90;"
done
"$shell" -batch "$folder/test.db" "SELECT writefile('$folder/b.crivo', f) FROM t WHERE name = 'b'" >"$folder/size"
prints 1 "SELECT readfile('$folder/b.crivo') = f AND bloom_valid(readfile('$folder/b.crivo')) FROM t WHERE name = 'b';"
"$shell" -batch "$folder/test.db" .dump | "$shell" -batch "$folder/copy.db"
prints 2 "ATTACH '$folder/copy.db' AS c; SELECT count(*) FROM t JOIN c.t AS u USING (name, f) WHERE bloom_valid(u.f);"
database=$folder/copy.db
tables_work
database=$folder/test.db

# A dump also has the triggers of a filter table that follows a column. But rows may have changed while the triggers did
# not exist, so the table needs a rebuild.
run "CREATE TABLE u(c); INSERT INTO u VALUES ('old'); CREATE VIRTUAL TABLE f USING bloom(source='u.c', kind=counting);"
run .dump | "$shell" -batch "$folder/restored.db"
mv "$folder/restored.db" "$folder/test.db"
tables_work
fails "source u.c must have kept this table's triggers" "SELECT * FROM f WHERE key = 'gone';"
prints "" "INSERT INTO f(op) VALUES ('rebuild');"
prints "new,old" "INSERT INTO u VALUES ('new'), ('gone'); DELETE FROM u WHERE c = 'gone';
  SELECT group_concat(key) FROM f WHERE key IN ('old', 'new', 'gone');"
prints "" "INSERT INTO f(op) VALUES ('check');"

# -safe mode disables extensions. The shell can still read a database that the extension wrote.
[[ $("$shell" -safe -batch "$folder/test.db" "SELECT count(*) FROM t") == 2 ]]
echo "the shell agrees"
