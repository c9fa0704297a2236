// The package for import; index.js says what it does.
export { CrivoError, Filter, RemoteFilter, Sketch, getLoadablePath, load, sketchSymbols } from "./index.js";
