/** Importing the package registers the filter policies. It exports nothing. */
export {};
