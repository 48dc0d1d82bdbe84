import { BlockList, isIP } from 'node:net';

/** Addresses of this machine and of private networks (RFC 1918, RFC 4193): where plain HTTP may be allowed. */
const privateAddresses = new BlockList();
for (const [network, length] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateAddresses.addSubnet(network, length, 'ipv4');
privateAddresses.addAddress('::1', 'ipv6');
privateAddresses.addSubnet('fc00::', 7, 'ipv6');

/**
 * Checks the URL of a webhook endpoint; null when it is valid. The sender checks the addresses of a host name when it sends
 * a request, since they can change until then.
 * @param allowsPrivate whether private addresses are allowed, as in development
 */
export function validateWebhookUrl(url: string, allowsPrivate: boolean): string | null {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return null;
  if (allowsPrivate) return isPrivate(hostname) ? null : 'must be https, or http at an address of a private network';
  return 'must be https';
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  switch (isIP(host)) {
    case 4:
      return privateAddresses.check(host, 'ipv4');
    case 6:
      return privateAddresses.check(host, 'ipv6');
    default:
      return host === 'localhost' || host.endsWith('.localhost');
  }
}
