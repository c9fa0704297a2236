#!/usr/bin/env python3
"""Litestream copies a database with filter tables while it is written to, and what it restores, of now and of a time in
between, has filters without a false negative.

usage: litestream.py CRIVO_SO TOOLS; TOOLS is what tests/packages/npm/node_tools made. Exits with 77 without Litestream.
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
    """Accounts come and go, each step a transaction of its own."""
    for first in range(begin, end, 100):
        emails = [(f"{i}@example.org",) for i in range(first, first + 100)]
        db.execute("BEGIN")
        db.executemany("INSERT INTO account(email) VALUES (?)", emails)
        db.executemany("INSERT INTO seen(key) VALUES (?)", emails)
        db.executemany("INSERT INTO lately(key) VALUES (?)", emails)
        db.execute("DELETE FROM account WHERE id % 3 = 0 AND id <= ?", (first,))
        db.execute("COMMIT")


def check(path, crivo, least, most):
    """That a restored database is whole, of a moment between the two, and that its filters deny none of its keys."""
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
            time.sleep(2.5)  # it looks once a second
            between = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            time.sleep(2.5)
            add(db, 3000, 6000)
            time.sleep(2.5)
        finally:
            copying.terminate()  # as a machine that goes down
            copying.wait(30)
        restore = [program, "restore", "-o"]
        subprocess.run([*restore, folder / "now.db", replica], check=True, capture_output=True)
        subprocess.run([*restore, folder / "then.db", "-timestamp", between, replica], check=True, capture_output=True)
        check(folder / "now.db", crivo, 6000, 6000)
        check(folder / "then.db", crivo, 3000, 3000)
        db.close()


main(*sys.argv[1:])
