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
  DevCaOptions,
  DevDns,
  DevFile,
  Pebble,
  PebbleOptions,
  RunningStack,
  ServiceProcess,
  TcpProxy,
  WaitOptions,
} from '@pets/dev-stack';
export { startChalltestsrv, type Challtestsrv } from './challtestsrv.js';
export { startFaultProxy, type Fault, type FaultProxy } from './fault-proxy.js';
export { alertExpressions, dashboardExpressions, observedMetrics } from './observability.js';
export { describeWhen, skipSuite } from './skipped-suites.js';
export { scratchDatabase, startTestPostgres, type ScratchDatabase, type TestPostgres } from './test-postgres.js';
export { startTestRedis, type TestRedis } from './test-redis.js';
