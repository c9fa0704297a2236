/** Importing the package makes the filter policies known; there is nothing else in it. */
export {};
