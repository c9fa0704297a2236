#!/usr/bin/env python3
"""Programs of Debian that use RocksDB and ask for no filters, each without and with `crivo rocksdb run`.

usage: programs.py PROGRAM CRIVO    PROGRAM is one of those below, and CRIVO the tool

A program runs on the same data both times, and must answer the same. What docs/benchmarks.md says of it must hold: for
which keys it gets filters, and what they save. Ends with 77 where the program is not installed.
"""
import contextlib
import json
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

POLICY = "crivo.Auto:10"


class World:
    """A folder for a program, and whether it runs with filters."""

    def __init__(self, crivo, folder, filtered):
        self.crivo, self.folder = crivo, folder
        self.prefix = [crivo, "rocksdb", "run", "--policy", POLICY, "--"] if filtered else []

    def run(self, *words, harmless=None):
        """Runs to the end, which may be one with a `harmless` complaint."""
        done = subprocess.run([*self.prefix, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0 and not (harmless and harmless in done.stderr):
            raise SystemExit(f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def running(self, *words, filtered=True):
        """A server, which is asked to end behind the block."""
        with open(self.folder / "server.log", "ab") as log:
            server = subprocess.Popen([*(self.prefix if filtered else []), *words], cwd=self.folder, stdout=log,
                                      stderr=log)
        try:
            yield
        finally:
            server.terminate()
            server.wait(timeout=60)

    def keys_with_filters(self, database):
        """The keys that our filters have in all files of a database."""
        described = subprocess.run([self.crivo, "sst", "info", "--json", database], cwd=self.folder, check=True,
                                   capture_output=True, text=True).stdout
        files = json.loads(described)
        return sum(file["keys"] for file in files if file["policy"] == POLICY.split(":")[0])


def db_bench(world):
    """RocksDB's own: reads of absent keys."""
    said = world.run("db_bench", "--db=db", "--benchmarks=fillrandom,compact,readmissing", "--num=200000",
                     "--reads=50000", "--value_size=100", "--cache_size=1048576", "--compression_type=none", "--seed=1",
                     "--statistics")
    counts = dict(re.findall(r"(rocksdb\.[\w.]+) COUNT : (\d+)", said))
    return {"answer": re.search(r"\d+ of 50000 found", said)[0], "filtered": world.keys_with_filters("db"),
            "blocks": int(counts["rocksdb.block.cache.data.miss"])}


def sortmerna(world):
    """Reads of genes, held against references; its database stays in memory."""
    rand = random.Random(1)
    bases = lambda count: "".join(rand.choices("ACGT", k=count))
    references = [bases(1500) for _ in range(100)]
    reads = [rand.choice(references)[200:350] if i % 2 else bases(150) for i in range(4000)]
    for name, texts in {"references.fa": references, "reads.fa": reads}.items():
        (world.folder / name).write_text("".join(f">{i}\n{text}\n" for i, text in enumerate(texts)))
    world.run("sortmerna", "--ref", "references.fa", "--reads", "reads.fa", "--workdir", ".", "--fastx", "--blast", "1")
    log = (world.folder / "kvdb/LOG").read_text()
    answer = sorted((world.folder / "out/aligned.blast").read_text().splitlines())
    assert len(answer) > 1900, f"half of the reads must be found, got {len(answer)}"
    return {"answer": answer, "asks": f"filter_policy: {POLICY.split(':')[0]}" in log,
            "files": len(list((world.folder / "kvdb").glob("*.sst")))}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def post(port, path, body, **headers):
    """Tries until the server has come up."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), headers)
    for _ in range(100):
        with contextlib.suppress(ConnectionError, urllib.error.URLError):
            return urllib.request.urlopen(request, timeout=30).read()
        time.sleep(0.1)
    raise SystemExit(f"no answer at port {port}")


def balboa(world):
    """Passive DNS: what was seen of names, which it merges, and reads by iterators."""
    backend, feed, graphql = free_ports(3)
    (world.folder / "feeders.yaml").write_text(
        "feeder:\n  - {name: HTTP, type: http, listen_host: 127.0.0.1, "
        f"listen_port: {feed}, input_format: fever_aggregate}}\n")
    names = [f"host{i}.example.org" for i in range(20_000)]

    @contextlib.contextmanager
    def both():
        serve = ["balboa", "serve", "-H", f"127.0.0.1:{backend}", "-f", "feeders.yaml", "-l", "", "-p", str(graphql)]
        with world.running("balboa-rocksdb", "-d", "db", "-p", str(backend), "-R"):
            time.sleep(1)  # the front end does not wait for it
            with world.running(*serve, filtered=False):
                yield

    def ask(name):
        query = {"query": f'{{ entries(rrname: "{name}") {{ rrname rdata count }} }}'}
        return json.loads(post(graphql, "/query", query, **{"Content-Type": "application/json"}))["data"]["entries"]

    with both():
        for first in range(0, len(names), 500):
            seen = {name: {"rdata": [{"rdata": "10.0.0.1", "count": 1, "rrtype": "A", "type": "answer"}]}
                    for name in names[first:first + 500]}
            post(feed, "/", {"dns": seen, "timestamp_start": "2024-03-01T00:00:00+00:00",
                             "timestamp_end": "2024-03-01T00:01:00+00:00"}, **{"X-Sensor-ID": "sensor"})
        while not ask(names[-1]):  # feeds are taken one after the other
            time.sleep(0.1)
    with both():  # now the keys are in a file
        answer = [ask(name) for name in [*names[::40], *(f"no{i}.example.org" for i in range(500))]]
    assert [len(entries) for entries in answer] == [1] * 500 + [0] * 500, "names that were seen, and others"
    return {"answer": answer, "filtered": world.keys_with_filters("db")}


def oxigraph(world):
    """A store of triples, which has filters of RocksDB's where it looks up single keys."""
    triples = "".join(f"<http://example.org/{i}> <http://example.org/knows> <http://example.org/{i * 7 % 20000}> .\n"
                      for i in range(20_000))
    (world.folder / "triples.nt").write_text(triples)
    # Debian 13's aborts when its work is done, with and without filters.
    end = "ColumnFamilySet::~ColumnFamilySet(): Assertion `last_ref' failed"
    world.run("oxigraph", "load", "-l", "db", "-f", "triples.nt", harmless=end)
    query = "SELECT ?a ?b WHERE { ?a <http://example.org/knows> <http://example.org/%d> . ?a ?p ?b }"
    answer = [world.run("oxigraph", "query", "-l", "db", "--results-format", "csv", "-q", query % of, harmless=end)
              for of in (7, 70, 50_000)]
    assert len(answer[0].splitlines()) > 1 and len(answer[2].splitlines()) == 1, answer
    return {"answer": answer, "filtered": world.keys_with_filters("db")}


def expect_db_bench(plain, filtered):
    assert filtered["filtered"] > 100_000, filtered
    assert filtered["blocks"] < plain["blocks"] / 5, f"{filtered['blocks']} blocks and {plain['blocks']} without filters"


def expect_sortmerna(plain, filtered):
    assert (plain["asks"], filtered["asks"], filtered["files"]) == (False, True, 0), filtered


def expect_balboa(plain, filtered):
    assert (plain["filtered"], filtered["filtered"] > 20_000) == (0, True), filtered


def expect_oxigraph(plain, filtered):
    assert plain["filtered"] == 0, plain


PROGRAMS = {"db_bench": (db_bench, expect_db_bench), "sortmerna": (sortmerna, expect_sortmerna),
            "balboa": (balboa, expect_balboa), "oxigraph": (oxigraph, expect_oxigraph)}


def main(name, crivo):
    if shutil.which(name) is None:
        print(f"{name} is not installed")
        return 77
    work, expect = PROGRAMS[name]
    outcomes = []
    for filtered in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(work(World(crivo, pathlib.Path(folder), filtered)))
    plain, filtered = outcomes
    assert filtered.pop("answer") == plain.pop("answer"), f"{name} must answer the same with filters"
    expect(plain, filtered)
    print(f"{name}: without filters {plain}, with {filtered}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
