// The module sqlite3, Debian's node-sqlite3:  node node_sqlite3.js /usr/local/lib/crivo/crivo.so
const sqlite3 = require("sqlite3");
const { promisify } = require("util");

const db = new sqlite3.Database(":memory:");
const [load, run, get] = [db.loadExtension, db.run, db.get].map((call) => promisify(call).bind(db));

async function main() {
  await load(process.argv[2]);
  await run("CREATE TABLE visits(name TEXT)");
  await run("INSERT INTO visits VALUES (?), (?)", ["ann", "bob"]);
  await run("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits");
  await run("UPDATE filters SET f = bloom_add(f, ?)", "eve");
  const maybe = (name) => get("SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?) AS it", name);
  console.log("filter|%d|%d", (await maybe("eve")).it, (await maybe("joe")).it);

  await run("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)");
  await run("INSERT INTO seen(key) VALUES (?)", "eve");
  const seen = (name) => get("SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?) AS it", name);
  console.log("table|%d|%d", (await seen("eve")).it, (await seen("joe")).it);
}

main();
