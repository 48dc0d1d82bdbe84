export { issuePlatformCertificate, openAuthority } from './dev-ca/authority.js';
export { copyRepository } from './dev/repository-copy.js';
export { startDevCa, type DevCa } from './dev-ca/dev-ca.js';
export { startDevDns, type DevDns } from './dev-dns/dev-dns.js';
export { writeEdgeSnapshot, type EdgeSnapshotContent } from './edge-snapshot.js';
export { freePort } from './ports.js';
export { startPostgres, type RunningPostgres } from './postgres/postgres.js';
export { keepTemplate } from './postgres/template.js';
export { describeExit, startChild, type RunningChild } from './processes/child.js';
export { sharedReaper } from './processes/reaper.js';
export { startStack, type RunningStack } from './stack.js';
export type { DevFile } from './supervisor/dev-file.js';
export { repositoryRoot } from './supervisor/services.js';
export { startPebble, type Pebble, type PebbleOptions } from './services/pebble.js';
export { isInstalled, programPath, startServiceProcess, type ServiceProcess } from './services/service-process.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { waitUntil } from './wait-until.js';
export { createScenarioClient, type ScenarioClient } from './scenario/scenario-client.js';
export { runScenario } from './scenario/scenario.js';
export {
  brokenSetups,
  createRecords,
  DEV_EDGE_ADDRESS,
  openDevRecords,
  type DevRecords,
} from './scenario/dev-records.js';
