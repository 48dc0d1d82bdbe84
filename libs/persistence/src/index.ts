export { afterCommit } from './after-commit.js';
export type { Channel } from './channels.js';
export * from './columns.js';
export * from './database.js';
export * from './migrate.js';
export * from './notifications.js';
export * from './pipeline.js';
export type * from './tables.js';
export type { DomainEventTable } from './tables/domains.js';
