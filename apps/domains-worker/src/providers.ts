/** What `main` makes and the module hands out. */
export const CONFIG = Symbol('config');
export const MESSAGING = Symbol('messaging');
export const LOG = Symbol('log');
/** Made only where tests are in a hurry. */
export const DNS_LIMITS = Symbol('dns limits');
