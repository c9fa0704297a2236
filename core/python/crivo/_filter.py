"""The class Filter. The compiled base class has further methods."""

from __future__ import annotations

import os
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Self, TypeVar, Union

from . import _crivo
from ._error import Error

if TYPE_CHECKING:
    from ._crivo import _Key

_FORMS = {"auto": 0, "raw": 1, "smallest": 2, "mappable": 3}
_CAN = ("add", "remove", "count", "unite", "intersect", "grow", "range", "find", "exact", "advance")
_Path = Union[str, bytes, "os.PathLike[str]"]
_NO_LIMIT = 2**64 - 1


def _form(name: str) -> int:
    if name not in _FORMS:
        raise Error(f"form must be one of {', '.join(_FORMS)}, got {name!r}")
    return _FORMS[name]


def _names(bits: int) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(_CAN) if bits >> i & 1)


def kinds() -> dict[str, tuple[str, ...]]:
    """The kinds of filters, and what each supports once it is built.

    >>> crivo.kinds()["blocked"]
    ('add', 'unite', 'intersect')
    >>> crivo.kinds()["ribbon"]
    ()
    """
    return {name: _names(bits) for name, bits in _crivo._kinds().items()}


class Facts(NamedTuple):
    """The options and the shape of a filter."""

    kind: str
    capacity: int
    """The number of keys that the filter was sized for."""
    fp_rate: float
    """The promised false-positive rate at capacity."""
    keys: int
    """Successful additions, including repeated ones."""
    units: int
    """Bits, blocks or counters, by kind: docs/format.md."""
    k: int
    """The number of bits that are tested for a key."""
    param: int
    seed: int
    payload_bytes: int
    """The size of the filter in memory."""
    can: tuple[str, ...]
    """Some of "add", "remove", "count", "unite", "intersect", "grow", "range", "find", "exact" and "advance"."""
    read_only: bool


class Stats(NamedTuple):
    """The fill of a filter, and estimates from it."""

    bits: int
    bits_set: int
    current_fp_rate: float
    """The current probability of finding an absent key; 1 when saturated."""
    cardinality: float
    """The estimated number of distinct keys; infinite when saturated."""


class Similarity(NamedTuple):
    """Estimated numbers of distinct keys of two filters."""

    first: float
    second: float
    united: float
    common: float
    jaccard: float
    """common / united, from 0 to 1; NaN if a filter is saturated."""


_Class = TypeVar("_Class", bound="Filter")


