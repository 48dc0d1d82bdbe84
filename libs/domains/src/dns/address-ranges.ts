import { isInRange, parseIpAddress, type IpAddress } from './ip-address.js';

type Range = readonly [network: string, prefixLength: number];

/**
 * IPv4 addresses that no server of a customer has: each row of the IANA IPv4 Special-Purpose Address Registry, including the
 * globally reachable ones (anycast services and sinks), multicast (RFC 5771), and internal addresses of clouds.
 */
const specialIpv4: readonly Range[] = [
  ['0.0.0.0', 8], // this network (RFC 791 §3.2)
  ['10.0.0.0', 8], // private use (RFC 1918)
  ['100.64.0.0', 10], // shared address space (RFC 6598); Alibaba Cloud’s metadata at 100.100.100.200
  ['127.0.0.0', 8], // loopback (RFC 1122 §3.2.1.3)
  ['169.254.0.0', 16], // link-local (RFC 3927); metadata of AWS, Azure, Google Cloud at 169.254.169.254
  ['172.16.0.0', 12], // private use (RFC 1918)
  ['192.0.0.0', 24], // IETF protocol assignments (RFC 6890 §2.1); Oracle Cloud’s metadata at 192.0.0.192
  ['192.0.2.0', 24], // documentation, TEST-NET-1 (RFC 5737)
  ['192.31.196.0', 24], // AS112-v4 (RFC 7535)
  ['192.52.193.0', 24], // AMT (RFC 7450)
  ['192.88.99.0', 24], // 6to4 relay anycast, deprecated (RFC 7526)
  ['192.168.0.0', 16], // private use (RFC 1918)
  ['192.175.48.0', 24], // direct delegation AS112 service (RFC 7534)
  ['198.18.0.0', 15], // benchmarking (RFC 2544)
  ['198.51.100.0', 24], // documentation, TEST-NET-2 (RFC 5737)
  ['203.0.113.0', 24], // documentation, TEST-NET-3 (RFC 5737)
  ['224.0.0.0', 4], // multicast (RFC 5771)
  ['240.0.0.0', 4], // reserved, and limited broadcast (RFC 1112 §4, RFC 8190)
  ['168.63.129.16', 32], // Azure’s platform services, from inside a virtual machine
  ['161.26.0.0', 16], // IBM Cloud’s service network
  ['166.8.0.0', 14], // IBM Cloud’s service network
  ['199.36.153.0', 28], // Google Cloud’s private.googleapis.com and restricted.googleapis.com
];

/**
 * All of IPv6 that is global unicast (RFC 4291 §2.4, IANA IPv6 Address Space). Other addresses are refused: loopback,
 * `::/96` (IPv4-compatible), `::ffff:0:0/96` (IPv4-mapped), `::ffff:0:0:0/96` (SIIT, RFC 7915), `64:ff9b::/96` and
 * `64:ff9b:1::/48` (NAT64, RFC 6052 and 8215), `100::/64` and `100:0:0:1::/64` (discard and dummy, RFC 6666 and 9780),
 * `5f00::/16` (segment routing, RFC 9602), `fc00::/7` (unique local, with `fd00:ec2::254` of AWS), `fe80::/10`,
 * `fec0::/10` (site-local, RFC 3879), `ff00::/8` (multicast), and what is not assigned.
 */
const globalIpv6: Range = ['2000::', 3];

/** The ranges of it in the IANA IPv6 Special-Purpose Address Registry. */
const specialIpv6: readonly Range[] = [
  ['2001::', 23], // IETF protocol assignments (RFC 2928): Teredo, benchmarking, AMT, ORCHID and others
  ['2001:db8::', 32], // documentation (RFC 3849)
  ['2002::', 16], // 6to4, with an IPv4 address inside (RFC 3056)
  ['2620:4f:8000::', 48], // direct delegation AS112 service (RFC 7534)
  ['3ffe::', 16], // 6bone, returned (RFC 3701)
  ['3fff::', 20], // documentation (RFC 9637)
];

const special = [...specialIpv4, ...specialIpv6].map(rangeOf);
const global = rangeOf(globalIpv6);

/**
 * Whether an address belongs to the public Internet. Owners of zones and webhooks choose the addresses of their servers,
 * and must not make this process send packets into its own network. Call this before every request to an address that a
 * customer chose. A zone id (`fe80::1%eth0`, RFC 4007 §11) names an interface of this machine and is refused.
 */
export function isPublicAddress(address: string): boolean {
  const ip = parseIpAddress(address);
  if (ip === null || special.some((range) => contains(range, ip))) return false;
  return ip.family === 4 || contains(global, ip);
}

interface ParsedRange {
  readonly network: IpAddress;
  /** Bits of the part that differs between the addresses of the range. */
  readonly hostBits: bigint;
}

function rangeOf([network, prefixLength]: Range): ParsedRange {
  const parsed = parseIpAddress(network);
  if (parsed === null) throw new Error(`${network} is not an address`);
  return { network: parsed, hostBits: BigInt((parsed.family === 4 ? 32 : 128) - prefixLength) };
}

function contains({ network, hostBits }: ParsedRange, { family, bits }: IpAddress): boolean {
  return family === network.family && bits >> hostBits === network.bits >> hostBits;
}

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
