#!/usr/bin/env python3
"""A filter in a replicated database whose leader is killed: run.py NODE_PROGRAM [KEYS]

Prints a report. Exits with 1 if a key that was acknowledged is not found afterwards.
"""
import json
import os
import pathlib
import sys
import tempfile
import time

from cluster import Cluster, NODES, Session

BATCH = 100
FPR = 0.001
INSERT = "INSERT INTO seen(key) SELECT value FROM json_each(?)"
UPDATE = "UPDATE filters SET f = bloom_add_many(f, ?)"
IN_TABLE = "SELECT count(*) FROM json_each(?) WHERE EXISTS(SELECT 1 FROM seen WHERE key = value)"
IN_BLOB = "SELECT sum(bloom_contains((SELECT bloom_open(f) FROM filters), value)) FROM json_each(?)"


def say(what, value):
    print(f"  {what:<48}{value}", flush=True)


def took(action):
    start = time.monotonic()
    action()
    return f"{time.monotonic() - start:.2f} s"


def batches(first, last):
    """The keys from first to last as JSON arrays. One statement adds one array."""
    for start in range(first, last, BATCH):
        yield json.dumps([f"key {i}" for i in range(start, min(start + BATCH, last))])


def create(db, keys):
    """Creates a filter table, and a table with a filter in a blob."""
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS seen USING bloom(capacity={2 * keys}, fpr={FPR}, kind=blocked)")
    db.execute("CREATE TABLE IF NOT EXISTS filters(id INTEGER PRIMARY KEY, f BLOB)")
    db.execute(f"INSERT OR IGNORE INTO filters VALUES (1, bloom_create({2 * keys}, {FPR}))")


def insert(db, first, last):
    """Adds the keys to both filters. When this returns, the cluster has acknowledged all keys."""
    for batch in batches(first, last):
        db.execute(INSERT, batch)
        db.execute(UPDATE, batch)


def insert_one_by_one(db, first, last):
    for i in range(first, last):
        db.execute("INSERT INTO seen(key) VALUES (?)", f"key {i}")
        db.execute("UPDATE filters SET f = bloom_add(f, ?)", f"key {i}")


def found(db, question, first, last):
    return sum(db.query(question, batch)[0][0] for batch in batches(first, last))


def all_found(db, title, keys):
    """Whether the leader finds all keys in both filters, and few keys that were never added."""
    print(f"\n{title}: node {db.cluster.leader()} leads")
    fine = True
    for name, question in (("table", IN_TABLE), ("blob", IN_BLOB)):
        hits = found(db, question, 0, keys)
        others = found(db, question, 10 * keys, 11 * keys)
        say(f"acknowledged keys found in the {name}", f"{hits:,} of {keys:,}")
        say("keys found there that were never added", f"{others:,} of {keys:,}")
        fine = fine and hits == keys and others <= 3 * FPR * keys + 10
    return fine


def kill(db, node):
    db.close()
    db.cluster.kill(node)
    say(f"node {node} is killed (SIGKILL), another leads after", took(db.cluster.leader))


def run(cluster, keys):
    db = Session(cluster)
    create(db, keys)
    print(f"{len(NODES)} nodes, node {cluster.leader()} leads")
    many = keys - BATCH
    say(f"{many:,} keys acknowledged, {BATCH} in a statement", took(lambda: insert(db, 0, many)))
    say(f"{BATCH} more, each in a statement", took(lambda: insert_one_by_one(db, many, keys)))

    first = cluster.leader()
    [unanswered] = batches(keys, keys + BATCH)
    db.connect().send_execute(INSERT, unanswered)
    kill(db, first)
    fine = all_found(db, "After the leader's death", keys)
    say("of the statement that was not answered", f"{found(db, IN_TABLE, keys, keys + BATCH)} of {BATCH}")
    say(f"{keys:,} more keys acknowledged, by two nodes", took(lambda: insert(db, keys, 2 * keys)))

    cluster.start(first)
    kill(db, cluster.leader())
    return all_found(db, f"Node {first} is back, the next leader dead as well", 2 * keys) and fine


def main(program, keys="10000"):
    if not os.access(program, os.X_OK):
        raise SystemExit(f"NODE_PROGRAM must be dqlite_node, built where libdqlite-dev is installed, got {program}")
    with tempfile.TemporaryDirectory() as folder, Cluster(os.path.realpath(program), pathlib.Path(folder)) as cluster:
        fine = run(cluster, int(keys))
    print("\nNo acknowledged key was lost." if fine else "\nKEYS WERE LOST, or too many found that were never added.")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
