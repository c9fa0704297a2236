// The package for import; index.js says what it does.
export { CrivoError, Filter, getLoadablePath, load } from "./index.js";
