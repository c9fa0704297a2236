"""Runs the examples in the docstrings of all public classes, methods and functions."""

import doctest
import inspect
import sqlite3
import sys

import crivo
from crivo import _crivo


def documented():
    yield "crivo", crivo
    for name in crivo.__all__:
        yield name, getattr(crivo, name)
    for owner in [crivo.Filter, crivo.Map, crivo.Sketch, _crivo.Filter, _crivo.Sketch]:
        for name, member in vars(owner).items():
            if not name.startswith("_"):
                yield f"{owner.__name__}.{name}", inspect.unwrap(getattr(member, "__func__", member))


def main():
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    silent = []
    for name, thing in documented():
        text = inspect.getdoc(thing)
        if not text:
            silent.append(name)
            continue
        if thing is crivo.load and not hasattr(sqlite3.Connection, "enable_load_extension"):
            continue  # sqlite_test.py checks its message
        runner.run(finder.get_doctest(text, {"crivo": crivo}, name, None, 0))
    result = runner.summarize()
    print(f"{result.attempted} lines of examples, {result.failed} failed; without documentation: {silent or 'none'}")
    return 0 if result.attempted > 40 and not result.failed and not silent else 1


if __name__ == "__main__":
    sys.exit(main())
