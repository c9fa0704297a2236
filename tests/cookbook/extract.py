#!/usr/bin/python3
"""Turns the ```cpp blocks of a Markdown file into one program that runs them all: each block is a source file, its
#include lines outside and the rest inside a function, so that a block that includes too little does not compile.

usage: extract.py FILE.md FOLDER; prints the names of the files that it wrote, separated by semicolons
"""

import pathlib
import re
import sys

REQUIRE = """
#include <cstdio>
#include <cstdlib>

#define require(...) \\
  ((__VA_ARGS__) ? void() : (std::fprintf(stderr, "line %d: not true: %s\\n", __LINE__, #__VA_ARGS__), std::exit(1)))
"""


def blocks(markdown):
    """(line number, text) of every block."""
    for match in re.finditer(r"^```cpp\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE):
        yield markdown.count("\n", 0, match.start()) + 2, match.group(1)


def source_file(page, line, text):
    includes = [each for each in text.splitlines() if each.startswith("#include")]
    body = "".join("\n" if each.startswith("#include") else each + "\n" for each in text.splitlines())
    return "\n".join(includes) + f'{REQUIRE}\nvoid block_at_line_{line}() {{\n#line {line} "{page}"\n{body}}}\n'


def program(page, markdown):
    """The files' names and texts."""
    lines = [line for line, _ in blocks(markdown)]
    if not lines:
        raise SystemExit(f"{page}: has no block of C++")
    declarations = "".join(f"void block_at_line_{line}();\n" for line in lines)
    calls = "".join(f"  block_at_line_{line}();\n" for line in lines)
    yield "main.cpp", f"{declarations}\nint main() {{\n{calls}}}\n"
    for line, text in blocks(markdown):
        yield f"block_at_line_{line}.cpp", source_file(page, line, text)


def main(page, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, text in program(page, pathlib.Path(page).read_text(encoding="utf-8")):
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # what is the same is not compiled again
            path.write_text(text, encoding="utf-8")
        names.append(str(path))
    print(*names, sep=";", end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
