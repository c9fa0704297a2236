#!/usr/bin/env python3
"""The report of `./dev demo passwords`, at a size that needs seconds: its promises, and its checks for wrong answers.

usage: passwords_test.py DEMO_FOLDER BUILD_FOLDER
"""
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

DEMO, BUILD = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
KEYS, QUESTIONS = 20000, 2000
SMALL = ("--keys", str(KEYS), "--questions", str(QUESTIONS))


def sha1(word):
    return hashlib.sha1(word.encode()).hexdigest().upper()


class Report(unittest.TestCase):
    """Each test has a folder with links to the programs, and can replace one of them."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for path in (*BUILD.glob("passwords_*"), *BUILD.glob("*crivo*.so"), BUILD / "crivo"):
            (self.programs / path.name).symlink_to(path)

    def replace(self, program, body):
        path = self.programs / program
        path.unlink()
        path.write_text(f"#!/bin/bash\n{body}")
        path.chmod(0o755)

    def command(self, *arguments):
        return [sys.executable, DEMO / "run", self.programs, *arguments]

    def run_demo(self, *arguments):
        before = sorted(self.programs.iterdir())
        done = subprocess.run(self.command(*arguments), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual(sorted(self.programs.iterdir()), before, "nothing may be left behind")
        return done

    def assert_fails(self, done, message):
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, message)

    def test_compares_the_contestants_and_leaves_a_filter_to_ask(self):
        kept = self.folder / "kept.crivo"
        done = self.run_demo(*SMALL, "--keep", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        # `./dev demo passwords` prints other folders, which are shorter.
        report = done.stdout.replace(str(self.programs), "build/release").replace(str(kept), "build/leaked.crivo")
        self.assertEqual([line for line in report.splitlines() if len(line) > 80], [])
        self.assertIn("The list is made up", report)
        file = re.search(r"^  crivo's ribbon +(\S+) +\S+ +\S+$", report, re.M)
        self.assertEqual(f"{kept.stat().st_size / KEYS:.2f}", file[1])
        self.assertLess(8 * kept.stat().st_size / KEYS, 8.5, "bits per key")
        hosts = ["in the shell", "in SQL"]
        if (BUILD / "_crivo.abi3.so").exists():
            hosts.append("in Python")
        else:
            self.assertIn("in Python is omitted: it needs -D CRIVO_PYTHON=ON", report)
        rates = [re.search(rf"^    {host} +\S+ +\S+ +\S+ +(\S+)%$", report, re.M)[1] for host in hosts]
        self.assertEqual(len(set(rates)), 1, "all hosts must give the same answers")
        self.assertAlmostEqual(float(rates[0]), 0.4, delta=5 * 0.4 / (0.004 * QUESTIONS) ** 0.5)
        for exact in ("sorted file", "SQLite index"):
            self.assertRegex(report, rf"(?m)^  {exact} .* none$")
        for rival in ("dcso's bloom", "libbloom"):  # packages that `./dev test` does not install
            self.assertRegex(report, rf"(?m)^  {rival} (.*%|is omitted: it needs the package .*)$")
        self.assertRegex(report, rf"(?m)^  password +{sha1('password')}  leaked$")
        self.assertRegex(report, r"(?m)^  correct horse battery staple .*  no$")
        asked = subprocess.run(f"printf %s 123456 | sha1sum | head -c 40 | tr a-f A-F | {BUILD}/crivo query {kept}",
                               shell=True, text=True, check=True, stdout=subprocess.PIPE)
        self.assertEqual(asked.stdout.strip(), sha1("123456"))

    def test_notices_a_password_that_is_not_found(self):
        self.replace("crivo", f'{BUILD}/crivo "$@" | if [[ $1 == query ]]; then tail -n +2; else cat; fi')
        self.assert_fails(self.run_demo(*SMALL), "in the shell must find every leaked password, got others")

    def test_notices_hosts_that_differ(self):
        listed = f"{BUILD}/passwords_list absent {QUESTIONS}"
        # This program finds one absent question more than the others, or another one.
        self.replace("crivo", f"""{BUILD}/crivo "$@" | {{ [[ $1 == query ]] || exec cat
          found=$(cat); (($(wc -l <<<"$found") > 100)) || found=$({listed} | head -n 7); echo "$found"; }}""")
        self.assert_fails(self.run_demo(*SMALL), "all hosts must give the same answers, got others in (Python|SQL)")

    def test_notices_a_rate_that_is_not_kept(self):
        self.replace("crivo", f'exec {BUILD}/crivo "${{@/0.004/0.05}}"')
        self.assert_fails(self.run_demo(*SMALL), r"must find at most 0\.4% of the others, got [3-7]\.")

    def test_refuses_what_disk_or_memory_cannot_hold(self):
        self.replace("passwords_list", "exit 1")  # keeps a missing check from filling the disk
        done = self.run_demo("--keys", str(10**15))
        self.assert_fails(done, r"^demo passwords: --keys 10{15} must have .* GB of free disk in .*, got .* GB$")
        for wrong in ("999", "1e8", "-5"):
            self.assertRegex(self.run_demo("--keys", wrong).stderr, f"must be an integer of at least 1000, got {wrong}")

    def test_leaves_nothing_when_it_is_interrupted(self):
        self.replace("crivo", "exec sleep infinity")  # so that it is running when the signal comes
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(self.command("--keys", "5000", "--questions", "1000"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, start_new_session=True) as demo:
                for line in demo.stderr:
                    if "building" in line:
                        break
                self.assertTrue(list(self.programs.glob("passwords-*")), "it must have been at work")
                demo.send_signal(number)
                self.assertEqual(demo.wait(), 128 + number)
                self.assertRegex(demo.stdout.read() + demo.stderr.read(), r"^( *\d+ s  .*\n)*$")
            self.assertEqual(list(self.programs.glob("passwords-*")), [])
            with self.assertRaises(ProcessLookupError):  # no program of the group is running
                os.killpg(demo.pid, 0)


if __name__ == "__main__":
    unittest.main()
