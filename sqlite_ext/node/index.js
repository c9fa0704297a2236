// The classes, which call the native module crivo.node, and load(), which loads the SQLite extension crivo.so into a
// database of one of three SQLite modules. Each module loads extensions in its own way:
//
//   better-sqlite3  db.loadExtension(path)
//   sqlite3         db.loadExtension(path, callback)
//   node:sqlite     db.loadExtension(path), between db.enableLoadExtension(true) and db.enableLoadExtension(false)
//
// load() recognizes the module by the methods of the database, so this package requires none of the modules.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { CrivoError, Filter, Sketch, findShard, sketchSymbols, use } = require("./filter.cjs"); // core/js/all.js

/** Whether this process runs on musl, as on Alpine. musl cannot load files that are linked with glibc. */
function runsOnMusl() {
  try {
    return fs.readFileSync("/proc/self/maps", "utf8").includes("/ld-musl-");
  } catch {
    return false; // with musl, loading then fails with SQLite's message
  }
}

/** The path of a file of the package that was compiled for this platform. */
function compiled(name) {
  const platform = `${process.platform}-${process.arch}`;
  const known = ["linux-x64", "linux-arm64"].includes(platform);
  if (!known || runsOnMusl()) {
    const got = known ? `${platform} with musl` : platform;
    throw new Error(`crivo: the platform must be linux-x64 or linux-arm64 with glibc, got ${got}`);
  }
  const file = path.join(__dirname, platform, name);
  if (!fs.existsSync(file)) throw new Error(`crivo: the package must contain ${file}; reinstall the package`);
  return file;
}

/** The file name must not change: SQLite derives the entry point's name, sqlite3_crivo_init, from the file name. */
function getLoadablePath() {
  return compiled("crivo.so");
}

/** The functions of crivo.node, for the classes. If crivo.node cannot be loaded, the first use of a class throws. */
function functionsOfFilter() {
  try {
    const functions = require(compiled("crivo.node"));
    return Object.defineProperty(functions, "memory", { value: { get buffer() { return functions.buffer(); } } });
  } catch (error) {
    const fail = () => { throw error; };
    return new Proxy({ memory: { buffer: new ArrayBuffer(0) } }, { get: (own, name) => own[name] ?? fail });
  }
}

use(functionsOfFilter());

/** Disables extension loading afterwards, as SQLite recommends, so that SQL cannot load files. */
function loadIntoNodeSqlite(db, file) {
  try {
    db.enableLoadExtension(true);
  } catch (error) {
    const wanted = "new DatabaseSync(path, { allowExtension: true })";
    throw new Error(`crivo: the database must be open, and made by ${wanted}: ${error.message}`, { cause: error });
  }
  try {
    db.loadExtension(file);
  } finally {
    db.enableLoadExtension(false);
  }
}

function load(db, callback) {
  if (typeof db?.loadExtension !== "function") {
    const got = db === null || typeof db !== "object" ? String(db) : `an object of ${db.constructor?.name}`;
    const known = "better-sqlite3, sqlite3 or node:sqlite (of Node 22.13 or later)";
    throw new TypeError(`crivo: db must be a database of ${known}, got ${got}`);
  }
  const file = getLoadablePath();
  if (typeof db.parallelize === "function") {
    if (callback) return void db.loadExtension(file, callback);
    return new Promise((resolve, reject) => {
      db.loadExtension(file, (error) => (error ? reject(error) : resolve()));
    });
  }
  if (typeof db.enableLoadExtension === "function") return loadIntoNodeSqlite(db, file);
  db.loadExtension(file);
}

module.exports = { CrivoError, Filter, Sketch, findShard, getLoadablePath, load, sketchSymbols };
