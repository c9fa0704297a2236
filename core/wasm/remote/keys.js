// Has no state, and so is one for both modules.
export * from "../keys.js";
