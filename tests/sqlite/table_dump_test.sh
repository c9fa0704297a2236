#!/bin/sh
# The shell's .dump, with or without the extension, restores working filter tables. .backup and VACUUM INTO copy them.
# Usage: table_dump_test.sh SQLITE3 CRIVO_SO
set -eu
sqlite3=$1
extension=${2%.so}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ask() {
  "$sqlite3" -bail "$1" -cmd ".load $extension" "$2"
}

numbers='WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n'
for kind in blocked counting scalable spectral; do
  ask "$folder/db" "PRAGMA synchronous = OFF; CREATE VIRTUAL TABLE [$kind it's] USING bloom(capacity=100, fpr=1e-9,
    kind=$kind); INSERT INTO [$kind it's](key) SELECT i FROM ($numbers LIMIT 90);" >"$folder/log"
done
ask "$folder/db" '.dump' >"$folder/dump.sql"
"$sqlite3" -bail "$folder/db" '.dump' >"$folder/without.sql"
ask "$folder/db" ".backup $folder/backup"
ask "$folder/db" "VACUUM INTO '$folder/vacuum'"
for dump in dump without; do
  "$sqlite3" -bail "$folder/$dump" -cmd 'PRAGMA synchronous = OFF' ".read $folder/$dump.sql" >"$folder/log"
done

for copy in dump without backup vacuum; do
  for kind in blocked counting scalable spectral; do
    found=$(ask "$folder/$copy" "INSERT INTO [$kind it's](key) VALUES ('new'); INSERT INTO [$kind it's](op) VALUES
      ('check'); SELECT count(*), max(i) FROM ($numbers) JOIN [$kind it's] ON key = i")
    [ "$found" = "90|90" ] || { echo "$copy, $kind: must find 90|90, got $found" >&2; exit 1; }
  done
done
