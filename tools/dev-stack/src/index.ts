export {
  issuePlatformCertificate,
  openAuthority,
  type CertificateAuthority,
  type KeyAndChain,
} from './dev-ca/authority.js';
export { startDevCa, type DevCa, type DevCaOptions } from './dev-ca/dev-ca.js';
export { startDevDns, type DevDns, type DevDnsOptions } from './dev-dns/dev-dns.js';
export type { ZoneRecord, ZoneRecordType } from './dev-dns/record-data.js';
export type { Failure, FailureCode } from './dev-dns/zone.js';
export { freePort } from './ports.js';
export { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres/postgres.js';
export { describeExit, startChild, type ChildSpec, type Exit, type RunningChild } from './processes/child.js';
export { sharedReaper, startReaper, type Reaper } from './processes/reaper.js';
export { startStack, type RunningStack, type StackOptions } from './stack.js';
export { devFilePath, readDevFile, type DevFile } from './supervisor/dev-file.js';
export { repositoryRoot } from './supervisor/services.js';
export { startPebble, type Pebble, type PebbleOptions } from './services/pebble.js';
export {
  isInstalled,
  programPath,
  startServiceProcess,
  type ServiceProcess,
  type ServiceProcessOptions,
} from './services/service-process.js';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { waitUntil, type WaitOptions } from './wait-until.js';
export { createStoryClient, type Answer, type StoryClient, type Visit } from './story/story-client.js';
export { tellStory, type Telling } from './story/story.js';
export { openDevRecords, type DevRecords, type DnsRecord } from './story/dev-records.js';
