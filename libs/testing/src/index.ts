/**
 * Real services for tests, which start in a moment and end with the test process, however it ends. Only tests import
 * this library.
 */
export {
  freePort,
  isInstalled,
  startDevCa,
  startDevDns,
  startPebble,
  startServiceProcess,
  startStack,
  startTcpProxy,
  waitUntil,
  writeEdgeSnapshot,
} from '@pets/dev-stack';
export type {
  DevCa,
  DevDns,
  DevFile,
  EdgeSnapshotContent,
  Pebble,
  PebbleOptions,
  RunningStack,
  ServiceProcess,
  TcpProxy,
} from '@pets/dev-stack';
export { startChalltestsrv } from './challtestsrv.js';
export { chromiumLaunch, missingBrowser } from './chromium.js';
export { expectedDns } from './expected-dns.js';
export { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.js';
export { startBind, startKnot, type NameServerOptions, type NameServerProcess } from './name-server.js';
export { observedMetrics } from './observability.js';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
export { startPgBouncer, type PgBouncer } from './pgbouncer.js';
export { describeWhen } from './skipped-suites.js';
export { createTestCa, testKeys, type TestCa, type TestLeaf, type TestLeafOptions } from './test-ca.js';
export { scratchDatabase, startTestPostgres, type ScratchDatabase, type TestPostgres } from './test-postgres.js';
export { startTestPostgresServer, type TestPostgresServer } from './test-postgres-server.js';
export { sharedTestStack, type SharedTestStack } from './shared-stack.js';
export { startTestStack } from './test-stack.js';
export {
  startTestBucket,
  startTestRedis,
  testAuthentication,
  testQueueKeys,
  testQueueSettings,
  type TestBucket,
  type TestRedis,
} from './test-stores.js';
export * from './identity-provider.js';
