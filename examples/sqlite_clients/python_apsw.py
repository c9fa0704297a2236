# APSW, Debian's python3-apsw:  python3 python_apsw.py /usr/local/lib/crivo/crivo.so
import sys

import apsw

db = apsw.Connection(":memory:")
db.enableloadextension(True)
db.loadextension(sys.argv[1])
db.enableloadextension(False)

db.cursor().execute("CREATE TABLE visits(name TEXT)")
db.cursor().executemany("INSERT INTO visits VALUES (?)", [("ann",), ("bob",)])
db.cursor().execute("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits")
db.cursor().execute("UPDATE filters SET f = bloom_add(f, ?)", ("eve",))
ask = "SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?)"
print("filter", *[db.cursor().execute(ask, (name,)).fetchone()[0] for name in ("eve", "joe")], sep="|")

db.cursor().execute("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)")
db.cursor().execute("INSERT INTO seen(key) VALUES (?)", ("eve",))
ask = "SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)"
print("table", *[db.cursor().execute(ask, (name,)).fetchone()[0] for name in ("eve", "joe")], sep="|")
