#!/usr/bin/env python3
"""With any number of ranks, examples/mpi writes the same files as one process. If a rank dies, no partial files remain.

usage: mpi.py PROGRAM CRIVO    the example's program and the tool
"""
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

KEYS = 1_000_000
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl_vader_single_copy_mechanism", "none"]


def same_files(folder, other):
    compared = filecmp.dircmp(folder, other)
    differ = filecmp.cmpfiles(folder, other, compared.common_files, shallow=False)[1:]
    return not (compared.left_only or compared.right_only or differ[0] or differ[1])


def main(program, crivo):
    if shutil.which("mpirun") is None or not pathlib.Path(program).exists():
        print("Open MPI is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        keys = folder / "keys"
        keys.write_text("".join(f"key {i % (KEYS - KEYS // 10)}\n" for i in range(KEYS)) + "no newline at the end")

        def run(ranks, *words):
            begin = time.monotonic()
            subprocess.run([*MPIRUN, "-n", str(ranks), program, *words], cwd=folder, check=True, timeout=300,
                           stdout=subprocess.DEVNULL)
            return time.monotonic() - begin

        for kind in ("ribbon", "blocked", "classic"):
            subprocess.run([crivo, "build", "-q", "--shards", "16", "--kind", kind, "-o", "one", keys], cwd=folder, check=True)
            seconds = []
            for ranks in (1, 2, 4):
                seconds.append(run(ranks, "--shards", "16", "--kind", kind, "many", str(keys)))
                assert filecmp.cmp(folder / "one", folder / "many", shallow=False), f"{kind}: the manifests differ"
                assert same_files(folder / "one.shards", folder / "many.shards"), f"{kind}: shards differ, {ranks} ranks"
            print(kind, "sharded, by 1, 2 and 4 ranks:", " ".join(f"{each:.2f} s" for each in seconds))
        for kind in ("blocked", "classic"):
            subprocess.run([crivo, "build", "-q", "--capacity", "1000000", "--kind", kind, "-o", "one", keys], cwd=folder,
                           check=True)
            for ranks in (1, 2, 4):
                run(ranks, "--merge", "--capacity", "1000000", "--kind", kind, "merged", str(keys))
                assert filecmp.cmp(folder / "one", folder / "merged", shallow=False), f"{kind}: merged by {ranks} ranks"

        # A rank that dies at any time makes the run fail. The old filter stays, or the new one is complete.
        subprocess.run([crivo, "build", "-q", "--shards", "16", "-o", "one", keys], cwd=folder, check=True)
        new = (folder / "one").read_bytes()
        died = 0
        for delay in (0.3, 0.5, 0.7, 0.9, 1.1):
            old = (folder / "many").read_bytes()
            running = subprocess.Popen([*MPIRUN, "-n", "4", program, "--shards", "16", "many", str(keys)], cwd=folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            found = subprocess.run(["pgrep", "-P", str(running.pid)], capture_output=True, text=True).stdout.split()
            if found:
                subprocess.run(["kill", "-9", found[-1]], stderr=subprocess.DEVNULL)
            if running.wait(timeout=60) != 0:
                died += 1
                assert (folder / "many").read_bytes() in (old, new), "a run that failed must leave a whole filter"
            subprocess.run([crivo, "verify", "many"], cwd=folder, check=True)
        assert died > 0, "one of the runs must have been killed"
        failed = subprocess.run([*MPIRUN, "-n", "2", program, "--shards", "16", "new", "nowhere"], cwd=folder,
                                capture_output=True, text=True, timeout=60)
        assert failed.returncode != 0 and "input must be readable" in failed.stderr, failed.stderr
        assert not os.path.exists(folder / "new"), "a run that failed must leave no manifest"
    print("the files are those of one process")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
