export { getLoadablePath, load } from "./index.js";
