import { BlockList, isIP } from 'node:net';

/** Addresses of this machine and of private networks (RFC 1918, RFC 4193): where plain HTTP may be allowed. */
const inside = new BlockList();
for (const [network, length] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(network, length, 'ipv4');
inside.addAddress('::1', 'ipv6');
inside.addSubnet('fc00::', 7, 'ipv6');

/**
 * Why requests are not sent to a URL, or null. What a name leads to is looked at when a request is sent, by whoever sends
 * it: until then it can change.
 * @param allowsPrivate whether receivers may be inside, as in development
 */
export function findUrlFault(url: string, allowsPrivate: boolean): string | null {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return null;
  if (allowsPrivate) return isInside(hostname) ? null : 'must be https, or http at an address of a private network';
  return 'must be https';
}

function isInside(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  switch (isIP(host)) {
    case 4:
      return inside.check(host, 'ipv4');
    case 6:
      return inside.check(host, 'ipv6');
    default:
      return host === 'localhost' || host.endsWith('.localhost');
  }
}
