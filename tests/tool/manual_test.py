#!/usr/bin/env python3
"""Compares the manual with the tool's --help: each command has a page, and the page has each option. Each function of
crivo.h has a page too.

usage: manual_test.py CRIVO FOLDER_OF_THE_MANUAL CRIVO_H
"""
import pathlib
import re
import subprocess
import sys


def shown_by(crivo, *command):
    return subprocess.run([crivo, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def is_there(crivo, command):
    return subprocess.run([crivo, command, "--help"], capture_output=True, check=False).returncode == 0


def subcommands_of(text):
    listed = re.split(r"(?i)^subcommands:\n", text, flags=re.MULTILINE)
    return re.findall(r"^  ([a-z]+)", listed[1], re.MULTILINE) if len(listed) > 1 else []


def text_of(page):
    """A page's text in one line, without fonts and escapes."""
    roff = page.read_text(encoding="utf-8")
    roff = re.sub(r"\\f[BIR]|\\&", "", roff).replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\e", "\\")
    return " ".join(roff.split())


def breaches(crivo, folder):
    top = shown_by(crivo)
    commands = subcommands_of(top)
    if len(commands) < 5:
        yield f"crivo --help must list its commands, got {commands}"
    nested = [f"sst {name}" for name in subcommands_of(shown_by(crivo, "sst"))] if is_there(crivo, "sst") else []
    for command in ["", *(each for each in commands if nested or each != "sst"), *nested]:
        text = shown_by(crivo, *command.split())
        page = folder / "man/man1" / ("-".join(["crivo", *command.split()]) + ".1")
        if not page.exists():
            yield f"{command} must have a page, {page.name}"
            continue
        written = text_of(page)
        if command not in nested and written.count(text.splitlines()[0]) > 1:  # nested commands share a page's text
            yield f"{page.name} must say once what is in its NAME"
        for line in text.splitlines():
            for option in re.findall(r"--[a-z-]+", line.strip().split("  ")[0]) if re.match(r" +-", line) else []:
                if not re.search(rf"{option}[=, .]", written):
                    yield f"{page.name} must have {option}"
    kinds = re.search(r"One of (.*?ribbon)", " ".join(shown_by(crivo, "build").split()))[1]
    if kinds not in text_of(folder / "man/man1/crivo-build.1"):
        yield f"crivo-build.1 must name the kinds {kinds}"


def missing_functions(header, folder):
    functions = re.findall(r"^CRIVO_(?:API|CHECKED)\b.*?\b(crivo_\w+)\(", header, re.MULTILINE)
    if len(functions) < 30:
        yield f"crivo.h must declare its functions, got {functions}"
    for name in functions:
        page = folder / f"man/man3/{name}.3"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        if text.startswith(".so "):
            page = folder / "man" / text.removeprefix(".so ").strip()
        if not page.exists() or f" {name}(" not in text_of(page):
            yield f"{name} must have a page, or lead to one, that tells of it"


def main(crivo, folder, header):
    folder = pathlib.Path(folder)
    found = [*breaches(crivo, folder), *missing_functions(pathlib.Path(header).read_text(encoding="utf-8"), folder)]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
