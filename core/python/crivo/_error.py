"""The exceptions of crivo."""

from __future__ import annotations

import functools
import os


class Error(ValueError):
    """Raised for a wrong argument, bytes that are not a filter, an operation that a filter does not support, and so on.

    `code` is the reason in one or two words, the same in every language: "bad argument", "corrupt", "incompatible",
    "unsupported", "full", "not found", "too large" or "system error".

    >>> try:
    ...     crivo.Filter.from_bytes(b"junk")
    ... except crivo.Error as error:
    ...     print(error.code)
    corrupt
    """

    code: str

    def __init__(self, message: str, code: str = "bad argument") -> None:
        super().__init__(message)
        self.code = code


class SystemRefusal(Error, OSError):
    """An Error from the system: a file that cannot be read or written, a thread that cannot be started.

    errno, strerror and filename are as in OSError, or None if the system gave no reason or no file was named. As with
    OSError, errno determines the class: the error for a missing folder is also a FileNotFoundError.

    >>> try:
    ...     crivo.Filter(["alpha"]).save("/no/such/folder/words.crivo")
    ... except FileNotFoundError as error:
    ...     print(error.filename, isinstance(error, crivo.SystemRefusal))
    /no/such/folder/words.crivo True
    """

    def __new__(cls, message: str, code: str, reason: int = 0, filename: str | bytes | None = None) -> SystemRefusal:
        return OSError.__new__(_class_of(reason) if cls is SystemRefusal else cls)

    def __init__(self, message: str, code: str, reason: int = 0, filename: str | bytes | None = None) -> None:
        super().__init__(message, code)
        self.filename = filename
        if reason:
            self.errno = reason
            self.strerror = os.strerror(reason)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return SystemRefusal, (str(self), self.code, self.errno or 0, self.filename)


@functools.cache
def _class_of(reason: int) -> type[SystemRefusal]:
    alike = type(OSError(reason, ""))
    if alike is OSError:
        return SystemRefusal
    named = {"__module__": "crivo", "__doc__": SystemRefusal.__doc__}
    return type(SystemRefusal.__name__, (SystemRefusal, alike), named)
