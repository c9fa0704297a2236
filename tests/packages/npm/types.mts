// The types against those of the three modules. Each @ts-expect-error is itself an error where the compiler finds none.
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import sqlite3 from "sqlite3";
import { getLoadablePath, load, type CallbackDatabase, type SyncDatabase } from "crivo";

const path: string = getLoadablePath();

const own: void = load(new DatabaseSync(":memory:", { allowExtension: true }));
const better: void = load(new Database(":memory:"));
const promise: Promise<void> = load(new sqlite3.Database(":memory:"));
const called: void = load(new sqlite3.Database(":memory:"), (error: Error | null) => console.log(error?.message));

const wrapped: SyncDatabase = { loadExtension: (file: string) => file.length };
load(wrapped);
const callback: CallbackDatabase = new sqlite3.Database(":memory:");

// @ts-expect-error: a name is no database
load("seen.db");
// @ts-expect-error: what has no loadExtension is none either
load({});
// @ts-expect-error: only the module sqlite3 answers through callbacks
load(new Database(":memory:"), () => {});
// @ts-expect-error: the path is the package's
getLoadablePath("linux");

export { path, own, better, promise, called, callback };
