/** PostgreSQL servers of our own. */
export { preparePostgres, startPostgres, waitForPostgres, type RunningPostgres } from './postgres.js';
export { clusterTemplate, testPostgresSettings, type TestPostgresContents } from './postgres-template.js';
export { startPostgresServer, type PostgresServer } from './postgres-server.js';
export { startTestPostgres, type TestPostgres } from './test-postgres.js';
