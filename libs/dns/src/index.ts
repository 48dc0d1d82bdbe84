export { DnsServers, type DnsCheck, type DnsLimits, type DnsServer } from './dns-servers.js';
export { gatherCaa } from './gather-caa.js';
export { gatherDns } from './gather-dns.js';
export { isPublicAddress } from './public-address.js';
