"""Those who keep the list: how each is built from it, asked, and what it keeps of it.

Each gets the best use that its documentation has. All are asked in the same way: a program starts, opens the file, reads
questions as lines of text (or as rows of a table, in SQL), and prints those that it finds.
"""
import pathlib
import shutil
import sys

from measure import Took, run

HERE = pathlib.Path(__file__).parent


class Contestant:
    """Builds its file from the list, and has hosts: programs that ask the file."""

    exact = False
    asks_itself = False  # builds and asks in one process, which cannot save what it built
    most_keys = 2**63

    def __init__(self, build, scratch):
        self.bin, self.scratch = build, scratch
        self.file = scratch / self.file_name

    def lacks(self):
        """What is missing: for the contestant's name, if it cannot run, or for the names of hosts."""
        return {}

    def bytes(self):
        return self.file.stat().st_size

    def shell(self, *before):
        """A sqlite3 without the user's settings, which opens the questions as a database."""
        commands = [word for command in before for word in ("-cmd", command)]
        return ["sqlite3", "-bail", "-init", "/dev/null", *commands, str(self.scratch / "questions.db")]


class Crivo(Contestant):
    name, file_name = "crivo's ribbon", "leaked.crivo"

    def build(self, make_list, keys, rate):
        # Hashes of 8 bytes for each key would fill more memory than this, so they go to temporary files.
        memory = max(64_000_000, 3 * keys)
        return run([self.bin / "crivo", "build", "--kind", "ribbon", "--fpr", str(rate), "--max-memory", str(memory),
                    "--temp-folder", self.scratch, "-o", self.file], make_list)

    def lacks(self):
        """Python's module is compiled where its header files are."""
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
        """A folder with the package crivo, as the wheel has it."""
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
        # CROSS JOIN keeps the order: for each question one search in the list.
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
        """What the build took, the filter's bytes, and the seconds for each of the files; its answers lie beside."""
        with open(self.scratch / "libbloom.out", "w+b") as output:
            took = run([self.bin / "passwords_libbloom", str(keys), str(rate), *questions], make_list, output)
            output.seek(0)
            filter_bytes, built, *asked = output.read().split()
        return Took(float(built), took.peak_bytes), int(filter_bytes), [float(seconds) for seconds in asked]


ALL = (Crivo, SortedFile, SqliteIndex, Dcso, Libbloom)
