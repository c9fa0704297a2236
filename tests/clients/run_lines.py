#!/usr/bin/python3
"""Types the page's lines into each client that has no example program.

usage: run_lines.py PAGE CRIVO_SO WHEELS NPM TOOLS; WHEELS and NPM have the packed Python and npm packages, and TOOLS is
the output of tests/packages/npm/node_tools. Exits with 77 if a client was not installed, and none failed.
"""

import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from run_client import INSTALLED, missing

ASK = "SELECT 'maybe ' || bloom_contains(bloom_agg(value), 2) FROM json_each('[1, 2, 3]')"
PRINTED = "maybe 1"

# The files and the command for each client. @0, @1 and so on stand for the texts in backquotes in the table's second
# column, and @ask for ASK. The files are in the folder in which the command runs.
PROGRAMS = {
    "PHP, `SQLite3`": ({"php.ini": "@0", "ask.php": """<?php $db = new SQLite3("words.db"); @2
        echo $db->querySingle("@ask");"""}, "php -c php.ini ask.php"),
    "PHP 8.4, PDO": ({"ask.php": """<?php if (PHP_VERSION_ID < 80400) exit("too old"); @0
        echo $db->query("@ask")->fetchColumn();"""}, "php ask.php"),
    "Ruby": ({"ask.rb": """require "sqlite3"; db = SQLite3::Database.new("words.db"); @0
        puts db.execute("@ask")"""}, "ruby ask.rb"),
    "Tcl": ({"ask.tcl": """package require sqlite3; sqlite3 db words.db; @0; puts [db onecolumn {@ask}]"""},
            "tclsh ask.tcl"),
    "R": ({"ask.R": """library(DBI); db <- dbConnect(RSQLite::SQLite(), "words.db"); @0
        print(dbGetQuery(db, "@ask"))"""}, "Rscript ask.R"),
    "Java, xerial": ({"Ask.java": """import java.sql.*;
        class Ask { public static void main(String[] none) throws SQLException {
          Statement statement = DriverManager.getConnection("@0").createStatement();
          statement.execute("@1"); System.out.println(statement.executeQuery("@ask").getString(1)); } }"""},
                     "java -cp /usr/share/java/sqlite-jdbc.jar Ask.java"),
    "ODBC": ({"ask.sql": "@ask\n"}, 'isql -b -k "@0" <ask.sql'),
    "Django": ({"ask.py": """import django.conf, crivo
django.conf.settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "words.db"}})
django.setup()
from django.db import connection
from django.db.backends.signals import connection_created
@0
with connection.cursor() as cursor:
    cursor.execute("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000)")
    print(cursor.execute("@ask").fetchone()[0])
assert {"seen_meta", "seen_pages"} < set(connection.introspection.table_names())"""}, "python3 ask.py"),
    "SQLAlchemy": ({"ask.py": """import crivo, sqlalchemy
from sqlalchemy import event
engine = sqlalchemy.create_engine("sqlite:///words.db")
@0
print(engine.connect().execute(sqlalchemy.text("@ask")).scalar())"""}, "python3 ask.py"),
    "peewee": ({"ask.py": """import peewee
db = peewee.SqliteDatabase("words.db")
@0
print(db.execute_sql("@ask").fetchone()[0])"""}, "python3 ask.py"),
    "sqlite-utils": ({}, "@0"),
    "GDAL": ({}, "@0"),
    "litecli": ({"typed": "@0\n@ask;\nexit\n"}, 'script --quiet --command "litecli words.db" /dev/null <typed'),
    "bun": ({"ask.js": """import { Database } from "bun:sqlite"; import { load } from "crivo";
        const db = new Database("words.db"); @0; console.log(db.query("@ask").values()[0][0]);"""},
            "node_modules/.bin/bun ask.js"),
    "libsql": ({"ask.cjs": """const Database = require("libsql"); const { load } = require("crivo");
        const db = new Database("words.db"); @0; console.log(db.prepare("@ask").raw().get()[0]);"""}, "node ask.cjs"),
    "Deno": ({"package.json": "{}", "ask.mjs": """import { DatabaseSync } from "node:sqlite";
        import { load } from "crivo";
        const db = new DatabaseSync("words.db", { allowExtension: true }); @0;
        console.log(Object.values(db.prepare("@ask").get())[0]);"""}, "node_modules/.bin/@2 ask.mjs"),
}


def rows_of(page):
    """The table under "what to type": the client, the line to type, and the requirements of its test."""
    table = page.partition("| what to type |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def stage(folder, wheels, npm, tools):
    """Unpacks the two packages and npm's clients that exist. A client reports the package that it needs."""
    for wheel in pathlib.Path(wheels).glob("crivo-*.whl"):
        zipfile.ZipFile(wheel).extractall(folder)
    modules = folder / "node_modules"
    modules.mkdir()
    for client in (pathlib.Path(tools).resolve() / "clients/node_modules").glob("*"):
        (modules / client.name).symlink_to(client)
    for packed in pathlib.Path(npm).glob("crivo-[0-9]*.tgz"):
        tarfile.open(packed).extractall(folder)
        (folder / "package").rename(modules / "crivo")


def lacks(typed, tested_with, folder):
    """The names of the packages that this row needs and that are missing."""
    names = re.findall("`(.*?)`", tested_with)
    ours = {"crivo.load(": "crivo", "`load(": "node_modules/crivo"}
    needs = [path for call, path in ours.items() if call in typed]
    if tested_with.startswith("npm's"):
        return [path for path in [f"node_modules/{names[0]}", *needs] if not (folder / path).exists()]
    return missing(names) + [path for path in needs if not (folder / path).exists()]


def says(client, typed, extension, folder):
    """The client's output."""
    files, command = PROGRAMS[client]
    codes = re.findall("`(.*?)`", typed)

    def filled(text):
        text = re.sub(r"@(\d)", lambda found: codes[int(found[1])], text)
        text = text.replace("@ask", ASK).replace("SELECT ...", ASK)
        return text.replace(os.path.dirname(INSTALLED), os.path.dirname(extension))

    for name, text in files.items():
        (folder / name).write_text(filled(text), encoding="utf-8")
    (folder / "words.db").unlink(missing_ok=True)
    with sqlite3.connect(folder / "words.db") as db:
        db.execute("CREATE TABLE words(word)")
    done = subprocess.run(["bash", "-c", filled(command)], cwd=folder, text=True, check=False, timeout=600,
                          env={**os.environ, "PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def main(page, extension, *folders):
    rows = rows_of(pathlib.Path(page).read_text(encoding="utf-8"))
    rows = [row for row in rows if not (row[0].startswith("[") or row[2].startswith("not tested"))]
    named = [client for client, _, _ in rows]
    failed = [f"{page} and PROGRAMS must have the same clients, got {named}"] if named != list(PROGRAMS) else []
    lacking = []
    with tempfile.TemporaryDirectory() as name:
        stage(pathlib.Path(name), *folders)
        for client, typed, tested_with in rows:
            said = says(client, typed, os.path.realpath(extension), pathlib.Path(name))
            print(f"{client}:", "loaded" if PRINTED in said else said)
            if PRINTED not in said and said != "too old":
                absent = lacks(typed, tested_with, pathlib.Path(name))
                (lacking if absent else failed).append(" ".join([client, *absent]))
    print(*(f"failed: {each}" for each in failed), *(f"not installed: {each}" for each in lacking), sep="\n")
    return 1 if failed else 77 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