class Filter(_crivo.Filter):
    """A set of keys that answers "certainly not" or "maybe", with a small false-positive rate that you choose.

    >>> words = crivo.Filter(["alpha", "beta", "gamma"], fp_rate=0.001)
    >>> "alpha" in words, "omega" in words
    (True, False)

    `keys` is any iterable of str, bytes, int and float, or an array (see contains_many). A str is the same key as its
    UTF-8, and a number is the same key as its digits: 1, 1.0, True, "1" and b"1" are one key, also in SQL and C++. A
    filter without keys needs a capacity, unless it is "growing". For all options, None means the default.

    kind           "blocked" (the fastest), "classic", "compressed", "counting", "cuckoo", "hash_compaction",
                   "scalable", "growing", "spectral", "ribbon" (the smallest), "window:7 days" (see advance()) or
                   "range" (of ints); crivo.kinds() lists what each supports; crivo.Map makes "map", and
                   Filter.exact() makes "exact"
    fp_rate        the false-positive rate at capacity, 0.01 by default
    capacity       the number of keys to size for; by default, the number of distinct keys (for each pane of a
                   "window"), or 2**32 for "growing"
    bits_per_key   sizes the filter instead of fp_rate, which must then be None
    seed           the seed of the hash; filters with different seeds cannot be united
    threads        the number of threads that sort hashes and build; crivo.ALL_THREADS means one thread per CPU
    max_bytes      the maximum size of the filter in bytes, also when it grows
    max_memory     the memory limit of a build, filter included, in bytes, at least 16 MiB; data beyond it goes to
                   temporary files
    temp_folder    the folder of the temporary files, on a disk; by default TMPDIR, or else /var/tmp
    progress       called with the completed share, from 0 to 1, after the keys are read; an exception ends the build
    hashed         whether `keys` are hashes from crivo.hash_key with the same seed instead of keys

    Ctrl-C ends a build. len(filter) is the number of keys added, including repeated ones; stats().cardinality estimates
    the distinct ones. Threads may share a filter.
    """

    __slots__ = ("__weakref__",)
    __hash__ = None  # type: ignore[assignment]  # a filter can change

    @classmethod
    def exact(
        cls, members: Iterable[_Key], others: Iterable[_Key], fp_rate: float | None = None, **options: Any
    ) -> Self:
        """A filter of all keys of a universe: it finds all members and none of the others, with certainty.

        It finds keys outside the universe at a rate of at most fp_rate. The default of 1 gives the smallest filter.
        A key on both sides is an Error. The other options are those of Filter.

        >>> revoked = crivo.Filter.exact(["b"], ["a", "c"])
        >>> [key in revoked for key in ("a", "b", "c")]
        [False, True, False]
        """
        if members is None or others is None:
            raise TypeError("members and others must be iterables of keys, got None")
        return _crivo.Filter.__new__(cls, members, fp_rate, "exact", _others=others, **options)

    @classmethod
    def open(cls, path: _Path, *, max_bytes: int | None = None) -> Self:
        """Open a file that save(), the crivo tool or another language wrote. The filter is read-only.

        A file in the form "mappable", which save() uses above 64 KiB, opens in constant time: a query reads only
        the pages that it needs, and verifies each page before its first use. A raw file is read once. A compressed
        file is read into memory; it is an Error if that needs more than max_bytes, 1 GiB by default. A query is an
        Error if the file is damaged, or was written to after it was opened; replacing the file is safe. copy()
        makes a filter that can be changed. A file with a map opens as a crivo.Map.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "words.crivo")
        >>> crivo.Filter(["alpha", "beta"]).save(path)
        >>> "alpha" in crivo.open(path)
        True
        """
        return _of_its_class(cls, cls._open(path, max_bytes))

    @classmethod
    def from_bytes(cls, blob: bytes | bytearray | memoryview, *, max_bytes: int | None = None) -> Self:
        """Open the bytes of to_bytes(), of a column in SQLite or of another language.

        A few bytes can be a valid filter of any size. A filter that needs more than max_bytes, 1 GiB by default, is an
        Error, and a filter that grows cannot exceed max_bytes later.
        """
        return _of_its_class(cls, cls._read(blob, max_bytes))

    def to_bytes(self, form: str = "auto", *, level: int = 3) -> bytes:
        """The filter as a blob (docs/format.md), which every host of Crivo reads.

        `form` is "auto" (compressed if that saves much), "raw" (as in memory, the same bytes everywhere),
        "smallest", or "mappable" (raw, with a checksum for each segment). `level` is zstd's, 1 to 22.

        >>> words = crivo.Filter(["alpha", "beta"])
        >>> crivo.Filter.from_bytes(words.to_bytes()) == words
        True
        """
        return self._blob(_form(form), level)

    def save(self, path: _Path, form: str = "auto", *, level: int = 3) -> None:
        """Write the filter to a file. After any failure, the file has either its old or its new content.

        `form` is as in to_bytes(). "auto" writes the same file as `crivo build`: compressed if that saves much, as for
        a nearly empty filter, otherwise "mappable" above 64 KiB, and raw below.
        """
        self._save(path, _form(form), level)

    @property
    def facts(self) -> Facts:
        """The options and the shape of the filter.

        >>> facts = crivo.Filter(range(1000), fp_rate=0.001).facts
        >>> facts.kind, facts.capacity, facts.fp_rate, facts.keys
        ('blocked', 1000, 0.001, 1000)
        """
        facts = self._facts()
        return Facts._make((*facts[:9], _names(facts[9]), facts[10]))

    def stats(self) -> Stats:
        """The fill of the filter, and estimates from it. Reads the whole filter.

        >>> round(crivo.Filter(["alpha", "beta", "alpha"]).stats().cardinality)
        2
        """
        return Stats(*self._stats())

    def compare(self, other: Filter) -> Similarity:
        """Estimate how many keys two filters have in common. It must be possible to unite the filters.

        >>> a, b = crivo.Filter(range(1000), capacity=2000), crivo.Filter(range(500, 1500), capacity=2000)
        >>> 400 < a.compare(b).common < 600
        True
        """
        return Similarity(*self._compare(other))

    def jaccard(self, other: Filter) -> float:
        """The estimated share of common keys among the keys of either filter: compare(other).jaccard."""
        return self.compare(other).jaccard

    def __or__(self, other: Filter) -> Self:
        return self._copy().__ior__(other)

    def __ior__(self, other: Filter) -> Self:
        if not isinstance(other, Filter):
            return NotImplemented
        self._unite(other)
        return self

    def __and__(self, other: Filter) -> Self:
        return self._copy().__iand__(other)

    def __iand__(self, other: Filter) -> Self:
        if not isinstance(other, Filter):
            return NotImplemented
        self._intersect(other)
        return self

    def __eq__(self, other: object) -> bool:
        """Whether both have the same raw blob: the same facts, len() included, and the same bits."""
        if not isinstance(other, Filter):
            return NotImplemented
        return self._facts()[:10] == other._facts()[:10] and self.to_bytes("raw") == other.to_bytes("raw")

    def copy(self) -> Self:
        """An independent filter, which can be changed even if this one is read-only."""
        made = self._copy()
        made._take(self.__getstate__())
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = memo[id(self)] = self._copy()  # registered first: the attributes may refer to self
        made._take(deepcopy(self.__getstate__(), memo))
        return made

    def _take(self, state: Any) -> None:
        """Restore the attributes of a subclass, as unpickling does."""
        if hasattr(self, "__setstate__"):
            self.__setstate__(state)
            return
        attributes, slots = state if isinstance(state, tuple) else (state, None)
        for name, value in {**(attributes or {}), **(slots or {})}.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (type(self), self.to_bytes()), self.__getstate__()

    def __sizeof__(self) -> int:
        return super().__sizeof__() + self.facts.payload_bytes

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"<crivo.{type(self).__name__} kind={facts.kind!r} capacity={facts.capacity} "
            f"fp_rate={facts.fp_rate:.3g} keys={facts.keys}>"
        )


def _of_its_class(cls: type[_Class], made: _Class) -> _Class:
    """Turn a filter that was opened as a Filter into a Map if it has values."""
    if cls is Filter and "find" in made.facts.can:
        from ._map import Map

        made.__class__ = Map  # type: ignore[assignment]
    return made


def _unpickle(cls: type[Filter], blob: bytes) -> Filter:
    return cls._read(blob, _NO_LIMIT)  # a limit would not help: unpickling runs code from the pickle
