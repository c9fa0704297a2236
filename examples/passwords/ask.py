"""ask.py FILTER CRIVO_SO: prints the lines of standard input that a filter in a file may contain."""
import json
import pathlib
import sqlite3
import sys

connection = sqlite3.connect(":memory:")
connection.enable_load_extension(True)
connection.load_extension(sys.argv[2])
leaked = pathlib.Path(sys.argv[1]).read_bytes()
lines = sys.stdin.read().splitlines()
# A filter that is bound to a parameter is read once for all rows.
for (line,) in connection.execute("SELECT value FROM json_each(?) WHERE bloom_contains(?, value)",
                                  (json.dumps(lines), leaked)):
    print(line)
