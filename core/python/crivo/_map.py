"""The class Map: a filter whose keys have values."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Self, SupportsIndex

from ._error import Error
from ._filter import _Class, Filter

if TYPE_CHECKING:
    from ._crivo import _Key


class Map(Filter):
    """A map from keys to values that does not store the keys.

    A key needs about 1.01 * (value_bits + c) bits. The c bits, log2(1 / fp_rate) rounded up, detect absent keys.

    >>> ports = crivo.Map({"ssh": 22, "http": 80, "https": 443})
    >>> ports["http"], ports.get("gopher", 0)
    (80, 0)

    `items` is a mapping or an iterable of pairs. If `values` is given, both are iterables or arrays, and `items` has
    the keys, as in Filter. A value is an int from 0 to 2^32 - 1. A Map is built once, and cannot be iterated over.

    A key of the map always has its value. Any other key is absent (KeyError) or, at the rate fp_rate, has an arbitrary
    value. With fp_rate=1, every key has a value, and no bits detect absent keys.

    value_bits     the bits of a value; by default, as many as the largest needs

    The other options are those of Filter. A key with two different values is an Error.
    """

    __slots__ = ()
    __iter__ = None  # with __getitem__ alone, Python would look up 0, 1, 2, ...
    __reversed__ = None

    def __new__(
        cls,
        items: Any,
        values: Iterable[SupportsIndex] | None = None,
        fp_rate: float | None = None,
        *,
        value_bits: int | None = None,
        **options: Any,
    ) -> Self:
        if isinstance(items, Mapping) and values is None:
            items, values = items.keys(), items.values()
        elif values is None:
            items, values = _halves(items)
        kind = "map" if value_bits is None else f"map:{value_bits}"
        return super().__new__(cls, items, fp_rate, kind, _values=values, **options)

    def __init__(self, *args: Any, **options: Any) -> None:
        """Does nothing: __new__ builds the map."""

    def __getitem__(self, key: _Key) -> int:
        value = self._find(key)
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: _Key, default: Any = None) -> Any:
        """The value of a key, or `default` if it is certainly absent."""
        value = self._find(key)
        return default if value is None else value

    def get_many(self, keys: Iterable[_Key], default: Any = None, *, hashed: bool = False) -> list[Any]:
        """The values of many keys, as get() returns them. Faster than one lookup after the other.

        >>> crivo.Map({"ssh": 22, "http": 80}, fp_rate=1e-9).get_many(["http", "gopher"])
        [80, None]
        """
        values, found = self._find_many(keys, hashed)
        return [value if has else default for value, has in zip(values, found)]

    def find_many(self, keys: Iterable[_Key], *, hashed: bool = False) -> tuple[memoryview, memoryview]:
        """The keys' values, and whether each key has one, as memoryviews of uint64 and of bool.

        numpy.asarray() makes arrays of them without a copy. A key without a value gets an arbitrary number. Keys in an
        array are read in place, as in contains_many().
        """
        return self._find_many(keys, hashed)

    @classmethod
    def open(cls, path: Any, *, max_bytes: int | None = None) -> Self:
        """Like Filter.open(), for a file with a map."""
        return _checked(cls._open(path, max_bytes))

    @classmethod
    def from_bytes(cls, blob: bytes | bytearray | memoryview, *, max_bytes: int | None = None) -> Self:
        """Like Filter.from_bytes(), for a blob with a map."""
        return _checked(cls._read(blob, max_bytes))


def _checked(made: _Class) -> _Class:
    if "find" in made.facts.can:
        return made
    raise Error(f"kind must have values (map), got {made.facts.kind}")


def _halves(pairs: Iterable[tuple[Any, Any]]) -> tuple[Iterator[Any], Iterator[Any]]:
    """The keys of pairs, and their values. Each value must be read after its key."""
    waiting: deque[Any] = deque()

    def keys() -> Iterator[Any]:
        for key, value in pairs:
            waiting.append(value)
            yield key

    def values() -> Iterator[Any]:
        while waiting:
            yield waiting.popleft()

    return keys(), values()
