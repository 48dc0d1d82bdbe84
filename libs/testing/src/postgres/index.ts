/** PostgreSQL servers of our own. */
export { keepTemplate, preparePostgres, startPostgres, waitForPostgres, type RunningPostgres } from './postgres.js';
export type { TestPostgresContents } from './postgres-template.js';
export { startTestPostgres, type TestPostgres } from './test-postgres.js';
