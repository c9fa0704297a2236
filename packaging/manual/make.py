#!/usr/bin/env python3
"""Makes the manual pages and the shells' completion.

usage: make.py FOLDER VERSION CRIVO

FOLDER/man gets man1 and man5, and man3 if there is the header of the C interface; FOLDER/completion gets bash and zsh.
What they say of options is asked from the program CRIVO. If `CRIVO sst` has a program to start, it is asked as well.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import commands
import completion
import functions
import outline
import roff

HEADER = commands.ROOT / "core/c/include/crivo.h"
TEXT = pathlib.Path(__file__).resolve().parent / "text"


def release_date(changelog, version):
    """The day on which this version was released, or nothing before that."""
    found = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)", changelog, re.MULTILINE)
    return found[1] if found else ""


def sst_outline(crivo):
    """The outline of `crivo sst`, or an empty one where crivo-sst was not built."""
    found = subprocess.run([crivo, "sst", "--outline"], capture_output=True, check=False).returncode == 0
    return outline.of(crivo, "sst") if found else []


def tool_pages(tool, sst, **about):
    """{file: page} of section 1."""
    names = ["crivo", *(f"crivo-{command.name}" for command in tool[1:])]
    pages = [*((name, 1) for name in names), ("crivo", 3), ("crivo", 5)]

    def text(name):
        return (TEXT / f"{name}.md").read_text(encoding="utf-8")

    made = {"crivo.1": commands.tool_page(tool, text("crivo"), pages, **about)}
    for command in tool[1:]:
        name = f"crivo-{command.name}"
        if command.name != "sst":
            made[f"{name}.1"] = commands.subcommand_page("crivo", command, text(name), pages, **about)
        elif sst:
            made[f"{name}.1"] = commands.sst_page(sst, text(name), pages, **about)
    return made


def format_page(**about):
    markdown = (commands.ROOT / "docs/format.md").read_text(encoding="utf-8")
    title, text = markdown.split("\n", 1)
    lines = [".SH DESCRIPTION", *roff.body(text), *commands.see_also("", [("crivo", 1), ("crivo", 3)])]
    return roff.page("crivo", 5, "the bytes of a filter: " + title.removeprefix("# The Crivo "), lines, **about)


def write(folder, pages):
    folder.mkdir(parents=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


def main(folder, version, crivo):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    changelog = (commands.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    about = {"version": version, "date": release_date(changelog, version)}
    tool, sst = outline.of(crivo), sst_outline(crivo)
    write(folder / "man/man1", tool_pages(tool, sst, **about))
    write(folder / "completion/bash", {"crivo": completion.bash(tool, sst)})
    write(folder / "completion/zsh", {"_crivo": completion.zsh(tool, sst)})
    if HEADER.exists():
        write(folder / "man/man3", functions.pages(HEADER.read_text(encoding="utf-8"), **about))
    write(folder / "man/man5", {"crivo.5": format_page(**about)})


if __name__ == "__main__":
    main(*sys.argv[1:])
