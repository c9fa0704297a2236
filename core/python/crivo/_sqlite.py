"""The SQLite extension that lies in this package."""

from __future__ import annotations

import os
from typing import Any


def loadable_path() -> str:
    """The path of the SQLite extension, for whatever can load it: crivo.load() does it for Python.

    >>> crivo.loadable_path().endswith("crivo.so")
    True
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "crivo.so")


def load(connection: Any) -> None:
    """Load the SQLite extension into a connection of sqlite3 or of apsw.

    The connection may load other extensions afterwards if it could before, which is not the default.

    >>> import sqlite3
    >>> db = sqlite3.connect(":memory:")
    >>> crivo.load(db)
    >>> db.execute("SELECT bloom_contains(bloom_agg(value), 2) FROM json_each('[1, 2, 3]')").fetchone()
    (1,)
    >>> db.close()
    """
    # apsw has the names of sqlite3 only since 2023; before, they had no underscores.
    enable = getattr(connection, "enable_load_extension", None) or getattr(connection, "enableloadextension", None)
    load_extension = getattr(connection, "load_extension", None) or getattr(connection, "loadextension", None)
    if enable is None or load_extension is None:
        raise TypeError(_why_not(connection))
    try:
        load_extension(loadable_path())  # nothing else tells every version of both whether loading is on
        return
    except Exception as error:
        if "not authorized" not in str(error):
            raise
    enable(True)
    try:
        load_extension(loadable_path())
    finally:
        enable(False)


def _why_not(connection: Any) -> str:
    import sqlite3

    if isinstance(connection, sqlite3.Connection):
        return (
            "connection must be able to load extensions, got one of a Python whose sqlite3 was built without that "
            "(--enable-loadable-sqlite-extensions): take the Python of your distribution, or the package apsw"
        )
    return f"connection must be one of sqlite3 or apsw, got {type(connection).__name__}"
