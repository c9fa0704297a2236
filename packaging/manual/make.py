#!/usr/bin/env python3
"""Generates the manual pages, with help2man and lowdown, and the shells' completions.

usage: make.py FOLDER VERSION CRIVO

Writes FOLDER/completion/bash and FOLDER/completion/zsh. Writes FOLDER/man/man1 and man5, and man3 if the tree has the
header of the C interface. Without help2man and lowdown, FOLDER/man remains empty.

The page of a command is the output of the program CRIVO for --help, and text/PAGE.md. The text before the first heading
of PAGE.md goes into the section DESCRIPTION. The text under `## --kind` goes to that option, and other headings are
sections. `<!-- rows: FILE, HEADING -->` inserts the rows of the first table under that heading of FILE, as a list.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import completion
import functions
import outline

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "core/c/include/crivo.h"


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def as_list(table):
    """Converts a table of Markdown to a list, because a terminal is too narrow for many columns."""
    (_, *header), _, *body = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    return "\n".join(f"- {name}: " + "; ".join(": ".join(pair) for pair in zip(header, values) if pair[1])
                     for name, *values in body)


def take_rows(markdown):
    """Inserts the rows of other pages into Markdown, as lists."""
    def rows(match):
        section = text_of(match[1]).split(f"## {match[2]}\n", 1)[1]
        return as_list(re.search(r"^\|.*?(?=\n\n)", section, re.DOTALL | re.MULTILINE)[0])
    return re.sub(r"<!-- rows: (\S+), (.*?) -->", rows, markdown)


def narrowed(markdown):
    """Converts tables of more than four columns to lists."""
    def narrow(table):
        return as_list(table[0]) + "\n" if table[1].count("|") > 5 else table[0]
    return re.sub(r"^(\|.*)\n(?:\|.*\n)+", narrow, markdown, flags=re.MULTILINE)


def roff(markdown):
    """Converts Markdown to the macros of man(7). The highest headings must be of the second level. Code becomes bold,
    because a terminal has one font."""
    text = re.sub(r"(`+)[^`].*?\1|_", lambda found: found[0] if found[1] else r"\_", markdown, flags=re.DOTALL)
    text = re.sub("^##", "#", text, flags=re.MULTILINE)
    made = run("lowdown", "-Tman", "--parse-no-super", "--out-no-smarty", input=text)
    made = made.replace(" expand allbox", " expand")  # lines around cells would take space from the text
    made = re.sub(r"\\f(C|\[CR?\])", r"\\fB", made)
    made = re.sub(r"(?sm)\\fB.*?\\fR|^\.EX\n.*?^\.EE\n", lambda found: found[0].replace("-", r"\-"), made)
    made = made.replace(".EX\n", ".in +4n\n.EX\n").replace(".EE\n", ".EE\n.in\n.nh\n")
    return re.sub(r"^\.(S[HS])\s+(.*)", r".\1 \2", made, flags=re.MULTILINE)


def page(name, section, edition, text):
    """A page of roff that starts with its section NAME. Removes paragraph macros after headings."""
    text = re.sub(r"^(\.S[HS] .*\n|\.PP\n)\.[LP]P\n", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^\.SH .*", lambda found: found[0].upper(), text, flags=re.MULTILINE)
    return f"'\\\" t\n.TH {name.upper()} {section} {edition}\n.ad l\n.ds AD l\n.nh\n{text}"


def markdown_page(names, section, edition, summary, markdown, others):
    text = f"## Name\n\n{', '.join(names)} - {summary}\n\n{markdown}\n\n{see_also(others)}"
    return page(names[0], section, edition, roff(text).replace(" - ", r" \- ", 1))


def see_also(others):
    return "## See also\n\n" + ", ".join(f"**{name}**({section})" for name, section in others) + "\n"


def plain(paragraph):
    return " ".join(paragraph.split()).replace(r"\-", "-").replace(r"\(aq", "'")


def command_page(crivo, words, summary, others):
    """The page of `crivo WORDS`, starting with its section NAME."""
    name = "-".join(["crivo", *words])
    markdown = take_rows(text_of(f"packaging/manual/text/{name}.md"))
    intro, *sections = re.split("^## ", f"{markdown}\n{see_also(others)}", flags=re.MULTILINE)
    include = f"[description]\n{roff(intro)}" if intro.strip() else ""
    for title, text in (section.split("\n", 1) for section in sections):
        if title.startswith("--"):
            pattern = rf"^ +(-\w,)?{title}(?![\w-])"
            if not re.search(pattern, run(crivo, *words, "--help"), re.MULTILINE):
                raise SystemExit(f"{name}.md: options must be those of the tool, got {title}")
            include += f"\n/{pattern}/\n" + roff(text).replace(".PP\n", ".IP\n")
        else:
            include += f"\n[{title}]\n{roff(text)}"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(include)
        file.flush()
        made = run("help2man", "--no-info", "--version-string=-", f"--name={summary}", f"--include={file.name}",
                   shlex.join([crivo, *words]))
    if intro.strip():  # help2man adds the summary, which NAME already has, after it
        made = re.sub(r"\.PP\n((?:[^.\n].*\n)+)", lambda found: "" if plain(found[1]) == summary else found[0], made)
    made = made.replace("\nExit code:", "\n.PP\nExit code:")
    made = re.sub(r"\\fB(\\-[\w\\-]+)\\fR,([\w\\-]+)", r"\\fB\1\\fR, \\fB\2\\fR", made)  # "-q,--quiet"
    return re.sub(r".*?\.SH NAME\n.*? \\-", rf".SH NAME\n{name} \\-", made, count=1, flags=re.DOTALL)


def man1(crivo, edition, tool, sst):
    commands = [([], tool[0]), *(([each.name], each) for each in tool[1:] if sst or each.name != "sst"),
                *((["sst", each.name], each) for each in sst[1:])]
    pages = [("-".join(["crivo", *words]), 1) for words, _ in commands] + [("crivo", 3), ("crivo", 5)]
    for (name, _), (words, command) in zip(pages, commands):
        others = [other for other in pages if other != (name, 1)]
        yield f"{name}.1", page(name, 1, edition, command_page(crivo, words, command.text, others))


def man3(header, edition):
    made = functions.pages(header)
    for names, summary, markdown in made:
        others = [(other[0], 3) for other, *_ in made if other != names] + [("crivo", 1), ("crivo", 5)]
        yield f"{names[0]}.3", markdown_page(names, 3, edition, summary, markdown, others)
        yield from ((f"{name}.3", f".so man3/{names[0]}.3\n") for name in names[1:])


def man5(edition):
    title, text = text_of("docs/format.md").split("\n", 1)
    summary = "the bytes of a filter: " + title.removeprefix("# The Crivo ")
    others = [("crivo", 1), ("crivo", 3)]
    yield "crivo.5", markdown_page(["crivo"], 5, edition, summary, f"## Description\n{narrowed(text)}", others)


def write(folder, files):
    folder.mkdir(parents=True)
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")


def main(folder, version, crivo):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    released = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)", text_of("CHANGELOG.md"), re.MULTILINE)
    edition = f'"{released[1] if released else ""}" "Crivo {version}" "Crivo"'
    has_sst = subprocess.run([crivo, "sst", "--outline"], capture_output=True, check=False).returncode == 0
    tool, sst = outline.of(crivo), outline.of(crivo, "sst") if has_sst else []
    write(folder / "completion/bash", [("crivo", completion.bash(tool, sst))])
    write(folder / "completion/zsh", [("_crivo", completion.zsh(tool, sst))])
    write(folder / "man", [])
    if not (shutil.which("help2man") and shutil.which("lowdown")):
        print("no manual pages: they need help2man and lowdown")
        return
    write(folder / "man/man1", man1(crivo, edition, tool, sst))
    write(folder / "man/man5", man5(edition))
    if (ROOT / HEADER).exists():
        write(folder / "man/man3", man3(text_of(HEADER), edition))


if __name__ == "__main__":
    main(*sys.argv[1:])
