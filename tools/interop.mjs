/** `npm run interop`: tests with servers that nothing else needs, and tests of the API behind PgBouncer. */
import { runChecks, testStage } from './run-checks.mjs';

await runChecks('interop', [[[testStage('tools/jest-interop.config.mjs', { PETS_TEST_POOLER: 'pgbouncer' })]]]);
