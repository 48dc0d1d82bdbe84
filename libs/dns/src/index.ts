export { DnsServers, type DnsCheck, type DnsLimits, type DnsServer } from './dns-servers.js';
export { gatherCaa, gatherDns } from './gather-dns.js';
export { isPublicAddress } from './public-address.js';
