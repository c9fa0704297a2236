#!/usr/bin/env python3
"""Litestream copies a database with filter tables during writes. The filters of restored databases, of the last state
and of an earlier one, have no false negatives.

usage: litestream.py CRIVO_SO TOOLS; TOOLS is the output of tests/packages/npm/node_tools. Exits with 77 without
Litestream.
"""

import datetime
import pathlib
import subprocess
import sys
import tempfile
import time

from filter_tables import FILLED, FOLLOWING, TABLES, connected


def require(condition, message):
    if not condition:
        raise SystemExit(message)


def add(db, begin, end):
    """Adds and removes accounts, one transaction per step."""
    for first in range(begin, end, 100):
        emails = [(f"{i}@example.org",) for i in range(first, first + 100)]
        db.execute("BEGIN")
        db.executemany("INSERT INTO account(email) VALUES (?)", emails)
        db.executemany("INSERT INTO seen(key) VALUES (?)", emails)
        db.executemany("INSERT INTO lately(key) VALUES (?)", emails)
        db.execute("DELETE FROM account WHERE id % 3 = 0 AND id <= ?", (first,))
        db.execute("COMMIT")


def check(path, crivo, least, most):
    """Checks that a restored database is intact and from a time between the two, and that its filters deny none of its
    keys."""
    db = connected(path, crivo)
    require(db.execute("PRAGMA integrity_check").fetchone() == ("ok",), f"{path} must be whole")
    newest = db.execute("SELECT max(id) FROM account").fetchone()[0]
    require(least <= newest <= most, f"{path} must be of between {least} and {most} accounts, got {newest}")
    for table in FOLLOWING:
        lost = db.execute(f"SELECT count(*) FROM account WHERE email NOT IN (SELECT key FROM {table} "
                          "WHERE key IN (SELECT email FROM account))").fetchone()[0]
        require(lost == 0, f"{path}: {table} denies {lost} accounts")
    for table in FILLED:
        keys = [f"{i}@example.org" for i in range(newest)]
        found = sum(db.execute(f"SELECT 1 FROM {table} WHERE key = ?", (key,)).fetchone() is not None for key in keys)
        require(found == newest, f"{path}: {table} denies {newest - found} keys")
    for table in FOLLOWING + FILLED:
        db.execute(f"INSERT INTO {table}(op) VALUES ('check')")
    db.close()


def main(crivo, tools):
    program = pathlib.Path(tools) / "clients/node_modules/.bin/litestream"
    if not program.exists():
        print(f"skipped: no {program}: ./dev test --all installs it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        replica = f"file://{folder}/replica"
        db = connected(folder / "live.db", crivo)
        db.executescript("PRAGMA journal_mode = wal; " + TABLES)
        copying = subprocess.Popen([program, "replicate", folder / "live.db", replica], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            time.sleep(2)
            add(db, 0, 3000)
            time.sleep(2.5)  # Litestream checks for changes once a second
            between = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            time.sleep(2.5)
            add(db, 3000, 6000)
            time.sleep(2.5)
        finally:
            copying.terminate()  # simulates a shutdown of the machine
            copying.wait(30)
        restore = [program, "restore", "-o"]
        subprocess.run([*restore, folder / "now.db", replica], check=True, capture_output=True)
        subprocess.run([*restore, folder / "then.db", "-timestamp", between, replica], check=True, capture_output=True)
        check(folder / "now.db", crivo, 6000, 6000)
        check(folder / "then.db", crivo, 3000, 3000)
        db.close()


main(*sys.argv[1:])
