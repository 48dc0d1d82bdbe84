/** Injection tokens for everything that is opened once for the process. */
export const CONFIG = Symbol('configuration');
export const LOG = Symbol('logger');
/** Pipelines for short prepared statements; two, so that reading does not wait for another's commit. */
export const READS = Symbol('reads');
export const WRITES = Symbol('writes');
/** A pipeline for finding out whose a key or a session is. */
export const AUTHENTICATION = Symbol('authentication');
export const DATABASE = Symbol('database');
/** One connection to PostgreSQL itself, opened when it is used, for locks that belong to a session. */
export const SESSION_DATABASE = Symbol('session database');
export const NOTIFICATIONS = Symbol('notifications');
export const MESSAGING = Symbol('messaging');
export const STORAGE = Symbol('file storage');
export const CLOCK = Symbol('clock');
/** The built dashboard, in memory. */
export const DASHBOARD = Symbol('dashboard');
