export {
  CrivoError, Filter, Sketch, findShard, sketchSymbols, type Difference, type Info, type Key, type Options,
  type SketchInfo, type SketchOptions,
} from "./filter.cjs";

/** A synchronous database: better-sqlite3's `Database` or node:sqlite's `DatabaseSync`. */
export interface SyncDatabase {
  loadExtension(path: string): unknown;
}

/** An asynchronous database with callbacks: the `Database` of the module sqlite3. */
export interface CallbackDatabase {
  loadExtension(path: string, callback?: (error: Error | null) => void): unknown;
  parallelize(callback?: () => void): void;
}

/**
 * Loads the extension into a database of the module sqlite3. Statements that are run later wait until the extension
 * is loaded, even if the promise is not awaited.
 *
 * Throws as getLoadablePath() does. Rejects with SQLite's error if SQLite cannot load the file.
 */
export function load(db: CallbackDatabase): Promise<void>;

/** The same with a callback, which receives an error or null, as in the module's own methods. */
export function load(db: CallbackDatabase, callback: (error: Error | null) => void): void;

/**
 * Loads the extension into this connection. Each connection must load the extension.
 *
 * A `DatabaseSync` must be created with `{ allowExtension: true }`. Afterwards, neither JavaScript nor SQL can load
 * another extension until `db.enableLoadExtension(true)`.
 *
 * Throws a TypeError if `db` is not such a database. Throws an Error if the database does not allow extensions, if the
 * platform is not linux-x64 or linux-arm64 with glibc, or, with SQLite's message, if the file cannot be loaded.
 */
export function load(db: SyncDatabase): void;

/**
 * The absolute path of crivo.so, for other programs that load extensions.
 *
 * Throws an Error if the platform is not linux-x64 or linux-arm64 with glibc, or if the file is missing.
 */
export function getLoadablePath(): string;
