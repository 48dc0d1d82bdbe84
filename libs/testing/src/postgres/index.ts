/** PostgreSQL servers of our own. */
export { keepTemplate, preparePostgres, startPostgres, waitForPostgres, type RunningPostgres } from './postgres.js';
export { startTestPostgres, type TestPostgres, type TestPostgresContents } from './test-postgres.js';
