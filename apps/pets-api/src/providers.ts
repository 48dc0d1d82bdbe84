/** Injection tokens of what is opened once for the whole process. */
export const CONFIG = Symbol('configuration');
export const LOG = Symbol('logger');
/** The pool below it, for prepared statements. */
export const POOL = Symbol('pool');
export const DATABASE = Symbol('database');
export const NOTIFICATIONS = Symbol('notifications');
export const MESSAGING = Symbol('messaging');
export const STORAGE = Symbol('file storage');
export const CLOCK = Symbol('clock');
