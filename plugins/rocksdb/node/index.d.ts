/** Importing the package registers the filter policies. The package exports nothing. */
export {};
