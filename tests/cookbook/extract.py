#!/usr/bin/python3
"""Converts the ```cpp blocks of a Markdown file to one program that runs all of them. Each block becomes a source file.
Its #include lines are outside, and the rest is in a function, so a block that includes too little does not compile.

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
    """Yields (line number, text) for each block."""
    for match in re.finditer(r"^```cpp\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE):
        yield markdown.count("\n", 0, match.start()) + 2, match.group(1)


def source_file(page, line, text):
    includes = [each for each in text.splitlines() if each.startswith("#include")]
    body = "".join("\n" if each.startswith("#include") else each + "\n" for each in text.splitlines())
    return "\n".join(includes) + f'{REQUIRE}\nvoid block_at_line_{line}() {{\n#line {line} "{page}"\n{body}}}\n'


def program(page, markdown):
    """Yields (name, text) for each file."""
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
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # does not recompile unchanged files
            path.write_text(text, encoding="utf-8")
        names.append(str(path))
    print(*names, sep=";", end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
