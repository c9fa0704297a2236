// For Node, whose fetch reads no files.
import { readFile } from "node:fs/promises";
import { start } from "./start.js";

export { CrivoError } from "./keys.js";
export { RemoteFilter } from "./remote.js";

await start(await readFile(new URL("remote.wasm", import.meta.url)));
