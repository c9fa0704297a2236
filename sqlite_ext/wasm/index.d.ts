// What https://sqlite.org/wasm documents, as far as programs with filters take it. SQLite's C functions, in capi and
// wasm, have no types of their own here.

/** What SQL holds. An integer beyond 2^53 comes as a bigint. */
export type SqlValue = string | number | bigint | boolean | null | undefined | Uint8Array | Int8Array | ArrayBuffer;

/** Parameters: one, those of ?1, ?2, ..., or those of $name. */
export type Binding = SqlValue | readonly SqlValue[] | { readonly [name: string]: SqlValue };

export type Row = { [column: string]: SqlValue };

export interface ExecOptions {
  sql?: string | readonly string[];
  bind?: Binding;
  /** How the callback and "resultRows" get a row: as SqlValue[] by default, or a column of it, by index or "$name". */
  rowMode?: "array" | "object" | "stmt" | number | `$${string}`;
  /** What exec returns: the database by default. */
  returnValue?: "this" | "resultRows" | "saveSql";
  resultRows?: unknown[];
  columnNames?: string[];
  saveSql?: string[];
  /** Returning false ends it. */
  callback?(row: any, statement: Statement): unknown;
}

export interface Statement {
  readonly columnCount: number;
  readonly parameterCount: number;
  readonly pointer?: number;
  bind(values: Binding): this;
  bind(parameter: number | string, value: SqlValue): this;
  clearBindings(): this;
  /** Whether there is a row. */
  step(): boolean;
  stepReset(): this;
  stepFinalize(): boolean;
  reset(clearBindings?: boolean): this;
  get(column: number): SqlValue;
  get<Target extends SqlValue[] | Row>(target: Target): Target;
  getColumnName(column: number): string;
  getColumnNames(): string[];
  finalize(): number | undefined;
}

export interface Database {
  readonly filename: string;
  readonly pointer?: number;
  exec(sql: string | readonly string[], options: ExecOptions & { returnValue: "resultRows" }): any[];
  exec(options: ExecOptions & { returnValue: "resultRows" }): any[];
  exec(sql: string | readonly string[], options: ExecOptions & { returnValue: "saveSql" }): string[];
  exec(options: ExecOptions & { returnValue: "saveSql" }): string[];
  exec(sql: string | readonly string[], options?: ExecOptions): this;
  exec(options: ExecOptions): this;
  prepare(sql: string): Statement;
  selectValue(sql: string, bind?: Binding, type?: number): SqlValue;
  selectValues(sql: string, bind?: Binding, type?: number): SqlValue[];
  selectArray(sql: string, bind?: Binding): SqlValue[] | undefined;
  selectArrays(sql: string, bind?: Binding): SqlValue[][];
  selectObject(sql: string, bind?: Binding): Row | undefined;
  selectObjects(sql: string, bind?: Binding): Row[];
  transaction<Result>(work: (db: this) => Result): Result;
  savepoint<Result>(work: (db: this) => Result): Result;
  createFunction(name: string, call: (context: number, ...values: any[]) => any, options?: object): this;
  createFunction(options: object): this;
  changes(total?: boolean, sixtyFour?: boolean): number | bigint;
  isOpen(): boolean;
  close(): void;
}

export interface Sqlite3 {
  readonly version: { readonly libVersion: string; readonly libVersionNumber: number; readonly sourceId: string };
  readonly oo1: {
    readonly DB: new (file?: string, flags?: string, vfs?: string) => Database;
    /** In workers of a page that is isolated (COOP and COEP) only. */
    readonly OpfsDb?: new (file: string, flags?: string) => Database;
    /** In pages only. */
    readonly JsStorageDb?: new (storage?: "local" | "session") => Database;
  };
  /** In workers only. */
  installOpfsSAHPoolVfs?(options?: object): Promise<any>;
  readonly SQLite3Error: new (...message: any[]) => Error & { readonly resultCode: number };
  readonly capi: any;
  readonly wasm: any;
}

/** Options are those of Emscripten: print, printErr and others. */
export default function start(options?: object): Promise<Sqlite3>;
