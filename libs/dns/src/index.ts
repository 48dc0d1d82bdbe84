export {
  DnsServers,
  type DnsCheck,
  type DnsLimits,
  type DnsServer,
  type DnsServersOptions,
  type DnsZone,
} from './dns-servers.js';
export { gatherCaa } from './gather-caa.js';
export { gatherDns } from './gather-dns.js';
export { isPublicAddress } from './public-address.js';
export type { ServerAddress } from './server-address.js';
