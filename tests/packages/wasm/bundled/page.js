// Both packages in a bundler's output: Filter in the page, and SQLite in a worker, with its database in OPFS.
import { Filter } from "crivo-wasm";

const filter = Filter.build(["ada"]);
const say = (sql) => {
  const said = { filter: [filter.has("ada"), filter.has("eve")], sql };
  fetch(`result?${encodeURIComponent(JSON.stringify(said))}`);
};
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => say(data);
worker.onerror = ({ message }) => say(message);
