/**
 * What tests stand on: real services that are made in moments and gone with the test process, whatever it dies of.
 * Nothing here is imported by anything but tests.
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
} from '@pets/dev-stack';
export type {
  DevCa,
  DevDns,
  DevFile,
  Pebble,
  PebbleOptions,
  RunningStack,
  ServiceProcess,
  TcpProxy,
} from '@pets/dev-stack';
export { startChalltestsrv } from './challtestsrv.js';
export { chromiumLaunch } from './chromium.js';
export { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.js';
export { observedMetrics } from './observability.js';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
export { describeWhen } from './skipped-suites.js';
export { scratchDatabase, startTestPostgres, type ScratchDatabase, type TestPostgres } from './test-postgres.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
