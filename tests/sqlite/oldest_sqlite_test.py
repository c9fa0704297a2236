#!/usr/bin/python3
"""The extension calls only functions of the oldest supported SQLite. The header states for each function in an
extension's table the version that introduced it.

usage: oldest_sqlite_test.py SQLITE3EXT_H VERSION SOURCE_FOLDER
"""

import pathlib
import re
import sys


def parsed(version):
    numbers = [int(number) for number in version.split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


def versions(header):
    """Returns {function: version that introduced it}. Functions before the first version are older than the table."""
    table = header[header.index("struct sqlite3_api_routines {"):]
    table = table[:table.index("\n};")]
    found, version = {}, (3, 0, 0)
    for note, name in re.findall(r"/\* Version ([\d.]+) and later \*/|\(\*(\w+)\)\(", table):
        if note:
            version = parsed(note)
        else:
            found["sqlite3_" + name] = version
    # Some functions have one name in the table and another in programs.
    for macro, slot in re.findall(r"#define (sqlite3_\w+)\s+sqlite3_api->(\w+)", header):
        found[macro] = found["sqlite3_" + slot]
    return found


def calls(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.cpp")) + sorted(pathlib.Path(folder).rglob("*.h")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in re.findall(r"\b(sqlite3_\w+)\s*\(", line.split("//")[0]):
                if name != "sqlite3_crivo_init":
                    yield f"{path}:{number}", name


def main(header, oldest, folder):
    since = versions(pathlib.Path(header).read_text(encoding="utf-8"))
    if max(since.values()) < parsed(oldest):
        raise SystemExit(f"{header} must be that of SQLite {oldest} or later")
    called = list(calls(folder))
    if not called:
        raise SystemExit(f"{folder} must have sources that call SQLite, got none")
    breaches = [(place, name) for place, name in called if since.get(name, (99,)) > parsed(oldest)]
    for place, name in breaches:
        version = ".".join(map(str, since[name])) if name in since else "none that the headers know"
        print(f"{place}: {name} must have come with SQLite {oldest} or before, got {version}")
    print(f"{len({name for _, name in called})} functions of SQLite are called")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
