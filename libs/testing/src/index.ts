/**
 * Real services for tests, which start in a moment and end with the test process, however it ends. Benchmarks and
 * `npm start` import only parts of it, which load less: `@pets/testing/processes` and others.
 */
export { startDevCa, type DevCa } from './dev-ca/dev-ca.js';
export { startPebble, type Pebble, type PebbleOptions, startChalltestsrv } from './dev-ca/pebble.js';
export { startDevDns, type DevDns } from './dev-dns/dev-dns.js';
export { writeEdgeSnapshot, type EdgeSnapshotContent } from './edge-snapshot.js';
export { freePort } from './processes/ports.js';
export { makeTemporaryFolder } from './processes/reaper.js';
export { isInstalled, startServiceProcess, type ServiceProcess } from './processes/service-process.js';
export { startTcpProxy, type TcpProxy } from './processes/tcp-proxy.js';
export { borrow } from './processes/shared-in-process.js';
export { waitUntil } from './processes/wait-until.js';
export { chromiumLaunch, missingBrowser, describeWhen } from './skipped-suites.js';
export { expectedDns } from './expected-dns.js';
export { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.js';
export { startBind, startKnot, type NameServerOptions, type NameServerProcess } from './name-server.js';
export { observedMetrics } from './observability.js';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
export { startPgBouncer, type PgBouncer } from './postgres/pgbouncer.js';
export { createTestCa, testKeys, type TestCa, type TestLeaf, type TestLeafOptions } from './test-ca.js';
export {
  scratchDatabase,
  startTestPostgres,
  type ScratchDatabase,
  type TestPostgres,
  startTestPostgresServer,
} from './postgres/test-postgres.js';
export type { PostgresServer } from './postgres/postgres-server.js';
export { startTestRedis, type TestRedis } from './processes/redis.js';
export { plainPng, pngChunk, pngOf, webpChunk, webpOf, webps } from './images.js';
export {
  startTestBucket,
  testAuthentication,
  testQueueKeys,
  testQueueSettings,
  type TestBucket,
} from './test-stores.js';
export * from './identity-provider.js';
