#!/usr/bin/env python3
"""Compares the manual with what the tool says in --help: every command has its page, and every option is in it.

usage: manual_test.py CRIVO FOLDER_OF_THE_MANUAL
"""
import pathlib
import re
import subprocess
import sys


def shown_by(crivo, *command):
    return subprocess.run([crivo, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def subcommands_of(text):
    listed = re.split(r"(?i)^subcommands:\n", text, flags=re.MULTILINE)
    return re.findall(r"^  ([a-z]+)", listed[1], re.MULTILINE) if len(listed) > 1 else []


def text_of(page):
    """A page's text without fonts and escapes, in one line."""
    roff = page.read_text(encoding="utf-8")
    roff = re.sub(r"\\f[BIR]|\\&", "", roff).replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\e", "\\")
    return " ".join(roff.split())


def breaches(crivo, folder):
    top = shown_by(crivo)
    commands = subcommands_of(top)
    if len(commands) < 5:
        yield f"crivo --help must list its commands, got {commands}"
    for command in ["", *commands]:
        page = folder / "man/man1" / ("-".join(filter(None, ["crivo", command])) + ".1")
        # The nested ones of `crivo sst` are on its own page. Without crivo-sst there is neither.
        try:
            texts = [shown_by(crivo, *filter(None, [command]))]
            if command == "sst":
                texts += [shown_by(crivo, command, name) for name in subcommands_of(texts[0])]
        except subprocess.CalledProcessError:
            continue
        if not page.exists():
            yield f"{command} must have a page, {page.name}"
            continue
        written = text_of(page)
        for line in "\n".join(texts).splitlines():
            for option in re.findall(r"--[a-z-]+", line.strip().split("  ")[0]) if re.match(r" +-", line) else []:
                if not re.search(rf"{option}[=, .]", written):
                    yield f"{page.name} must have {option}"
    kinds = re.search(r"One of (.*?ribbon)", " ".join(shown_by(crivo, "build").split()))[1]
    if kinds not in text_of(folder / "man/man1/crivo-build.1"):
        yield f"crivo-build.1 must name the kinds {kinds}"


def main(crivo, folder):
    found = list(breaches(crivo, pathlib.Path(folder)))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
