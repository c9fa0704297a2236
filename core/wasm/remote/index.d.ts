export { CrivoError, RemoteFilter, type Info, type Key, type RemoteOptions } from "../index.js";
