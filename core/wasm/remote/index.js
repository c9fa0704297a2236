// As ../index.js, for RemoteFilter alone: remote.wasm and copies of what that module's code takes lie beside this file.
import { start } from "./start.js";

export { CrivoError } from "./keys.js";
export { RemoteFilter } from "./remote.js";

const url = new URL("remote.wasm", import.meta.url);
const response = await fetch(url);
if (!response.ok) throw new Error(`remote.wasm must lie beside index.js, got ${response.status} for ${url}`);
await start(await response.arrayBuffer());
