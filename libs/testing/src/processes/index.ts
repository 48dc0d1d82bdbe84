/** Processes of this machine that end with ours: how they are started, stopped and waited for, and their ports. */
export {
  describeExit,
  startChild,
  untilReady,
  type ChildSpec,
  type LineSink,
  type ReadySpec,
  type RunningChild,
} from './child.js';
export { assertPortsFree, freePort, type WantedPort } from './ports.js';
export { sharedReaper, startReaper, type Reaper } from './reaper.js';
export { startTestRedis, type TestRedis } from './redis.js';
export { repositoryRoot } from './repository-root.js';
export { sharedInProcess } from './shared-in-process.js';
export { isInstalled, programPath } from './service-process.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { waitUntil, whileAlive } from './wait-until.js';
