export { DnsServers, type DnsCheck, type DnsLimits, type DnsServer, type ResolverLookups } from './dns-servers.js';
export { DnsUpdateError, DnsUpdater } from './dns-updater.js';
export { gatherCaa, gatherDns } from './gather-dns.js';
export type { TxtPropagation } from './txt-propagation.js';
