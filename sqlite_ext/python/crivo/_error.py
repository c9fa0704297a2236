"""What crivo raises."""


class Error(ValueError):
    """A wrong argument, bytes that are no filter, an operation that a filter does not have, and so on.

    `code` is the reason in one or two words, the same in every language that Crivo has: "bad argument", "corrupt",
    "incompatible", "unsupported", "full", "not found", "too large" or "system error".

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
    """An Error of the system's: a file that cannot be read or written, a thread that cannot be started."""
