export * from './database.js';
export * from './migrate.js';
export * from './notifications.js';
export type * from './tables.js';
