"""Makes a database with filter tables, for tests of programs that copy databases."""
import sqlite3

TABLES = """
CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT);
CREATE VIRTUAL TABLE emails USING bloom(source='account.email', fp_rate=0.001, kind=counting, capacity=20000);
CREATE VIRTUAL TABLE growing_emails USING bloom(source='account.email', fp_rate=0.001, kind=growing);
CREATE VIRTUAL TABLE seen USING bloom(capacity=20000, fp_rate=0.001);
CREATE VIRTUAL TABLE lately USING bloom(capacity=20000, fp_rate=0.001, window='1 day');
"""
FOLLOWING = ("emails", "growing_emails")
FILLED = ("seen", "lately")


def connected(path, crivo):
    db = sqlite3.connect(path, isolation_level=None, timeout=30)
    db.enable_load_extension(True)
    db.load_extension(crivo)
    return db
