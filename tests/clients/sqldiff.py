#!/usr/bin/env python3
"""sqldiff and VACUUM INTO copy filter tables with every key.

usage: sqldiff.py CRIVO_SO. Exits with 77 without sqldiff (Debian's sqlite3-tools).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from filter_tables import FILLED, FOLLOWING, TABLES, connected


def add(db, first, last):
    for i in range(first, last):
        db.execute("INSERT INTO account VALUES (?, ?)", (i, f"user{i}@example.org"))
    for table in FILLED:
        db.execute(f"INSERT INTO {table}(key) SELECT email FROM account")
    db.execute("DELETE FROM account WHERE id % 7 = 0")


def require_every_key(path, crivo, what):
    db = connected(path, crivo)
    for table in FOLLOWING + FILLED:
        missing = db.execute(f"SELECT count(*) FROM account WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE key = email)")
        count = missing.fetchone()[0]
        if count != 0:
            raise SystemExit(f"{what}: {table} lacks {count} keys")
        db.execute(f"INSERT INTO {table}(op) VALUES ('check')")
    for table in FOLLOWING:
        if db.execute(f"SELECT bloom_table_info('{table}') ->> 'follows'").fetchone()[0] != 1:
            raise SystemExit(f"{what}: {table} must follow its column")
    add(db, 50_000, 50_100)  # continues to add keys
    missing = db.execute("SELECT count(*) FROM account WHERE NOT EXISTS (SELECT 1 FROM emails WHERE key = email)")
    if missing.fetchone()[0] != 0:
        raise SystemExit(f"{what}: emails must go on to follow its column")
    db.close()


def main(crivo):
    sqldiff = shutil.which("sqldiff")
    if sqldiff is None:
        print("sqldiff is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        old, new = folder / "old.db", folder / "new.db"
        db = connected(old, crivo)
        db.executescript(TABLES)
        add(db, 0, 3000)
        db.close()
        shutil.copy(old, new)
        db = connected(new, crivo)
        add(db, 3000, 8000)
        db.execute(f"VACUUM INTO '{folder / 'copy.db'}'")
        db.close()
        require_every_key(folder / "copy.db", crivo, "VACUUM INTO")

        # sqldiff also copies the rows of a filter, so triggers would add the keys again.
        said = subprocess.run([sqldiff, "--transaction", old, new], check=True, capture_output=True, text=True).stdout
        whole = folder / "whole.db"
        shutil.copy(old, whole)
        applied = subprocess.run(["sqlite3", "-bail", "-cmd", ".dbconfig enable_trigger off", whole], input=said,
                                 text=True, capture_output=True)
        if applied.returncode != 0:
            raise SystemExit(f"sqldiff's SQL must apply, got {applied.stderr[:500]}")
        require_every_key(whole, crivo, "sqldiff")
    print("no key is lost")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
