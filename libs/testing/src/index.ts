/**
 * What tests stand on: real services that are made in moments and gone with the test process, whatever it dies of.
 * Nothing here is imported by anything but tests.
 */
export { freePort, startDevCa, startDevDns, startStack, startTcpProxy, waitUntil } from '@pets/dev-stack';
export type { DevCa, DevDns, DevFile, RunningStack, TcpProxy, WaitOptions } from '@pets/dev-stack';
export { startChalltestsrv, type Challtestsrv } from './challtestsrv.js';
export { startPebble, type Pebble, type PebbleOptions } from './pebble.js';
export { describeWhen, skipSuite } from './skipped-suites.js';
export { scratchDatabase, startTestPostgres, type ScratchDatabase, type TestPostgres } from './test-postgres.js';
export { isInstalled, startTestProcess, type TestProcess, type TestProcessOptions } from './test-process.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
