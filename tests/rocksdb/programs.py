#!/usr/bin/env python3
"""Runs programs of Debian that use RocksDB without filters, each without and with `crivo rocksdb run`.

usage: programs.py PROGRAM CRIVO    PROGRAM is a function below, and CRIVO the tool

A program runs on the same data both times, and must give the same output. It must match docs/benchmarks.md: for which
keys it gets filters, and how much they save. Exits with 77 if the program is not installed.
"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

POLICY = "crivo.Auto:10"


class World:
    """A folder for a program, which runs with or without filters."""

    def __init__(self, crivo, folder, filtered):
        self.crivo, self.folder = crivo, folder
        self.prefix = [crivo, "rocksdb", "run", "--policy", POLICY, "--"] if filtered else []

    def run(self, *words, harmless=None):
        """Runs a command to its end. It may fail with the message `harmless`."""
        done = subprocess.run([*self.prefix, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0 and not (harmless and harmless in done.stderr):
            raise SystemExit(f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def keys_with_filters(self, database):
        """The number of keys in Crivo's filters, in all files of a database."""
        described = subprocess.run([self.crivo, "sst", "info", "--json", database], cwd=self.folder, check=True,
                                   capture_output=True, text=True).stdout
        files = json.loads(described)
        return sum(file["keys"] for file in files if file["policy"] == POLICY.split(":")[0])


def db_bench(world):
    """RocksDB's own benchmark: reads absent keys."""
    said = world.run("db_bench", "--db=db", "--benchmarks=fillrandom,compact,readmissing", "--num=200000",
                     "--reads=50000", "--value_size=100", "--cache_size=1048576", "--compression_type=none", "--seed=1",
                     "--statistics")
    counts = dict(re.findall(r"(rocksdb\.[\w.]+) COUNT : (\d+)", said))
    return {"answer": re.search(r"\d+ of 50000 found", said)[0], "filtered": world.keys_with_filters("db"),
            "blocks": int(counts["rocksdb.block.cache.data.miss"])}


def sortmerna(world):
    """Maps reads of genes to references; its database stays in memory."""
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


def oxigraph(world):
    """A store of triples. It uses RocksDB's filters where it looks up single keys."""
    triples = "".join(f"<http://example.org/{i}> <http://example.org/knows> <http://example.org/{i * 7 % 20000}> .\n"
                      for i in range(20_000))
    (world.folder / "triples.nt").write_text(triples)
    # Debian 13's oxigraph aborts after its work is done, with and without filters.
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


def expect_oxigraph(plain, filtered):
    assert plain["filtered"] == 0, plain


PROGRAMS = {"db_bench": (db_bench, expect_db_bench), "sortmerna": (sortmerna, expect_sortmerna),
            "oxigraph": (oxigraph, expect_oxigraph)}


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
