#!/usr/bin/env python3
"""What `./dev` does with its arguments. Fake programs replace apt, CMake and CTest.

usage: dev_test.py ROOT
"""
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
COMMANDS = ("build demo test install uninstall package docs clean bench check fuzz asan tsan clang cross intree "
            "crashtest rocksdbtest sqlitetest nightly debian help").split()
CTEST = """[[ $1 == --help ]] && echo "  -R <regex>, --tests-regex <regex> = Run matching" && exit
cat <<'END'
Test project /x
      Start  1: a.One
 1/2 Test  #1: a.One ....................   Passed    0.01 sec
      Start  2: a.Two
 2/2 Test  #2: a.Two ....................***Failed    0.01 sec
50% tests passed, 1 tests failed out of 2
END
"""


def all_of_terminal(descriptor):
    """Returns the terminal's output until Linux reports an error, because all writers have closed it."""
    data = b""
    with open(descriptor, "rb", buffering=0) as terminal:
        try:
            while chunk := terminal.read(1 << 16):
                data += chunk
        except OSError:
            pass
    return data.decode()


class Dev(unittest.TestCase):
    """Each test has a folder with `dev` in it, and fake programs that append their names to the file `called`."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(ROOT / "dev", self.root / "dev")
        shutil.copytree(ROOT / "cmake/dev", self.root / "cmake/dev")
        (self.root / "programs").mkdir()
        for source in ("tests/fuzz/fuzz_blob.cpp", "tests/bench/bench_filters.cpp"):
            (self.root / source).parent.mkdir(parents=True)
            (self.root / source).touch()
        for name in ("apt-get", "cmake", "debootstrap", "ninja", "unshare"):
            self.program(name, "")
        self.program("sudo", '[[ $1 == --validate ]] || exec "$@"\n')
        self.program("dpkg-query", "echo installed\n")
        self.program("ctest", CTEST)
        (self.root / "called").unlink(missing_ok=True)

    def program(self, name, body):
        path = self.root / "programs" / name
        path.write_text(f'#!/bin/bash\necho {name} "$@" >>{self.root}/called\n{body}')
        path.chmod(0o755)

    def run_dev(self, *arguments, **options):
        environment = {**os.environ, "PATH": f"{self.root}/programs:{os.environ['PATH']}"}
        return subprocess.run([self.root / "dev", *arguments], env=environment, text=True, stdin=subprocess.DEVNULL,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "check": False, **options})

    def called(self):
        path = self.root / "called"
        return path.read_text().splitlines() if path.exists() else []

    def assert_nothing_was_done(self, what):
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["cmake", "dev", "programs", "tests"], what)

    def test_lists_every_command(self):
        for arguments in ((), ("help",), ("-h",)):
            done = self.run_dev(*arguments)
            self.assertEqual(done.returncode, 0)
            listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
            self.assertEqual(listed, COMMANDS)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)

    def test_helps_and_does_nothing_after_any_command(self):
        cases = [(command, "--help") for command in COMMANDS]
        for arguments in (*cases, ("debian", "bookworm", "--help"), ("install", "--prefix", "/x", "-h")):
            done = self.run_dev(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertTrue(done.stdout.startswith(f"usage: ./dev {arguments[0]}"), done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)
            self.assert_nothing_was_done(arguments)

    def test_names_an_argument_that_it_does_not_know(self):
        for arguments in (
            *((command, "wrong") for command in COMMANDS if command != "uninstall"), ("uninstall", "--wrong"),
            ("check", "--all", "wrong"), ("check", "--quick", "wrong"), ("demo", "passwords", "--keys=wrong"),
            ("fuzz", "blob", "wrong"), ("help", "build", "wrong"), ("install", "--prefix", "wrong"),
            ("install", "--prefix", "/x", "wrong"), ("package", "deb", "wrong"), ("test", "--all", "wrong"),
            ("test", "-R", "a", "wrong"), ("debian", "trixie", "wrong"), ("debian", "trixie", "test", "wrong"),
            ("debian", "--fresh", "trixie", "package", "wrong"), ("cross", "s390x", "wrong"), ("wrong", "build"),
        ):
            done = self.run_dev(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
            self.assertRegex(done.stderr, r"^\./dev: .*must .*got (--)?wrong", arguments)
            self.assertEqual(self.called(), [], arguments)
            self.assert_nothing_was_done(arguments)

    def test_nightly_goes_on_after_a_failure_and_fails_at_the_end(self):
        done = self.run_dev("nightly", "asan", "demo")  # there is no examples/demo/run
        self.assertEqual(done.returncode, 1)
        table = [line.split()[:4] for line in done.stdout.splitlines()[-2:]]
        self.assertEqual(table, [["demo", "FAILED", "0", "min"], ["asan", "passed", "0", "min"]], done.stdout)
        self.assertIn("examples/demo/run", (self.root / "build/logs/nightly-demo.log").read_text())

    def test_takes_the_options_of_ctest(self):
        for arguments in (("-R", "a|b", "-j4", "-V", "-LE", "slow", "--repeat", "until-fail:3", "-E", "x", "-N"),
                          ("--tests-regex=a", "--rerun-failed")):
            done = self.run_dev("test", *arguments)
            self.assertEqual((done.stderr, self.called()[-1].split("--no-label-summary ")[1]),
                             ("", " ".join(arguments)))

    def test_passes_a_benchmark_what_follows_its_name(self):
        self.program("bench_filters", "")
        (self.root / "build/bench").mkdir(parents=True)
        (self.root / "programs/bench_filters").rename(self.root / "build/bench/bench_filters")
        self.run_dev("bench", "filters", "--help")
        self.assertEqual(self.called()[-1], "bench_filters --help")

    def test_refuses_what_was_built_of_other_sources(self):
        cache = self.root / "build/release/CMakeCache.txt"
        cache.parent.mkdir(parents=True)
        for source, code in ("/elsewhere", 1), (self.root, 0):
            cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n")
            done = self.run_dev("build")
            self.assertEqual(done.returncode, code)
            self.assertEqual("got that of /elsewhere; run ./dev clean" in done.stderr, code == 1, done.stderr)

    def test_works_by_a_link(self):
        link = self.root / "programs/link"
        link.symlink_to(self.root / "dev")
        done = subprocess.run([link, "bench"], cwd="/", text=True, capture_output=True, check=False)
        self.assertEqual((done.stdout, done.stderr), ("filters\n", ""))

    def test_installs_nowhere_inside_the_sources(self):
        (self.root / "programs/link").symlink_to(self.root)
        for folder in ("", "/build/x", "/programs/../y", "/programs/link/z"):
            done = self.run_dev("install", "--prefix", f"{self.root}{folder}")
            self.assertRegex(done.stderr, "^./dev: install: DIR must be outside of these sources, got /.*$")
            self.assertEqual(self.called(), [])

    def as_nobody(self, *arguments):
        """Runs `./dev` as a user without write access. Skips the test unless it runs as root."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        self.root.chmod(0o755)
        return self.run_dev(*arguments, user=65534, group=65534, extra_groups=[])

    def test_asks_for_rights_before_it_builds(self):
        (self.root / "programs/sudo").write_text("#!/bin/sh\nexit 1\n")
        for command in ("install", "uninstall"):
            done = self.as_nobody(command, "--prefix", "/usr/x")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"./dev: {command}: must be root or have sudo to write to /usr\n")

    def test_says_whose_the_build_is(self):
        (self.root / "build/logs").mkdir(parents=True)
        for command in (("build",), ("test",), ("clean",), ("docs",), ("fuzz", "blob"), ("check",)):
            done = self.as_nobody(*command)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, f"^./dev: {command[0]}: build must belong to you, got build of root; ")
        (self.root / "build").chmod(0o777)
        self.assertRegex(self.as_nobody("build").stderr, "got build/logs of root")

    def test_offers_no_command_that_a_debian_below_cannot_run(self):
        for command in ("clean", "debian"):
            done = self.run_dev("debian", "trixie", command)
            self.assertRegex(done.stderr, f"^./dev: debian: ARG must start with one of .*, got {command}$")
            self.assertNotRegex(done.stderr, f"one of .* {command}.* got")
            self.assertEqual(self.called(), [])

    def test_goes_on_without_the_rivals_of_the_demo_of_passwords(self):
        self.program("dpkg-query", "case $* in *bloom*) exit 1 ;; esac\necho installed\n")
        self.program("apt-get", "exit 100\n")
        run = self.root / "examples/passwords/run"
        run.parent.mkdir(parents=True)
        run.write_text(f'#!/bin/bash\necho run "$@" >>{self.root}/called\n')
        run.chmod(0o755)
        done = self.run_dev("demo", "passwords", "--keys", "5000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("continuing without libbloom-dev", done.stdout)
        self.assertEqual(self.called()[-1], "run build/release --keys 5000 --keep build/leaked.crivo")
        run.write_text("#!/bin/bash\nexit 1\n")
        self.assertEqual(self.run_dev("demo", "passwords").returncode, 1)

    def test_says_that_the_package_servers_cannot_be_reached(self):
        self.program("dpkg-query", "exit 1\n")
        self.program("apt-get", "echo \"E: Failed to fetch http://debian.example/x/InRelease  Temporary failure "
                                "resolving 'debian.example'\" >&2\nexit 100\n")
        done = self.run_dev("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot reach Debian's package servers (debian.example)", done.stderr)
        self.assertNotIn("E: ", done.stderr)

    def test_shows_what_apt_says_of_a_package(self):
        self.program("dpkg-query", "exit 1\n")
        self.program("apt-get", '[[ $* != *install* ]] || { echo "E: Unable to locate package x" >&2; exit 100; }\n')
        done = self.run_dev("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: Unable to locate package x", done.stderr)
        self.assertNotIn("servers", done.stderr)

    def test_installs_only_what_is_missing(self):
        self.program("dpkg-query", '[[ $* == *sqlite3 ]] || echo installed\n')
        self.assertEqual(self.run_dev("build").returncode, 0)
        installs = [call for call in self.called() if call.startswith("apt-get") and " install " in call]
        self.assertEqual([call.split("recommends ")[1] for call in installs], ["sqlite3"])

    def test_says_what_it_does_and_ends_with_ctests_summary(self):
        done = self.run_dev("test")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:3], ["configuring build/release", "compiling build/release", "testing build/release"])
        self.assertEqual(lines[-1], "50% tests passed, 1 tests failed out of 2")
        self.assertNotIn("of 2 tests", done.stdout)
        self.assertNotIn("a.One", done.stdout)
        self.assertIn("a.Two", done.stdout)

    def on_terminal(self, *arguments):
        ours, its = pty.openpty()
        self.run_dev(*arguments, stdout=its)
        os.close(its)
        return all_of_terminal(ours)

    def test_counts_tests_on_a_terminal_and_names_those_that_run(self):
        text = self.on_terminal("test")
        self.assertIn("\r\x1b[Krunning a.One", text)
        self.assertIn("\r\x1b[K1 of 2 tests, running a.Two\r\x1b[K", text)
        self.assertTrue(text.endswith("50% tests passed, 1 tests failed out of 2\r\n"), text)

    def test_shows_on_a_terminal_how_far_a_long_command_is(self):
        shown = self.root / "shown"
        self.program("dpkg-query", "exit 1\n")
        # apt-get continues after the line was seen.
        self.program("apt-get", f'[[ $* != *install* ]] || {{ echo "Get:7 a.deb"; until [[ -e {shown} ]]; do sleep 0.05; '
                                "done; }\n")
        ours, its = pty.openpty()
        with subprocess.Popen([self.root / "dev", "build"], stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                              env={**os.environ, "PATH": f"{self.root}/programs:{os.environ['PATH']}"}) as dev:
            os.close(its)
            text = ""
            while "Get:7 a.deb" not in text:
                text += os.read(ours, 1 << 16).decode()
            shown.touch()
            text += all_of_terminal(ours)
        self.assertIn("\r\x1b[KGet:7 a.deb\r\x1b[K", text)
        self.assertEqual(dev.returncode, 0)

    def test_keeps_a_second_command_out(self):
        for holder, command in (("release", ("test",)), ("release", ("build",)), ("asan", ("asan",)),
                                ("release", ("clean",))):
            lock = self.root / "build" / holder / "lock"
            lock.parent.mkdir(parents=True, exist_ok=True)
            with subprocess.Popen(["flock", lock, "sh", "-c", "echo locked; read line"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as other:
                other.stdout.readline()
                done = self.run_dev(*command)
                other.communicate(b"\n")
            self.assertEqual(done.returncode, 1, command)
            self.assertRegex(done.stderr, f"^./dev: {command[0]}: no (other )?command may be running in build/{holder}")
            self.assertEqual(self.run_dev(*command).stderr, "", "after the other")

    def test_passes_on_that_a_test_failed(self):
        self.program("ctest", "[[ $1 == --help ]] || exit 8\n")
        done = self.run_dev("test")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (8, "testing build/release"))

    def test_says_why_tests_were_skipped(self):
        log = self.root / "build/release/Testing/Temporary/LastTest.log"
        log.parent.mkdir(parents=True)
        log.write_text("1/3 Testing: a.One\nOutput:\n/x/a_test.cpp:7: Skipped\nldb is not installed\n"
                       "2/3 Testing: a.Two\nOutput:\nnothing: Skipped it\n"
                       "3/3 Testing: a.Three\nOutput:\nskipped: needs mkdocs\n")
        self.assertEqual(self.run_dev("test").stdout.splitlines()[-2:],
                         ["skipped a.One: ldb is not installed", "skipped a.Three: needs mkdocs"])

    def test_cleans(self):
        (self.root / "build/release").mkdir(parents=True)
        self.assertEqual(self.run_dev("clean").returncode, 0)
        self.assertFalse((self.root / "build").exists())
        self.assertEqual(self.run_dev("clean").returncode, 0)

    def test_does_not_clean_below_a_running_command(self):
        lock = self.root / "build/debian/trixie/lock"
        lock.parent.mkdir(parents=True)
        with subprocess.Popen(["flock", lock, "sh", "-c", "echo locked; read line"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            done = self.run_dev("clean")
            holder.communicate(b"\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("build/debian/trixie", done.stderr)
        self.assertTrue(lock.exists())

    def test_does_not_clean_what_is_mounted(self):
        kept = self.root / "kept"
        kept.mkdir()
        (kept / "file").touch()
        point = self.root / "build/with space"
        point.mkdir(parents=True)
        namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        script = f"mount --bind '{kept}' '{point}' && echo mounted && '{self.root}/dev' clean"
        done = subprocess.run([*namespace, "bash", "-c", script], text=True, capture_output=True, check=False)
        if "mounted" not in done.stdout:
            self.skipTest("this machine lets nobody mount")
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(point), done.stderr)
        self.assertTrue((kept / "file").exists())


if __name__ == "__main__":
    unittest.main()
