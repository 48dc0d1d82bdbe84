import { isInRange } from './ip-address.js';

/**
 * Addresses of Cloudflare's proxies, from https://www.cloudflare.com/ips/ as last changed on 28 September 2023. A name
 * whose proxy is on answers with these instead of its record. If a range is missing here, the address is reported as a
 * conflict instead.
 */
const cloudflareRanges = [
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
] as const;

/** Host names that customers of proxies point to. */
const proxySuffixes = [
  ['cdn.cloudflare.net', 'Cloudflare'],
  ['cloudfront.net', 'Amazon CloudFront'],
  ['fastly.net', 'Fastly'],
  ['fastlylb.net', 'Fastly'],
  ['edgekey.net', 'Akamai'],
  ['edgesuite.net', 'Akamai'],
  ['akamaized.net', 'Akamai'],
  ['azurefd.net', 'Azure Front Door'],
  ['azureedge.net', 'Azure CDN'],
  ['b-cdn.net', 'Bunny'],
  ['impervadns.net', 'Imperva'],
] as const;

/** The proxy service of an address, or null. */
export function proxyOfAddress(address: string): string | null {
  return cloudflareRanges.some((range) => isInRange(address, range)) ? 'Cloudflare' : null;
}

/** The proxy service of a host name, or null. */
export function proxyOfHost(host: string): string | null {
  return proxySuffixes.find(([suffix]) => host === suffix || host.endsWith(`.${suffix}`))?.[1] ?? null;
}
