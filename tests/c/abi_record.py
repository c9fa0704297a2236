#!/usr/bin/env python3
"""Compares what compiled programs use of libcrivo.so with its record: functions and their types, symbol versions,
structures, enumerations and constants.

usage: abi_record.py [--write] RECORD HEADER LIBRARY C_COMPILER NM

core/c/abi/README.md says which changes are compatible, and what other changes need.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

# Programs do not depend on the fields of opaque types or on version numbers.
NO_CONSTANTS = re.compile(r"CRIVO_(H|API|CHECKED|VERSION_\w+)$")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def preprocessed(compiler, header, *options):
    # Drops the lines of system headers. A marker with the name of crivo.h precedes the lines of crivo.h.
    text = run(compiler, "-std=c99", "-E", "-D__attribute__(x)=", *options, header)
    ours, kept = False, []
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            ours = marker[1] == header
        elif ours:
            kept.append(line)
    return " ".join(" ".join(kept).split())


def structures(text):
    for name, body, _ in re.findall(r"typedef struct (\w+) \{(.*?)\} (\w+);", text):
        yield name, re.findall(r"(\w+)(?:\[[^]]*\])?;", body)


def constants(compiler, header, text):
    for body in re.findall(r"enum \{(.*?)\}", text):
        yield from re.findall(r"(CRIVO_\w+) =", body)
    for name in re.findall(r"^#define (CRIVO_\w+) ", run(compiler, "-std=c99", "-E", "-dM", header), re.MULTILINE):
        if not NO_CONSTANTS.match(name):
            yield name


def measuring_program(header, structs, names):
    yield f'#include <stddef.h>\n#include <stdio.h>\n#include "{header}"\nint main(void) {{'
    for struct, fields in structs:
        yield f'printf("structure {struct}: %zu bytes\\n", sizeof({struct}));'
        for field in fields:
            yield (f'printf("structure {struct}: {field} at %zu, %zu bytes\\n", offsetof({struct}, {field}), '
                   f"sizeof((({struct}*)0)->{field}));")
    for name in names:
        yield f'printf("constant {name} = %lld\\n", (long long){name});'
    yield "return 0; }"


def measured(compiler, header, text):
    program = measuring_program(header, list(structures(text)), sorted(constants(compiler, header, text)))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "measure.c"), pathlib.Path(folder, "measure")
        source.write_text("\n".join(program), encoding="utf-8")
        run(compiler, "-std=c99", "-o", binary, source)
        return run(binary).splitlines()


def functions(text):
    text = re.sub(r"typedef struct \w+ \{.*?\} \w+;|enum \{.*?\};", "", text)
    for declaration in re.findall(r"[^;]+;", text):
        yield "type " + declaration.strip() if "typedef" in declaration else "function " + declaration.strip()


def symbols(nm, library):
    for line in run(nm, "--dynamic", "--defined-only", "--with-symbol-versions", library).splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind != "A":  # A is the type of the version nodes
            yield f"symbol {name}"


def current(header, library, compiler, nm):
    text = preprocessed(compiler, header)
    lines = [line for line in functions(text) if "crivo_" in line] + measured(compiler, header, text)
    return sorted(lines + list(symbols(nm, library)))


def main(arguments):
    write = arguments[:1] == ["--write"]
    record, header, library, compiler, nm = arguments[write:]
    now = current(str(pathlib.Path(header).resolve()), library, compiler, nm)
    path = pathlib.Path(record)
    if write:
        path.write_text("\n".join(now) + "\n", encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8").splitlines()
    if now == before:
        return
    changes = [line for line in difflib.unified_diff(before, now, "record", "now", lineterm="", n=0) if line[0] in "+-"]
    gone = any(line[0] == "-" for line in changes[2:])
    raise SystemExit("\n".join(changes) + f"\n{'programs that exist may break' if gone else 'only additions'}: "
                     "core/c/abi/README.md says what to do")


if __name__ == "__main__":
    main(sys.argv[1:])
