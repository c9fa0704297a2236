export {
  CrivoError, Filter, Sketch, findShard, sketchSymbols, type Difference, type Info, type Key, type Options,
  type SketchInfo, type SketchOptions,
} from "./filter.cjs";

/** A database that answers at once: better-sqlite3's `Database`, node:sqlite's `DatabaseSync`. */
export interface SyncDatabase {
  loadExtension(path: string): unknown;
}

/** A database that answers through callbacks: the `Database` of the module sqlite3. */
export interface CallbackDatabase {
  loadExtension(path: string, callback?: (error: Error | null) => void): unknown;
  parallelize(callback?: () => void): void;
}

/**
 * Loads the extension into a database of the module sqlite3. Statements that are run later wait for it, awaited or not.
 *
 * Rejects with SQLite's error if the file cannot be loaded.
 */
export function load(db: CallbackDatabase): Promise<void>;

/** The same, with the error or null for a callback, as the module's own methods have it. */
export function load(db: CallbackDatabase, callback: (error: Error | null) => void): void;

/**
 * Loads the extension into this connection; every connection has to load it for itself.
 *
 * A `DatabaseSync` must be made with `{ allowExtension: true }`. Afterwards it loads no further extension, be it from
 * JavaScript or from SQL, until `db.enableLoadExtension(true)`.
 *
 * Throws a TypeError if `db` is no such database, and an Error if it must not load extensions, if the platform is
 * another one than linux-x64 with glibc, or with SQLite's message if the file cannot be loaded.
 */
export function load(db: SyncDatabase): void;

/**
 * The absolute path of crivo.so, for whatever else can load an extension.
 *
 * Throws an Error that names the platform if it is another one than linux-x64 with glibc.
 */
export function getLoadablePath(): string;
