// Node's own module, in Node 22.13 and later:  node node_own.js /usr/local/lib/crivo/crivo.so
const { DatabaseSync } = require("node:sqlite");

const db = new DatabaseSync(":memory:", { allowExtension: true });
db.loadExtension(process.argv[2]);
db.enableLoadExtension(false);

db.exec("CREATE TABLE visits(name TEXT)");
db.prepare("INSERT INTO visits VALUES (?), (?)").run("ann", "bob");
db.exec("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits");
db.prepare("UPDATE filters SET f = bloom_add(f, ?)").run("eve");
const maybe = db.prepare("SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?) AS it");
console.log("filter|%d|%d", maybe.get("eve").it, maybe.get("joe").it);

db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)");
db.prepare("INSERT INTO seen(key) VALUES (?)").run("eve");
const seen = db.prepare("SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?) AS it");
console.log("table|%d|%d", seen.get("eve").it, seen.get("joe").it);
