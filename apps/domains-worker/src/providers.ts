/** Created by `main`, provided by the module. */
export const CONFIG = Symbol('config');
export const MESSAGING = Symbol('messaging');
export const LOG = Symbol('log');
/** Optional: tests provide shorter limits. */
export const DNS_LIMITS = Symbol('dns limits');
