"""Generates the pages of section 3 from crivo.h, as Markdown: an overview, and one page for each part of the header.

crivo.h must have this form: a comment at the top, and then parts. A part begins with `// ----- title`. In a part, a
comment of `///` lines precedes its declaration, and `///<` follows a field or a value.
"""
import itertools
import re
import textwrap

NAME = re.compile(r"^CRIVO_(?:API|CHECKED)\b.*?\b(crivo_\w+)\(|\(\*(crivo_\w+)\)|^(?:\}|typedef .*) (crivo_\w+);", re.M)
INCLUDE = "## Synopsis\n\n```\n#include <crivo.h>\n\ncc program.c -lcrivo\n```\n\n## Description\n\n"


def prose(comment):
    """A comment's lines as Markdown, with the names in it marked as code."""
    text = "\n".join(re.sub(r"^///? ?", "", line) for line in comment)
    return re.sub(r"`[^`]*`|\b(?:crivo|CRIVO)_\w+", lambda found: f"`{found[0].strip('`')}`", text)


def code(lines):
    """Declarations, wrapped for a terminal, and below them a list of the comments after fields and values."""
    shown, said = [], []
    for line in re.sub(r"\n {8,}(?![ /])", " ", "\n".join(lines)).split("\n"):
        declared, _, about = re.sub(r"^CRIVO_(API|CHECKED) ", "", line).partition("///<")
        unbroken = re.sub("(?<!,) ", "\xa0", declared.rstrip())  # lines break only after a comma
        shown += [part.replace("\xa0", " ") for part in textwrap.wrap(unbroken, 68, subsequent_indent=" " * 4)]
        if about:
            said.append((f"- `{declared.strip(' ,;')}`:" if declared.strip() else " ") + about)
    return "\n".join(["```", *shown, "```", "", *said])


def part_text(part):
    """Each declaration of a part, followed by the comment that precedes the declaration in the header."""
    out = []
    for lines in map(str.splitlines, part.split("\n\n")):
        comment = ""
        for is_comment, block in itertools.groupby(lines, lambda line: line.startswith("//")):
            if is_comment:
                comment = prose(block)
            else:
                out += [code(block), comment]
                comment = ""
        out.append(comment)
    return "\n\n".join(out) + "\n"


def pages(header):
    """[(names, summary, Markdown)]: the overview, which has one name, and the parts."""
    top = header.split("\n#", 1)[0].splitlines()
    body = re.sub(r"^#(ifdef __cplusplus.*?#)?endif\b.*?\n", "", header, flags=re.DOTALL | re.MULTILINE)
    overview = INCLUDE + prose(top) + "\n\n## Functions\n\n"
    parts = []
    for title, part in (piece.split("\n", 1) for piece in re.split(r"^// -{5,} ", body, flags=re.MULTILINE)[1:]):
        names = sorted(("".join(found) for found in NAME.findall(part)), key=lambda name: f"{name}(" not in part)
        overview += f"- {title.capitalize()}: " + ", ".join(f"**{name}**(3)" for name in names) + "\n"
        parts.append((names, title, INCLUDE + part_text(part)))
    return [(["crivo"], "filters from C: certainly not, or maybe", overview), *parts]
