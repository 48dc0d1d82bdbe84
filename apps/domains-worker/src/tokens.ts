/** What `main` makes and the module hands out. */
export const CONFIGURATION = Symbol('configuration');
export const MESSAGING = Symbol('messaging');
export const LOG = Symbol('log');
