"""The class Sketch, which finds the difference of two sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Self, Union

from . import _crivo

if TYPE_CHECKING:
    from ._crivo import _Key

_KEY_TYPES = ("hashes", "bytes", "integers")


def _unpickle(cls: type[Sketch], blob: bytes) -> Sketch:
    return cls._read(blob, 2**64 - 1)  # a limit would not help: unpickling runs code from the pickle


class Difference(NamedTuple):
    """The keys that only one of two sets has, as stored in the sketches, in ascending order."""

    only_self: list[Any]
    only_other: list[Any]


class SketchFacts(NamedTuple):
    """The options of a sketch, and its number of keys."""

    keys: str
    """"hashes", "integers" or "bytes:N"."""
    symbols: int
    first: int
    """The number of the first symbol."""
    seed: int
    size: int
    """The number of keys added, less those removed."""


class Sketch(_crivo.Sketch):
    """A sketch of a set. Two sketches give the difference of their sets.

    >>> mine = crivo.Sketch(["ann", "bob", "cid"], keys="bytes:3", symbols=40)
    >>> theirs = crivo.Sketch(["bob", "dan"], keys="bytes:3", symbols=40)
    >>> mine.difference(theirs)
    Difference(only_self=[b'ann', b'cid'], only_other=[b'dan'])

    The size depends on the difference, not on the sets: a difference of n keys needs crivo.sketch_symbols(n) symbols.
    No key may be in a set twice.

    keys    what the sketch stores and returns for each key: "hashes", of keys as in Filter; "integers", of 64 bits; or
            "bytes:N", strings of N bytes, at most 32
    first   the number of the first symbol, to continue another sketch of the same set
    seed    the seed of all hashes; if untrusted parties supply the keys, draw a new seed after receiving them
    hashed  as in Filter: the keys are hashes from crivo.hash_key
    """

    __slots__ = ()

    def __new__(
        cls,
        items: Iterable[_Key] | None = None,
        *,
        symbols: int,
        keys: str = "hashes",
        first: int = 0,
        seed: int = 0,
        max_bytes: int | None = None,
        hashed: bool = False,
    ) -> Self:
        made = super().__new__(cls, symbols, keys, first, seed, max_bytes)
        if items is not None:
            made._update(items, hashed)
        return made

    def update(self, items: Iterable[_Key], *, hashed: bool = False) -> None:
        """Add many keys that are not in the set."""
        self._update(items, hashed)

    def append(self, following: Self) -> None:
        """Append the next symbols of the same set: a sketch with first = facts.first + facts.symbols."""
        self._append(following)

    def combine(self, other: Self) -> None:
        """Add all keys of a set that has no key in common with this one."""
        self._combine(other)

    def difference(self, other: Self) -> Difference | None:
        """The keys that only one of the two sets has, or None while the sketches are too short: append symbols to both.

        A key that one side has once more than the other is reported as missing from the other. If a side has a key even
        more often, the result is also None. Symbols that no two sets can produce, such as from an untrusted peer, are
        an Error.
        """
        found = self._difference(other)
        return None if found is None else Difference(*found)

    @property
    def facts(self) -> SketchFacts:
        """The options of the sketch, and its number of keys."""
        key_type, key_bytes, *numbers = self._facts()
        return SketchFacts(f"bytes:{key_bytes}" if key_type == 1 else _KEY_TYPES[key_type], *numbers)

    def to_bytes(self) -> bytes:
        """The sketch as a blob, which every other host reads."""
        return self._blob()

    @classmethod
    def from_bytes(cls, blob: Union[bytes, bytearray, memoryview], *, max_bytes: int | None = None) -> Self:
        """Open the sketch in a blob. Other bytes are an Error."""
        return cls._read(blob, max_bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self.to_bytes()), self.__getstate__()

    def __repr__(self) -> str:
        facts = self.facts
        return f"<crivo.Sketch keys={facts.keys!r} symbols={facts.symbols} size={facts.size}>"
