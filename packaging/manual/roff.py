"""Markdown in, a manual page's roff out: as much of Markdown as this project's pages use, in the macros of man(7).

groff's man and mandoc both read the result. Tables become tbl(1)'s; text goes through filled and ragged, because the
columns of a table are too narrow to be adjusted.
"""
import re
import textwrap

WIDTH = 100  # of the lines of roff, which nobody sees; readers that split long lines exist
# Escapes of characters that roff would turn into others, or take for its own.
ESCAPES = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
INLINE = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|\*(?! )([^*]+?)\*|!?\[([^\]]*)\]\(([^)]*)\)")


def literal(text):
    """Characters as they are, to be copied from the page into a shell."""
    return "".join(ESCAPES.get(character, character) for character in text)


def prose(text):
    """Characters of text, where a hyphen is a hyphen and may end a line."""
    return "".join(character if character == "-" else ESCAPES.get(character, character) for character in text)


def inline(markdown):
    """Markdown with its fonts: `code` and **strong** are bold, *emphasis* is italic, links are their text."""
    out, end = [], 0
    for match in INLINE.finditer(markdown):
        out.append(prose(markdown[end:match.start()]))
        end = match.end()
        code, strong, emphasis, text, target = match.groups()
        if code is not None:
            out.append(rf"\fB{literal(code)}\fR")
        elif strong is not None:
            out.append(rf"\fB{prose(strong)}\fR")
        elif emphasis is not None:
            out.append(rf"\fI{prose(emphasis)}\fR")
        else:
            out.append(prose(text) + (f" <{prose(target)}>" if target.startswith("http") else ""))
    return "".join(out) + prose(markdown[end:])


def line(text):
    """A line of roff that is text even if it starts like a request."""
    return rf"\&{text}" if text.startswith((".", "'")) else text


def filled(markdown):
    """Lines of roff for a paragraph's text."""
    wrapped = textwrap.wrap(inline(" ".join(markdown.split())), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line(part) for part in wrapped]


def example(lines):
    return [".PP", ".in +4n", ".nf", *(line(literal(text)) for text in lines), ".fi", ".in"]


def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def table(rows):
    """Rows of `| a | b |`. A column whose cells are long is one of text blocks, and shares the width that is left."""
    header, *body = [cells(row) for row in rows if not re.fullmatch(r"[|:\- ]+", row)]
    columns = range(len(header))
    wide = [max(len(row[column]) for row in [header, *body]) > 18 for column in columns]
    out = [".PP", ".TS", "tab(\t);", " ".join("lbx" if is_wide else "lb" for is_wide in wide),
           " ".join("lx" if is_wide else "l" for is_wide in wide) + ".", "\t".join(map(inline, header)), "_"]
    for row in body:
        out.append("\t".join(f"T{{\n{line(inline(row[column]))}\nT}}" if wide[column] and row[column] else
                             inline(row[column]) for column in columns))
    return out + [".TE", ".sp"]


def bullets(lines):
    """A list whose items start with `- ` and may go on in indented lines."""
    items = []
    for text in lines:
        if text.startswith("- "):
            items.append(text[2:])
        else:
            items[-1] += " " + text.strip()
    return [part for item in items for part in (r".IP \(bu 2", *filled(item))]


def blocks(markdown):
    """The Markdown's blocks as (kind, lines): heading, code, table, bullets or text."""
    kind, lines = None, []
    for text in markdown.splitlines():
        if kind == "code":
            if text.startswith("```"):
                yield kind, lines
                kind, lines = None, []
            else:
                lines.append(text)
            continue
        starts = ("code" if text.startswith("```") else "heading" if text.startswith("#") else
                  "table" if text.startswith("|") else "bullets" if text.startswith("- ") else "text")
        if not text.strip() or (starts != kind and not (kind == "bullets" and text.startswith(" "))):
            if lines:
                yield kind, lines
            kind, lines = None, []
        if text.strip():
            kind = kind or starts
            lines += [] if starts == "code" else [text]
    if lines:
        yield kind, lines


def body(markdown):
    """The lines of roff for Markdown from its second level of headings on."""
    out = []
    for kind, lines in blocks(markdown):
        if kind == "heading":
            for text in lines:
                level, title = re.match(r"(#+) (.*)", text).groups()
                out.append(f'.SH "{prose(title.replace("`", "")).upper()}"' if len(level) <= 2 else
                           f'.SS "{prose(title.replace("`", ""))}"')
        else:
            convert = {"code": example, "table": table, "bullets": bullets}.get(kind)
            out += convert(lines) if convert else [".PP", *filled(" ".join(lines))]
    return out


def page(name, section, summary, lines, *, version, date):
    """A whole page. `lines` is roff from the section after NAME on."""
    title = name.split(",")[0].upper()
    head = ["'\\\" t", f'.TH {title} {section} "{date}" "Crivo {version}" "Crivo"', ".ad l", ".nh", ".SH NAME",
            rf"{literal(name)} \- {inline(summary)}"]
    return "\n".join([*head, *without_needless_paragraphs(lines)]) + "\n"


def without_needless_paragraphs(lines):
    """A paragraph macro right after a heading does nothing, and mandoc complains of it."""
    previous = ""
    for text in lines:
        if not (text == ".PP" and previous.startswith((".SH", ".SS"))):
            yield text
        previous = text
