import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** No real chain has more proxies, so a longer header is forged. */
const MAX_HOPS = 16;

/**
 * Finds the client address of a request. Each trusted proxy appends the address that it saw to X-Forwarded-For, so the
 * list is read from its end while the sender is a trusted proxy. From any other sender the header is ignored.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList();

  /** @param trusted addresses and networks in CIDR form */
  constructor(trusted: readonly string[]) {
    for (const network of trusted) {
      const [address = '', prefix] = network.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /** Null once the connection is gone. */
  of({
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }): string | null {
    let address = normalized(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return address;
    const hops = [forwarded].flat().join(',').split(',').slice(-MAX_HOPS).reverse();
    for (const hop of hops) {
      if (address === null || !this.#isTrusted(address)) break;
      const before = normalized(hop.trim());
      if (before === null) break;
      address = before;
    }
    return address;
  }

  #isTrusted(address: string): boolean {
    return this.#trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
}

/** IPv4 as such where a socket shows it as IPv6; null for what is no address. */
function normalized(text: string): string | null {
  const address = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(address) === 0 || address.includes('%') ? null : address;
}

/** What limits treat as one client: an IPv4 address, or the /64 of an IPv6 address, which one client usually has whole. */
export function clientNetworkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - before.length - after.length, 0)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => parseInt(group, 16).toString(16)).join(':') + '::/64';
}

/** Whether a text is an address or a network that `ClientAddresses` takes. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
}
