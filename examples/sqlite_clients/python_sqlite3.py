# Python's own module:  python3 python_sqlite3.py /usr/local/lib/crivo/crivo.so
import sqlite3
import sys

db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
db.enable_load_extension(False)

db.execute("CREATE TABLE visits(name TEXT)")
db.executemany("INSERT INTO visits VALUES (?)", [("ann",), ("bob",)])
db.execute("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits")
db.execute("UPDATE filters SET f = bloom_add(f, ?)", ("eve",))
ask = "SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?)"
print("filter", *[db.execute(ask, (name,)).fetchone()[0] for name in ("eve", "joe")], sep="|")

db.execute("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)")
db.execute("INSERT INTO seen(key) VALUES (?)", ("eve",))
ask = "SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)"
print("table", *[db.execute(ask, (name,)).fetchone()[0] for name in ("eve", "joe")], sep="|")
