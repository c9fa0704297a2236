// The module better-sqlite3:  node node_better_sqlite3.js /usr/local/lib/crivo/crivo.so
const Database = require("better-sqlite3");

const db = new Database(":memory:");
db.loadExtension(process.argv[2]);

db.exec("CREATE TABLE visits(name TEXT)");
db.prepare("INSERT INTO visits VALUES (?), (?)").run("ann", "bob");
db.exec("CREATE TABLE filters AS SELECT bloom_agg(name, 1000) AS f FROM visits");
db.prepare("UPDATE filters SET f = bloom_add(f, ?)").run("eve");
const maybe = db.prepare("SELECT bloom_contains((SELECT bloom_open(f) FROM filters), ?)").pluck();
console.log("filter|%d|%d", maybe.get("eve"), maybe.get("joe"));

db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity=1000000, fp_rate=0.001, kind=blocked)");
db.prepare("INSERT INTO seen(key) VALUES (?)").run("eve");
const seen = db.prepare("SELECT EXISTS(SELECT 1 FROM seen WHERE key = ?)").pluck();
console.log("table|%d|%d", seen.get("eve"), seen.get("joe"));
