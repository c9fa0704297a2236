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


def blob_of(kind, keys, values, fp_rate, seed, capacity):
    if kind == "sketch":
        return crivo.Sketch(keys, symbols=capacity, seed=seed).to_bytes()
    return build(kind, keys, values, fp_rate, seed=seed, capacity=capacity or None).to_bytes("raw")


def build(kind, keys, values, fp_rate, **options):
    if kind == "map":
        return crivo.Map(list(keys), list(values), fp_rate, **options)
    if kind == "exact":
        sides = [], []
        for key, value in zip(keys, values):
            sides[value % 2].append(key)
        return crivo.Filter.exact(sides[1], sides[0], fp_rate, **options)
    return crivo.Filter(keys, fp_rate, kind, **options)


for line in pathlib.Path("cases").read_text(encoding="utf-8").splitlines():
    kind, fp_rate, seed, capacity, keys, blob = line.split(" ")
    values = pathlib.Path(keys + ".values").read_bytes()
    made = blob_of(kind, read_keys(keys), values, float(fp_rate), int(seed), int(capacity))
    pathlib.Path(sys.argv[1], blob).write_bytes(made)
