"""Crivo: Bloom filters and related filters, and the SQLite extension for SQL.

>>> import crivo
>>> seen = crivo.Filter(["alpha", "beta"], fp_rate=0.001)
>>> "alpha" in seen, "omega" in seen
(True, False)
"""

from ._crivo import find_shard, hash_key, sketch_symbols
from ._crivo import version as __version__
from ._error import Error, SystemRefusal
from ._filter import Facts, Filter, Similarity, Stats, kinds
from ._map import Map
from ._sketch import Difference, Sketch, SketchFacts
from ._sqlite import load, loadable_path

open = Filter.open
ALL_THREADS = 2**32 - 1

__all__ = [
    "ALL_THREADS", "Difference", "Error", "Facts", "Filter", "Map", "Similarity", "Sketch", "SketchFacts", "Stats", "SystemRefusal",
    "find_shard", "hash_key", "kinds", "load", "loadable_path", "open", "sketch_symbols",
]

for _public in (Error, SystemRefusal, Facts, Filter, Map, Similarity, Stats, Difference, Sketch, SketchFacts, kinds, load, loadable_path):
    _public.__module__ = "crivo"  # the public module; pickles also contain this name
