"""crivo.load() for a connection of apsw. Exits with 77 without apsw.

A separate program, because a process can have only one SQLite with the extension.
"""

import sys

import crivo

try:
    import apsw
except ImportError:
    print("apsw is missing: on Debian, python3-apsw")
    sys.exit(77)

db = apsw.Connection(":memory:")
crivo.load(db)
ASK = "SELECT bloom_contains(bloom_agg(value), ?) FROM json_each('[1, 2, 3]')"
assert [db.cursor().execute(ASK, (key,)).fetchone()[0] for key in [2, 9]] == [1, 0]


def try_to_load():
    try:
        db.cursor().execute("SELECT load_extension('/missing')")
    except apsw.SQLError as error:
        return str(error)
    raise AssertionError("nothing is there")


assert "not authorized" in try_to_load(), "loading must be off again"
db.enableloadextension(True)
crivo.load(db)
assert "cannot open shared object" in try_to_load(), "loading must stay on where it was on"
