// SQLite with the extension, in a worker, because OPFS is available only in workers.
import start from "crivo-sqlite-wasm";

start().then(({ oo1 }) => {
  const db = new oo1.DB("/seen.db", "c", "opfs"); // OpfsDb would be in memory if the proxy did not start
  db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity = 1000); INSERT INTO seen VALUES ('ada')");
  postMessage(db.selectValues("SELECT key FROM seen WHERE key IN ('ada', 'eve')"));
}).catch((error) => postMessage(String(error)));
