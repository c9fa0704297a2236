// What the types allow, and, after @ts-expect-error, what they reject.
import start, { type Database, type Row, type SqlValue, type Statement } from "crivo-sqlite-wasm";

const { capi, oo1, SQLite3Error, version } = await start({ print: console.log });
const db: Database = new oo1.DB("/seen.db", "c");
db.exec("CREATE TABLE t(x)").exec({ sql: ["INSERT INTO t VALUES (?)", ""], bind: [1n] });
const rows: SqlValue[][] = db.exec("SELECT x FROM t", { rowMode: "array", returnValue: "resultRows" });
const filter: SqlValue = db.selectValue("SELECT bloom_agg(x) FROM t", undefined, capi.SQLITE_BLOB);
const row: Row | undefined = db.selectObject("SELECT bloom_contains($f, $k) AS maybe", { $f: filter, $k: "ada" });
const statement: Statement = db.prepare("SELECT ?");
if (statement.bind(1, new Uint8Array(2)).step()) console.log(statement.get(0), statement.get([]));
const counted: number = db.transaction((inside) => inside.selectArrays("SELECT 1").length);
if (oo1.OpfsDb) new oo1.OpfsDb("/seen.db").close();
console.log(rows, row?.maybe, counted, new SQLite3Error("no").resultCode, version.libVersion);
// @ts-expect-error
db.exec(7);
// @ts-expect-error
db.selectValue("SELECT ?", new Date());
// @ts-expect-error
oo1.OpfsDb.name;
