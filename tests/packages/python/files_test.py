"""Filters in files: saved, opened, replaced, damaged, truncated."""

import errno
import os
import pathlib
import pickle
import stat
import struct
import tempfile
import sys
import unittest

import crivo

KEYS = [f"user{i}" for i in range(20_000)]
ABSENT = [f"nobody{i}" for i in range(20_000)]


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "words.crivo")

    def test_every_form(self):
        filter_ = crivo.Filter(KEYS)
        for form in ["mappable", "raw", "auto", "smallest"]:
            filter_.save(self.path, form)
            for path in [self.path, str(self.path), os.fsencode(self.path)]:
                opened = crivo.open(path)
            self.assertTrue(all(key in opened for key in KEYS[::100]), form)
            self.assertEqual(opened.contains_many(KEYS + ABSENT), filter_.contains_many(KEYS + ABSENT))
            self.assertEqual(opened, filter_)
            self.assertEqual(pickle.loads(pickle.dumps(opened)), filter_)
            opened.verify()
        self.assertEqual(os.listdir(self.path.parent), ["words.crivo"])

    def test_an_opened_filter_is_read_only_and_its_copy_is_not(self):
        crivo.Filter(["a"], capacity=1000).save(self.path)
        opened = crivo.open(self.path)
        self.assertTrue(opened.facts.read_only)
        for change in [lambda: opened.add("b"), lambda: opened.update(["b"]), opened.clear,
                       lambda: opened.__ior__(opened)]:
            with self.assertRaises(crivo.Error) as raised:
                change()
            self.assertEqual(raised.exception.code, "unsupported")
        changed = opened.copy()
        changed.add("b")
        self.assertEqual([("b" in filter_) for filter_ in [changed, opened, opened | changed]], [True, False, True])

    def test_what_is_no_file_or_no_filter(self):
        self.assertRaises(FileNotFoundError, crivo.open, self.path)
        self.assertRaises(crivo.Error, crivo.open, self.path.parent)
        self.assertRaises(crivo.Error, crivo.open, "")
        for wrong in [None, 1.5, "a\0b"]:
            self.assertRaises((TypeError, ValueError), crivo.open, wrong)
        for content in [b"", b"junk", b"\0" * 5000]:
            self.path.write_bytes(content)
            with self.assertRaises(crivo.Error) as raised:
                crivo.open(self.path)
            self.assertEqual(raised.exception.code, "corrupt")

    def test_what_the_system_refuses_is_the_os_error_that_python_has_for_it(self):
        self.path.write_bytes(b"")
        save = crivo.Filter(["a"]).save
        for call, path, kind, number in [
            (crivo.open, self.path.parent / "missing", FileNotFoundError, errno.ENOENT),
            (crivo.open, os.fsencode(self.path.parent / "missing"), FileNotFoundError, errno.ENOENT),
            (crivo.open, self.path / "below", NotADirectoryError, errno.ENOTDIR),
            (save, self.path / "below", NotADirectoryError, errno.ENOTDIR),
            (save, str(self.path.parent / "no" / "folder"), FileNotFoundError, errno.ENOENT),
            (save, self.path.parent / ("n" * 300), OSError, errno.ENAMETOOLONG),
            (save, "/dev/full", OSError, errno.ENOSPC),
        ]:
            with self.assertRaises(kind) as raised:
                call(path)
            error = raised.exception
            self.assertIsInstance(error, crivo.SystemRefusal)
            self.assertEqual((error.code, error.errno, error.strerror, error.filename),
                             ("system error", number, os.strerror(number), os.fspath(path)))
            self.assertTrue(str(error).endswith(f"{os.fsdecode(path)}: {os.strerror(number)}"), error)
            copied = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copied), str(copied), vars(copied), copied.errno, copied.filename),
                             (type(error), str(error), vars(error), error.errno, error.filename))

    def test_saving_keeps_permissions_and_a_failure_the_old_file(self):
        old = os.umask(0o027)
        self.addCleanup(os.umask, old)
        crivo.Filter(["a"]).save(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)
        self.path.chmod(0o604)
        crivo.Filter(["b"]).save(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o604)
        self.assertRaises(crivo.Error, crivo.Filter(["c"]).save, self.path, "smallest", level=99)
        self.assertIn("b", crivo.open(self.path))
        self.assertEqual(os.listdir(self.path.parent), ["words.crivo"])

    def test_damage_is_an_error_and_never_a_no(self):
        crivo.Filter(KEYS).save(self.path, "mappable")
        content = bytearray(self.path.read_bytes())
        content[len(content) // 2] ^= 1
        self.path.write_bytes(content)
        opened = crivo.open(self.path)
        answers = []
        for key in KEYS:
            try:
                answers.append(key in opened)
            except crivo.Error as error:
                self.assertEqual(error.code, "corrupt")
        self.assertTrue(all(answers))
        self.assertTrue(0 < len(answers) < len(KEYS))
        self.assertRaises(crivo.Error, opened.contains_many, KEYS)
        self.assertRaises(crivo.Error, opened.verify)
        self.assertRaises(crivo.Error, opened.copy)

    def test_a_file_that_is_cut_short_under_the_filter_is_an_error(self):
        """Without a guard, the system would end Python with SIGBUS."""
        crivo.Filter(KEYS).save(self.path, "mappable")
        opened = crivo.open(self.path)
        os.truncate(self.path, 4096)
        self.assertRaises(crivo.Error, opened.contains_many, KEYS)
        with self.assertRaises(crivo.Error):
            _ = [key in opened for key in KEYS]
        self.assertRaises(crivo.Error, opened.to_bytes)


def manifest_of(shards, seed):
    """A manifest as docs/format.md defines it. Its checksums are XXH3-64, like the hashes of keys."""
    payload = b"".join(shard[56:64] + struct.pack("<Q", len(shard)) + shard[24:32] + shard[18:24] + bytes(2) +
                       shard[40:48] for shard in shards)
    keys, capacity = (sum(int.from_bytes(shard[begin:end], "little") for shard in shards)
                      for begin, end in [(24, 32), (18, 24)])
    header = struct.pack("<4s6BH", b"\xc3RVO", 1, 15, 0, 0, 1, len(shards).bit_length() - 1, 0)
    header += len(payload).to_bytes(6, "little") + capacity.to_bytes(6, "little")
    header += struct.pack("<QQdQ", seed, keys, 0.01, len(shards))
    checksum = (crivo.hash_key(header) + crivo.hash_key(payload, 1)) % 2**64
    return header + struct.pack("<Q", checksum) + payload


class ShardsTest(unittest.TestCase):
    def test_a_manifest_names_the_shard_of_a_key(self):
        seed, number_of = 5, 8
        shards = [crivo.Filter(capacity=1000, seed=seed).to_bytes("raw") for _ in range(number_of)]
        manifest = manifest_of(shards, seed)
        checksum = int.from_bytes(shards[0][56:64], "little")
        for key in ["alpha", b"alpha", 7, 7.0, "", "naïve"]:
            expected = crivo.hash_key(key, seed) * 0xAF251AF3B0F025B5 % 2**64 >> 61
            for given in [manifest, bytearray(manifest), memoryview(manifest)]:
                self.assertEqual(crivo.find_shard(given, key), (expected, f"{expected:05}-{checksum:016x}.crivo"))

    def test_what_is_no_manifest_or_no_key(self):
        blob = crivo.Filter(["a"]).to_bytes("raw")
        for wrong in [b"", blob, manifest_of([blob], 0)[:-1]]:
            with self.assertRaises(crivo.Error) as raised:
                crivo.find_shard(wrong, "a")
            self.assertEqual(raised.exception.code, "corrupt")
        self.assertRaises(TypeError, crivo.find_shard, "manifest", "a")
        self.assertRaisesRegex(TypeError, "^key must be str, bytes, int or float, got NoneType", crivo.find_shard,
                               manifest_of([blob], 0), None)
        self.assertRaisesRegex(crivo.Error, "lone surrogate", crivo.find_shard, manifest_of([blob], 0), "\udcff")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
