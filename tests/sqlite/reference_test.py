#!/usr/bin/python3
"""Compares the SQL pages with the functions and modules that crivo.so registers. Each has a heading with its signature
and an example, and each heading is right. run_examples.py runs the examples. docs/kinds.md must say which kinds can
be tables.

usage: reference_test.py CRIVO_SO KINDS.md REFERENCE.md...
"""

import re
import sqlite3
import sys
import unittest

EXTENSION, KINDS_PAGE, *REFERENCE = sys.argv[1:]
ANY_NUMBER = -1


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def functions_of(connection):
    """Returns the numbers of arguments that each function accepts."""
    functions = {}
    for name, args in connection.execute("SELECT name, narg FROM pragma_function_list"):
        functions.setdefault(name, set()).add(args)
    return functions


def modules_of(connection):
    return {name for name, in connection.execute("SELECT name FROM pragma_module_list")}


def signatures_in(heading):
    """Returns (name, parameters) for each `name(parameters)` in a heading, with the parameters as written."""
    return re.findall(r"`(\w+)\(([^`]*)\)`", heading)


def arities_of(parameters):
    """Returns the numbers of arguments that `a, b [, c [, d]]`, `[a,] b` or `a, b, ...` allows."""
    if "..." in parameters:
        return {ANY_NUMBER}
    most = len(re.findall(r"\w+", parameters))
    return set(range(most - parameters.count("["), most + 1))


class ReferenceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.db = sqlite3.connect(":memory:")
        functions, modules = functions_of(cls.db), modules_of(cls.db)
        cls.db.enable_load_extension(True)
        cls.db.load_extension(EXTENSION)
        cls.functions = {name: args for name, args in functions_of(cls.db).items() if name not in functions}
        # A module that has columns without arguments is a table-valued function; the others are for virtual tables.
        cls.table_functions, cls.table_modules = {}, set()
        for name in modules_of(cls.db) - modules - {"bloom_seal"}:  # filter tables create this one themselves
            columns = cls.db.execute("SELECT hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
            if columns:
                cls.table_functions[name] = sum(hidden for hidden, in columns)
            else:
                cls.table_modules.add(name)

        cls.page = "".join(map(text_of, REFERENCE))
        cls.sections = re.findall(r"^(##+ [^\n]*)\n(.*?)(?=^##+ |\Z)", cls.page, re.DOTALL | re.MULTILINE)
        cls.signatures = {name: parameters for heading, _ in cls.sections
                          for name, parameters in signatures_in(heading)
                          if name in cls.functions or name not in cls.table_modules}

    @classmethod
    def tearDownClass(cls):
        cls.db.close()

    def message_of(self, sql):
        with self.assertRaises(sqlite3.Error) as raised:
            self.db.execute(sql)
        return str(raised.exception)

    def test_registers_anything_at_all(self):
        self.assertIn("bloom_contains", self.functions)
        self.assertIn("bloom_each", self.table_functions)
        self.assertIn("bloom", self.table_modules)

    def test_every_function_has_a_heading_and_every_heading_a_function(self):
        self.assertEqual(set(self.signatures), set(self.functions) | set(self.table_functions))

    def test_every_signature_has_the_registered_numbers_of_arguments(self):
        for name, arities in self.functions.items():
            self.assertEqual(arities_of(self.signatures[name]), arities, name)
        for name, most in self.table_functions.items():
            self.assertEqual(max(arities_of(self.signatures[name])), most, name)

    def test_every_function_has_an_example_in_its_section(self):
        for heading, text in self.sections:
            examples = "".join(re.findall(r"^```sql\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
            for name, _ in signatures_in(heading):
                with self.subTest(name):
                    self.assertRegex(examples, rf"\b{name}\(")

    def test_what_is_no_filter_gives_null_or_an_error_that_says_so(self):
        samples = {"filter": "bloom_create(9)", "json": "'[1]'"}
        for name, parameters in self.signatures.items():
            first, *others = parameters.split("[")[0].replace(", ...", "").split(", ")
            if first.strip() != "filter" or name not in self.functions:
                continue
            rest = "".join(", " + samples.get(other.strip(), "1") for other in others)
            null = f"SELECT {name}(NULL{rest})"
            try:
                self.assertIsNone(self.db.execute(null).fetchone()[0], null)
            except sqlite3.Error as error:
                self.assertIn("must be a filter, got NULL", str(error), null)
            self.assertIn(f"{name}: blob size must be at least 64 bytes",
                          self.message_of(f"SELECT {name}(x'00'{rest})"))

    def test_every_kind_of_table_has_its_arguments_in_a_heading(self):
        for module in self.table_modules:
            headings = [heading for heading, _ in self.sections if re.search(rf"\b{module}\(", heading)]
            accepted = re.search(r"must be one of ([\w, ]+), got nothing_like_it",
                                 self.message_of(f"CREATE VIRTUAL TABLE t USING {module}(nothing_like_it=1)"))
            self.assertEqual(set(re.findall(r"(\w+)=", " ".join(headings))), set(accepted[1].split(", ")), module)

    def test_every_operation_of_a_filter_table_is_documented(self):
        self.db.execute("CREATE VIRTUAL TABLE temp.operated USING bloom(capacity=10)")
        accepted = re.search(r"op must be one of ([\w, ]+), got",
                             self.message_of("INSERT INTO operated(op) VALUES ('nothing like it')"))
        documented = re.findall(r"(?:^\| `|`INSERT INTO t\(op, arg\) VALUES \()'(\w+)'", self.page, re.MULTILINE)
        self.assertEqual(set(documented), set(accepted[1].split(", ")))

    def test_the_page_of_kinds_says_which_kinds_can_be_tables(self):
        def can_be_table(kind):
            try:
                self.db.execute(f"CREATE VIRTUAL TABLE temp.of_{kind} USING bloom(capacity=10, kind={kind})")
            except sqlite3.Error:
                return False
            return True

        where = text_of(KINDS_PAGE).split("## Where each kind works\n", 1)[1]
        kinds = re.findall(r"^\| `(\w+)` \|(?: (yes|with `window=`))? \|", where, re.MULTILINE)
        self.assertIn(("ribbon", ""), kinds)
        for kind, says_yes in kinds:
            self.assertEqual(says_yes == "yes", can_be_table(kind), kind)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
