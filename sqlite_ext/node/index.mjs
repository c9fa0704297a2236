// The package for import; index.js says what it does.
export { getLoadablePath, load } from "./index.js";
