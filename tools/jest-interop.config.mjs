import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import preset from '../jest.preset.js';
import pool from './jest-pool.config.mjs';

/** Tests of the API that also pass behind PgBouncer: each kind of statement, transaction, lock and notification. */
const behindPgBouncer = [
  ...['admin', 'domain-ownership', 'verification', 'certificates', 'edge-snapshots', 'event-stream', 'idempotency'],
  ...['pets', 'shared-reading', 'webhook-dispatch'],
];

const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { timeout: 5_000 }).status === 0;

/** Tests with servers that `npm test` does without. */
export default {
  ...pool,
  projects: pool.projects.map((rootDir) => {
    const displayName = basename(rootDir);
    const tests = hasPgBouncer && displayName === 'pets-api' ? behindPgBouncer : [];
    const testMatch = ['**/test/**/*.interop.ts', ...tests.map((name) => `**/test/**/${name}.test.ts`)];
    return { ...preset, rootDir, displayName, testMatch };
  }),
};
