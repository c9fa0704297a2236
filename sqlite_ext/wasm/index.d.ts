// The part of the API at https://sqlite.org/wasm that programs with filters use. SQLite's C functions, in capi and
// wasm, are not typed here.

/** A value in SQL. An integer beyond 2^53 is returned as a bigint. */
export type SqlValue = string | number | bigint | boolean | null | undefined | Uint8Array | Int8Array | ArrayBuffer;

/** The parameters: a single value, an array for ?1, ?2, ..., or an object for named ones ($name). */
export type Binding = SqlValue | readonly SqlValue[] | { readonly [name: string]: SqlValue };

export type Row = { [column: string]: SqlValue };

export interface ExecOptions {
  sql?: string | readonly string[];
  bind?: Binding;
  /** The form of a row; by default SqlValue[]. An index or "$name" selects one column. */
  rowMode?: "array" | "object" | "stmt" | number | `$${string}`;
  /** Selects the result of exec. The default is "this", the database. */
  returnValue?: "this" | "resultRows" | "saveSql";
  resultRows?: unknown[];
  columnNames?: string[];
  saveSql?: string[];
  /** Called for each row. Returning false stops exec. */
  callback?(row: any, statement: Statement): unknown;
}

export interface Statement {
  readonly columnCount: number;
  readonly parameterCount: number;
  readonly pointer?: number;
  bind(values: Binding): this;
  bind(parameter: number | string, value: SqlValue): this;
  clearBindings(): this;
  /** Returns whether there is a row. */
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
    /** Only in workers, and only if the page is cross-origin isolated (COOP and COEP headers). */
    readonly OpfsDb?: new (file: string, flags?: string) => Database;
    /** Only in the main thread. */
    readonly JsStorageDb?: new (storage?: "local" | "session") => Database;
  };
  /** Only in workers. */
  installOpfsSAHPoolVfs?(options?: object): Promise<any>;
  readonly SQLite3Error: new (...message: any[]) => Error & { readonly resultCode: number };
  readonly capi: any;
  readonly wasm: any;
}

/** `options` are Emscripten's module options, such as print and printErr. */
export default function start(options?: object): Promise<Sqlite3>;
