import { BlockList, isIP } from 'node:net';

/** A set of addresses and networks in CIDR form. */
export class Networks {
  readonly #list = new BlockList();

  /** @param networks each accepted by `isNetwork` */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      const family = familyOf(address);
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  get isEmpty(): boolean {
    return this.#list.rules.length === 0;
  }

  /** @param address an IP address, without a zone */
  includes(address: string): boolean {
    return this.#list.check(address, familyOf(address));
  }
}

/** Whether a text is an IP address or a network in CIDR form. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
}

/**
 * The key of limits per address: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has a complete /64
 * (RFC 6177 §2) and could use a new address each time. An IPv4-mapped IPv6 address counts as IPv4.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [unscoped = ''] = address.split('%', 1);
  const [head = '', tail] = unscoped.split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
