"""The compared programs: how to build each one's file from the list, and how to query the file.

Each is used in the best way that its documentation describes. All are queried in the same way: a program starts, opens
the file, reads queries as lines of text (or, in SQL, as rows of a table), and prints the keys that it finds.
"""
import pathlib
import shutil
import sys

from measure import Took, run

HERE = pathlib.Path(__file__).parent


class Contestant:
    """Builds its file from the list. Its hosts are the programs that query the file."""

    exact = False
    asks_itself = False  # builds and queries in one process, because it cannot save its filter
    most_keys = 2**63

    def __init__(self, build, scratch):
        self.bin, self.scratch = build, scratch
        self.file = scratch / self.file_name

    def lacks(self):
        """Reasons by name: why the contestant cannot run, or why some of its hosts cannot."""
        return {}

    def bytes(self):
        return self.file.stat().st_size

    def shell(self, *before):
        """The sqlite3 command without the user's settings, with the queries as its database."""
        commands = [word for command in before for word in ("-cmd", command)]
        return ["sqlite3", "-bail", "-init", "/dev/null", *commands, str(self.scratch / "questions.db")]


class Crivo(Contestant):
    name, file_name = "crivo's ribbon", "leaked.crivo"

    def build(self, make_list, keys, rate):
        # The 8-byte hashes of more than 8 million keys exceed this limit, so they are stored in temporary files.
        memory = max(64_000_000, 3 * keys)
        return run([self.bin / "crivo", "build", "--kind", "ribbon", "--fpr", str(rate), "--max-memory", str(memory),
                    "--temp-folder", self.scratch, "-o", self.file], make_list)

    def lacks(self):
        """The Python module is compiled only with CRIVO_PYTHON."""
        return {} if (self.bin / "_crivo.abi3.so").exists() else {"in Python": "it needs -D CRIVO_PYTHON=ON"}

    def hosts(self):
        hosts = {"in the shell": self.in_the_shell, "in Python": self.in_python, "in SQL": self.in_sql}
        return {name: host for name, host in hosts.items() if name not in self.lacks()}

    def in_the_shell(self, questions, answers):
        with open(questions, "rb") as source:
            return run([self.bin / "crivo", "query", self.file], source, answers, fine=(0, 1))

    def in_python(self, questions, answers):
        with open(questions, "rb") as source:
            return run([sys.executable, HERE / "ask.py", self.file], source, answers,
                       environment={"PYTHONPATH": self.python_package()})

    def python_package(self):
        """A folder with the package crivo, as in the wheel."""
        package = self.scratch / "python" / "crivo"
        if not package.exists():
            package.mkdir(parents=True)
            for file in (*(HERE.parents[1] / "core/python/crivo").glob("*.py"), self.bin / "_crivo.abi3.so"):
                (package / file.name).symlink_to(file)
        return package.parent

    def in_sql(self, questions, answers):
        ask = (f"SELECT key FROM {questions.stem}"
               f" WHERE bloom_contains((SELECT bloom_open(readfile('{self.file}'))), key)")
        return run([*self.shell(f".load '{self.bin / 'crivo.so'}'"), ask], output=answers)


class SortedFile(Contestant):
    name, file_name, exact = "sorted file", "leaked.sorted", True

    def build(self, make_list, _keys, _rate):
        return run([self.bin / "passwords_sorted_file", "build", self.file], make_list)

    def hosts(self):
        return {"": self.ask}

    def ask(self, questions, answers):
        with open(questions, "rb") as source:
            return run([self.bin / "passwords_sorted_file", "ask", self.file], source, answers)


class SqliteIndex(Contestant):
    name, file_name, exact = "SQLite index", "leaked.db", True

    def lacks(self):
        return {} if (self.bin / "passwords_sqlite_index").exists() else {self.name: "it needs SQLite's header files"}

    def build(self, make_list, _keys, _rate):
        return run([self.bin / "passwords_sqlite_index", self.file], make_list)

    def hosts(self):
        return {"": self.ask}

    def ask(self, questions, answers):
        shell = self.shell(f"ATTACH '{self.file}' AS list", ".output /dev/null", f"PRAGMA list.mmap_size = {2**40}",
                           ".output stdout")
        # CROSS JOIN fixes the order of the tables: one search in the list per query.
        return run([*shell, f"SELECT key FROM {questions.stem} CROSS JOIN leaked USING (hash)"], output=answers)


class Dcso(Contestant):
    name, file_name = "dcso's bloom", "leaked.bloom"

    def lacks(self):
        package = "golang-github-dcso-bloom-cli"
        return {} if shutil.which("bloom") else {self.name: f"it needs the package {package}"}

    def build(self, make_list, keys, rate):
        created = run(["bloom", "create", "-p", str(rate), "-n", str(keys), self.file])
        return created + run(["bloom", "insert", self.file], make_list)

    def hosts(self):
        return {"": self.ask}

    def ask(self, questions, answers):
        with open(questions, "rb") as source:
            return run(["bloom", "check", self.file], source, answers)


class Libbloom(Contestant):
    name, file_name, asks_itself = "libbloom", "", True
    most_keys, why = 150_000_000, "it counts its bits in an int"

    def lacks(self):
        there = (self.bin / "passwords_libbloom").exists()
        return {} if there else {self.name: "it needs the package libbloom-dev"}

    def build_and_ask(self, make_list, keys, rate, questions):
        """The cost of the build, the filter's bytes, and the seconds per file. The answers are in QUESTIONS.found."""
        with open(self.scratch / "libbloom.out", "w+b") as output:
            took = run([self.bin / "passwords_libbloom", str(keys), str(rate), *questions], make_list, output)
            output.seek(0)
            filter_bytes, built, *asked = output.read().split()
        return Took(float(built), took.peak_bytes), int(filter_bytes), [float(seconds) for seconds in asked]


ALL = (Crivo, SortedFile, SqliteIndex, Dcso, Libbloom)
