// SQLite with the extension, in a worker, where alone OPFS is.
import start from "crivo-sqlite-wasm";

start().then(({ oo1 }) => {
  const db = new oo1.DB("/seen.db", "c", "opfs"); // OpfsDb would be one in memory where the proxy did not start
  db.exec("CREATE VIRTUAL TABLE seen USING bloom(capacity = 1000); INSERT INTO seen VALUES ('ada')");
  postMessage(db.selectValues("SELECT key FROM seen WHERE key IN ('ada', 'eve')"));
}).catch((error) => postMessage(String(error)));
