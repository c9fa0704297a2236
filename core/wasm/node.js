// For Node, whose fetch reads no files.
import { readFile } from "node:fs/promises";
import { start } from "./start.js";

export { CrivoError, Filter, RemoteFilter, Sketch, sketchSymbols } from "./all.js";

await start(await readFile(new URL("crivo.wasm", import.meta.url)));
