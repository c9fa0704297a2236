#!/usr/bin/env python3
"""Makes one language write the raw blobs of all cases, and compares them with those of C++: equal keys and options must
give equal bytes. For cpp, it writes the cases first.

usage: same_bytes.py LANGUAGE SOURCES BUILD FOLDER; BUILD is CMake's folder, and FOLDER has the cases and the output of
each language. Exits with 77 and a reason if the language is not available.

The file `cases` has a line for each case, "kind fp_rate seed capacity keys blob". A capacity of 0 is none; for a sketch
it is the number of symbols. The last two fields are file names. A file of keys is a sequence of records: a byte for the
type, four for the length (little-endian), and the key. Types: t text in UTF-8, b bytes, i an integer in decimal, r a
real in 8 bytes (little-endian). FILE.values has a byte for each key of FILE: its value in a map; the lowest bit says
whether it is a member of an exact filter. The programs ask.* read these files.
"""

import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

import languages

KINDS = ["classic", "compressed", "blocked", "counting", "spectral", "spectral:16", "scalable", "scalable:4", "cuckoo",
         "hash_compaction", "ribbon", "growing"]
OPTIONS = [(0.01, 0, 0), (0.0003, 2**63 + 5, 0), (0.01, 1, 5000)]  # rate, seed, capacity
KINDS_WITH_VALUES = ["map", "exact"]  # their aggregate functions in SQL have no capacity
OPTIONS_WITH_VALUES = [(0.01, 0, 0), (0.0003, 2**63 + 5, 0), (1, 1, 0)]
OPTIONS_OF_SKETCHES = [(1, 0, 1), (1, 2**63 + 5, 100)]


def key_sets():
    """Every type of key, with error-prone values: empty, NUL, invalid UTF-8, large integers."""
    integers = [0, -1, 7, 2**53 + 1, 2**63 - 1, -(2**63)]
    several = [("t", ""), ("t", "schl\u00fcssel"), ("t", "\U0001f511"), ("t", "a\0b"), ("b", b"\0"),
               ("b", b"\xff\0\xfe")]
    yield "none", []
    yield "one", [("t", "ann")]
    yield "newline", [("t", "a\nb"), ("b", b"\n"), ("t", "ann")]
    yield "text", [("t", f"https://example.org/{i}/\u00fc") for i in range(1000)]
    binary = [struct.pack(">H", i) for i in range(494)]
    yield "mixed", [*several, *(("i", value) for value in [*integers, *range(-494, 0)]),
                    *(("b", key) for key in binary if b"\n" not in key), *several,
                *(("r", raw) for raw in languages.REALS)]
    yield "integral", [("i", value) for value in [2**63, 10**19, 2**64 - 2048]]  # reals in SQL
    yield "unsigned", [("i", value) for value in [2**63 + 1, 10**19 + 1, 2**64 - 1]]
    yield "nan", [("r", raw) for raw in languages.NANS]


def record(kind, key):
    raw = key if isinstance(key, bytes) else str(key).encode()
    return kind.encode() + struct.pack("<I", len(raw)) + raw


def value_of(kind, key):
    """A byte that is equal for all records of the same key."""
    raw = record(kind, key)[5:]
    return zlib.crc32(languages.KEYS_OF_REALS[raw] if kind == "r" else raw) & 255


def options_of(kind):
    return OPTIONS_OF_SKETCHES if kind == "sketch" else OPTIONS_WITH_VALUES if kind in KINDS_WITH_VALUES else OPTIONS


def write_cases(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines = []
    for name, keys in key_sets():
        (folder / f"{name}.keys").write_bytes(b"".join(record(*key) for key in keys))
        (folder / f"{name}.keys.values").write_bytes(bytes(value_of(*key) for key in keys))
        for kind in [*KINDS, *KINDS_WITH_VALUES, "sketch"]:
            for number, (fp_rate, seed, capacity) in enumerate(options_of(kind)):
                blob = f"{kind.replace(':', '-')}.{name}.{number}"
                lines.append(f"{kind} {fp_rate} {seed} {capacity} {name}.keys {blob}\n")
    (folder / "cases").write_text("".join(lines), encoding="utf-8")


def differences(folder, language, left_out):
    """Yields the errors in the language's blobs. left_out: the key sets that it does not support."""
    for line in (folder / "cases").read_text(encoding="utf-8").splitlines():
        keys, blob = line.split(" ")[4:]
        if keys.removesuffix(".keys") in left_out:
            continue
        expected, written = folder / "cpp" / blob, folder / language / blob
        if not written.exists():
            yield f"{line}: nothing was written"
        elif written.read_bytes() != expected.read_bytes():
            yield f"{line}: {language} and C++ differ"


def main(language, sources, build, folder):
    folder = pathlib.Path(folder).resolve()
    if language == "cpp":
        write_cases(folder)
    place = languages.Place(pathlib.Path(sources).resolve(), pathlib.Path(build).resolve(), folder, folder / language)
    shutil.rmtree(place.own, ignore_errors=True)
    place.own.mkdir()
    try:
        left_out = languages.ASK[language](place) or {}
    except languages.Missing as missing:
        print(f"skipped: {missing}")
        return 77
    except subprocess.CalledProcessError as failed:
        print(failed, failed.output.decode(errors="replace"), sep="\n")
        return 1
    wrong = list(differences(folder, language, left_out))
    print(*wrong, *(f"not asked for keys of {name}: {why}" for name, why in left_out.items()), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
