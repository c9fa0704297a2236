"""The SQLite extension in this package."""

from __future__ import annotations

import os
from typing import Any


def loadable_path() -> str:
    """The path of the SQLite extension, for any program that can load it. In Python, use crivo.load().

    >>> crivo.loadable_path().endswith("crivo.so")
    True
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "crivo.so")


def load(connection: Any) -> None:
    """Load the SQLite extension into a connection of sqlite3 or of apsw.

    Afterwards, the connection may load other extensions only if it could before, which is not the default.

    >>> import sqlite3
    >>> db = sqlite3.connect(":memory:")
    >>> crivo.load(db)
    >>> db.execute("SELECT bloom_contains(bloom_agg(value), 2) FROM json_each('[1, 2, 3]')").fetchone()
    (1,)
    >>> db.close()
    """
    # apsw has the method names of sqlite3 since 2023. Its older names have no underscores.
    enable = getattr(connection, "enable_load_extension", None) or getattr(connection, "enableloadextension", None)
    load_extension = getattr(connection, "load_extension", None) or getattr(connection, "loadextension", None)
    if enable is None or load_extension is None:
        raise TypeError(_why_not(connection))
    try:
        load_extension(loadable_path())  # the only test for enabled loading that works in all versions
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
            "(--enable-loadable-sqlite-extensions); use the Python of your distribution, or the package apsw"
        )
    return f"connection must be one of sqlite3 or apsw, got {type(connection).__name__}"
