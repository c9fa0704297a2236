"""crivo.load() for a connection of apsw. Ends with 77 where apsw is not.

In a program of its own: a process can have only one SQLite with the extension.
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
try:
    db.cursor().execute("SELECT load_extension(?)", (crivo.loadable_path(),))
except apsw.SQLError as error:
    assert "not authorized" in str(error)
else:
    raise AssertionError("extensions must be off again")
