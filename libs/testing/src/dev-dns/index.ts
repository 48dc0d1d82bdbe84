/** The development DNS server. */
export { startDevDns, type DevDns } from './dev-dns.js';
export { ZONE_SERVER_ADDRESSES, type secondServerStates } from './second-servers.js';
