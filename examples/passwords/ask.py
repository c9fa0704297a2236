"""ask.py FILTER: prints the lines of standard input that a filter in a file may contain."""
import itertools
import sys

import crivo

leaked = crivo.open(sys.argv[1])
keys = sys.stdin.read().splitlines()
found = itertools.compress(keys, leaked.contains_many(keys))
sys.stdout.write("".join(f"{key}\n" for key in found))
