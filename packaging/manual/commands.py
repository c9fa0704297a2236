"""The pages in section 1: options from the tool's outline, and what a person wrote about them from text/PAGE.md.

A page's Markdown starts with the text of DESCRIPTION. A heading `## --kind` has more about that option, which must be
there; other headings are sections of the page. `<!-- rows: FILE, HEADING -->` stands for the rows of the first table
below that heading of another page of the project, as a list.
"""
import pathlib
import re

import roff

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT = "Exit code: "


def rows_as_list(markdown):
    """A table with many columns, which a terminal has no room for: `- **first cell**: header: cell; header: cell`."""
    header, _, *rows = [roff.cells(row) for row in markdown.splitlines()]
    for name, *values in rows:
        yield f"- {name}: " + "; ".join(f"{title}: {value}" for title, value in zip(header[1:], values) if value)


def take_rows(markdown):
    """The Markdown with the rows that it takes from other pages."""
    def rows(match):
        text = (ROOT / match[1]).read_text(encoding="utf-8").split(f"## {match[2]}\n", 1)[1]
        table = re.search(r"^\|.*?(?=\n\n)", text, re.DOTALL | re.MULTILINE)[0]
        return "\n".join(rows_as_list(table))
    return re.sub(r"<!-- rows: (\S+), (.*?) -->", rows, markdown)


def sections_of(markdown):
    """The text in front of the first heading, {option: more about it}, and the Markdown of the other sections."""
    intro, *sections = re.split(r"^## ", take_rows(markdown), flags=re.MULTILINE)
    more, rest = {}, ""
    for section in sections:
        title, text = section.split("\n", 1)
        if title.startswith("--"):
            more[title.split()[0]] = text
        else:
            rest += f"## {title}\n{text}"
    return intro, more, rest


def sentence(text):
    """A line of --help, with its full stop."""
    return text if text.endswith(".") else text + "."


def name_of(names, argument):
    separator = "=" if names[-1].startswith("--") else " "
    shown = ", ".join(rf"\fB{roff.literal(name)}\fR" for name in names)
    return shown + (rf"{separator}\fI{roff.literal(argument)}\fR" if argument else "")


def plain(text):
    """A paragraph of --help."""
    return [".PP", *roff.filled(text)]


def option_lines(option, more):
    about = sentence(option.text)
    if option.required:
        about += " Required."
    if option.default:
        about += f" The default is `{option.default}`."
    if option.excludes:
        about += " Not together with " + " or ".join(f"`{name}`" for name in option.excludes) + "."
    out = [".TP", name_of(option.names, option.argument), *roff.filled(about)]
    for name in option.names:
        if name in more:
            out += [".RS", *roff.body(more.pop(name)), ".RE"]
    return out


def synopsis(program, command):
    """One line: options that must be there, and the arguments."""
    parts = [rf"\fB{roff.literal(' '.join(filter(None, [program, command.name])))}\fR", r"[\fIOPTION\fR]..."]
    parts += [name_of(option.names[:1], option.argument) for option in command.options if option.required]
    for positional in command.positionals:
        shown = rf"\fI{roff.literal(positional.name)}\fR" + ("..." if positional.many else "")
        parts.append(shown if positional.required else f"[{shown}]")
    return [".PP", " ".join(parts)]


def command_lines(command, more):
    """Arguments and options of one command."""
    out = []
    for positional in command.positionals:
        out += [".TP", rf"\fI{roff.literal(positional.name)}\fR", *roff.filled(sentence(positional.text))]
    for option in command.options:
        out += option_lines(option, more)
    return out


def exit_status(command):
    return [text.removeprefix(EXIT) for text in command.footers if text.startswith(EXIT)]


def see_also(name, pages):
    """The pages as (name, section), without the one of section 1 that has this name."""
    others = [rf"\fB{roff.literal(page)}\fR({section})" for page, section in pages if (page, section) != (name, 1)]
    return [".SH SEE ALSO", ",\n".join(others)]


def lower_first(text):
    """As a summary begins, unless its first word is a name: "RocksDB's"."""
    return text[0].lower() + text[1:] if text.split()[0][1:].islower() else text


def subcommand_page(program, command, markdown, pages, **about):
    """crivo-build(1)."""
    name = f"{program}-{command.name}"
    intro, more, rest = sections_of(markdown)
    lines = [".SH SYNOPSIS", *synopsis(program, command), ".SH DESCRIPTION", *roff.body(intro)]
    for text in command.footers:
        lines += plain(text) if not text.startswith(EXIT) else []
    lines += [".SH OPTIONS", *command_lines(command, more)]
    lines += roff.body(rest)
    if status := exit_status(command):
        lines += [".SH EXIT STATUS", *(part for text in status for part in plain(text))]
    if more:
        raise SystemExit(f"{name}.md: options must be those of the tool, got {', '.join(more)}")
    return roff.page(name, 1, lower_first(command.text), lines + see_also(name, pages), **about)


def program_page(name, summary, lines, more, main, rest, pages, **about):
    """What the pages of programs with subcommands end with: the options in front of any subcommand, and the sections."""
    lines += [".SH OPTIONS", *command_lines(main, more), *roff.body(rest)]
    if more:
        raise SystemExit(f"{name}.md: options must be those of the tool, got {', '.join(more)}")
    return roff.page(name, 1, lower_first(summary), lines + see_also(name, pages), **about)


def tool_page(tool, markdown, pages, **about):
    """crivo(1), which leads to its subcommands' pages."""
    main, *subcommands = tool
    intro, more, rest = sections_of(markdown)
    lines = [".SH SYNOPSIS", r"\fBcrivo\fR \fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]...", ".br",
             r"\fBcrivo\fR \fICOMMAND\fR \fB\-\-help\fR", ".SH DESCRIPTION", *roff.body(intro), ".SH COMMANDS"]
    for command in subcommands:
        lines += [".TP", rf"\fBcrivo {command.name}\fR", *roff.filled(sentence(command.text)),
                  rf"See \fBcrivo\-{command.name}\fR(1)."]
    return program_page("crivo", main.text, lines, more, main, rest, pages, **about)


def sst_page(sst, markdown, pages, **about):
    """crivo-sst(1), which has all of its subcommands."""
    main, *subcommands = sst
    intro, more, rest = sections_of(markdown)
    lines = [".SH SYNOPSIS"]
    for command in subcommands:
        lines += synopsis("crivo sst", command)
    lines += [".SH DESCRIPTION", *roff.body(intro), ".SH COMMANDS"]
    for command in subcommands:
        lines += [f'.SS "crivo sst {command.name}"', *plain(sentence(command.text)), *command_lines(command, more)]
        for text in command.footers:
            lines += plain(text)
    return program_page("crivo-sst", main.text, lines, more, main, rest, pages, **about)
