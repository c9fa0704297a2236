// Compiles calls with the types of the three modules. An @ts-expect-error is an error if the next line compiles.
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

// @ts-expect-error: a file name is not a database
load("seen.db");
// @ts-expect-error: an object without loadExtension is not a database
load({});
// @ts-expect-error: only the module sqlite3 has callbacks
load(new Database(":memory:"), () => {});
// @ts-expect-error: the function has no parameter
getLoadablePath("linux");

export { path, own, better, promise, called, callback };
