import { BlockList, isIP } from 'node:net';

/**
 * What no server on the Internet has for an address (IANA special-purpose registries): this host, private and shared
 * networks, link-local, multicast, reserved. Forms that carry an IPv4 address inside IPv6 are refused whole. There are two
 * lists, since one would take `::ffff:0:0/96` for every IPv4 address.
 */
const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, length] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  notPublic.ipv4.addSubnet(network, length, 'ipv4');
for (const [network, length] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  notPublic.ipv6.addSubnet(network, length, 'ipv6');

/**
 * Whether an address is one of the public Internet. A stranger's zone says where its servers are: it must not have this
 * process send packets into the network it stands in.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic.ipv4.check(address, 'ipv4');
    case 6:
      return !notPublic.ipv6.check(address, 'ipv6');
    default:
      return false;
  }
}
