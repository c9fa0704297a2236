"""Writes the blobs of all cases (same_bytes.py) through the Python package:  ask.py FOLDER"""

import pathlib
import struct
import sys

import crivo

TYPES = {"t": lambda raw: raw.decode(), "b": bytes, "i": int, "r": lambda raw: struct.unpack("<d", raw)[0]}


def read_keys(name):
    data, at = pathlib.Path(name).read_bytes(), 0
    while at < len(data):
        end = at + 5 + int.from_bytes(data[at + 1:at + 5], "little")
        yield TYPES[chr(data[at])](data[at + 5:end])
        at = end


for line in pathlib.Path("cases").read_text(encoding="utf-8").splitlines():
    kind, fp_rate, seed, capacity, keys, blob = line.split(" ")
    made = crivo.Filter(read_keys(keys), float(fp_rate), kind, seed=int(seed), capacity=int(capacity) or None)
    pathlib.Path(sys.argv[1], blob).write_bytes(made.to_bytes("raw"))
