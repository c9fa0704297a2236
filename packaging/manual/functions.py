"""The pages in section 3, from the comments of crivo.h: an overview, and one page for each part of the header.

The header's form is what this reads: a comment on top; parts that open with `// ----- title`; in them declarations,
each after its comment of `///` lines. A declaration without a comment of its own belongs to the one before it.
"""
import dataclasses
import re
import textwrap

import roff

NAME = re.compile(r"`([^`]*)`|\b(CRIVO_\w*|crivo_\w+)\b")


@dataclasses.dataclass
class Item:
    """A comment, and what it is about: functions, one type, or constants."""
    text: list[str]
    code: list[str]

    def plain_code(self):
        return re.sub(r"//.*", "", "\n".join(self.code))

    def functions(self):
        return re.findall(r"\b(crivo_\w+)\(", self.plain_code())

    def types(self):
        return re.findall(r"\(\*(crivo_\w+)\)|\b(crivo_\w+); *$", self.plain_code(), re.MULTILINE)

    def names(self):
        return self.functions() or ["".join(found) for found in self.types()]


@dataclasses.dataclass
class Part:
    title: str
    intro: list[str]
    items: list[Item]

    def names(self):
        """Functions first, because the first name is the page's."""
        items = sorted(self.items, key=lambda item: not item.functions())
        return [name for item in items for name in item.names()]


def parse(header):
    """The comment on top, and the parts."""
    top = header.split("\n#", 1)[0]
    body = re.sub(r"#ifdef __cplusplus.*?#endif\n", "", header, flags=re.DOTALL)
    parts = []
    for piece in re.split(r"^// -{5,} ", body, flags=re.MULTILINE)[1:]:
        title, text = piece.split("\n", 1)
        parts.append(part(title.strip(" -"), text.split("\n#endif\n", 1)[0].splitlines()))
    return [line.removeprefix("//").strip() for line in top.splitlines()], parts


def part(title, lines):
    intro, items, text = [], [], []
    depth = 0  # of braces: a declaration ends with the line on which they are closed
    open_code = False
    for line in lines:
        if not open_code and line.startswith("///"):
            text.append(line.removeprefix("///").strip())
        elif not open_code and line.startswith("//"):
            intro.append(line.removeprefix("//").strip())
        elif line.strip():
            if not open_code and (text or not items):
                items.append(Item(text, []))
                text = []
            items[-1].code.append(line)
            code = line.split("//")[0].rstrip()
            depth += code.count("{") - code.count("}")
            open_code = not code.startswith("#define") and (depth > 0 or not code.endswith(";"))
    return Part(title, intro, items)


def prose(text):
    """A comment's text: names of the interface and code in backticks are bold."""
    out, end = [], 0
    for match in NAME.finditer(text):
        out += [roff.prose(text[end:match.start()]), rf"\fB{roff.literal(match[1] or match[2])}\fR"]
        end = match.end()
    return "".join(out) + roff.prose(text[end:])


def filled(lines):
    wrapped = textwrap.wrap(prose(" ".join(lines)), roff.WIDTH, break_long_words=False, break_on_hyphens=False)
    return [roff.line(part) for part in wrapped]


def paragraphs(lines):
    """Text with empty lines between its paragraphs."""
    out = []
    for text in "\n".join(lines).strip("\n").split("\n\n"):
        out += [".PP", *filled(text.split("\n"))]
    return out


def wrapped_at_commas(statement):
    glued = re.sub(r"(?<!,) ", "\u00a0", statement)
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(glued, 72, subsequent_indent="    ")]


def prototypes(item):
    """The declarations as C, without what only a compiler wants, each in lines that a terminal has room for."""
    code = "\n".join(item.code)
    if "{" in code:
        return []
    code = re.sub(r"\b(CRIVO_API|CRIVO_CHECKED)\s+", "", code)
    return [line for statement in re.split(r"(?<=;)\n", code) for line in
            wrapped_at_commas(" ".join(statement.split())) if not statement.startswith("#")]


def members(item):
    """The fields of a structure or the values of an enumeration, each with the comment behind it."""
    out = []
    for line in item.code:
        found = re.fullmatch(r"  (\S.*?)[;,]?(?:\s*///<\s*(.*))?", line)
        if found:
            out += [".TP", rf"\fB{roff.literal(found[1])}\fR", *filled([found[2] or ""])]
    return out


def heading(item):
    mark = "()" if item.functions() else ""
    return ", ".join(name + mark for name in item.names())


def item_lines(item):
    title = heading(item)
    defines = re.findall(r"^#define (\w+)(?:\(.*?\))? ", "\n".join(item.code), re.MULTILINE)
    title = title or ", ".join(defines) or "Constants"
    return [f'.SS "{roff.literal(title)}"', *paragraphs(item.text or [""]), *members(item)]


def part_page(name, about_part, all_names, **about):
    synopsis = [".SH SYNOPSIS", ".nf", r"\fB#include <crivo.h>\fR", ""]
    for item in about_part.items:
        synopsis += [rf"\fB{roff.literal(line)}\fR" if line.strip() else "" for line in prototypes(item)]
    lines = [*synopsis, ".fi", ".SH DESCRIPTION", *(paragraphs(about_part.intro) if about_part.intro else [])]
    for item in about_part.items:
        lines += item_lines(item)
    others = [rf"\fB{roff.literal(other)}\fR(3)" for other in all_names if other != name]
    lines += [".SH SEE ALSO", ",\n".join([*others, r"\fBcrivo\fR(5)"])]
    return roff.page(", ".join(about_part.names()), 3, about_part.title, lines, **about)


def pages(header, **about):
    """{file: page}: crivo.3, a page for each part, named by its first function, and a link for each other name."""
    top, parts = parse(header)
    heads = [about_part.names()[0] for about_part in parts]
    made = {}
    lines = [".SH SYNOPSIS", ".nf", r"\fB#include <crivo.h>\fR", "", r"\fBcc program.c \-lcrivo\fR", ".fi",
             ".SH DESCRIPTION", *paragraphs(top), ".SH FUNCTIONS"]
    for head, about_part in zip(heads, parts):
        made[f"{head}.3"] = part_page(head, about_part, ["crivo", *heads], **about)
        for other in about_part.names()[1:]:
            made[f"{other}.3"] = f".so man3/{head}.3\n"
        listed = ", ".join(rf"\fB{roff.literal(name)}\fR(3)" for name in about_part.names())
        lines += [".TP", roff.prose(about_part.title.capitalize()), *textwrap.wrap(listed, roff.WIDTH)]
    lines += [".SH SEE ALSO", r"\fBcrivo\fR(1), \fBcrivo\fR(5)"]
    made["crivo.3"] = roff.page("crivo", 3, "filters from C: certainly not, or maybe", lines, **about)
    return made
