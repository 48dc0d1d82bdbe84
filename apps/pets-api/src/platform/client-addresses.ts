import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Networks } from '@pets/platform';

/** No real chain has more proxies, so a longer header is forged. */
const MAX_HOPS = 16;

/**
 * Finds the client address of a request. Each trusted proxy appends the address that it saw to X-Forwarded-For, so the
 * list is read from its end while the sender is a trusted proxy. From any other sender the header is ignored.
 */
export class ClientAddresses {
  readonly #trusted: Networks;

  /** @param trusted addresses and networks in CIDR form */
  constructor(trusted: readonly string[]) {
    this.#trusted = new Networks(trusted);
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
      if (address === null || !this.#trusted.includes(address)) break;
      const before = normalized(hop.trim());
      if (before === null) break;
      address = before;
    }
    return address;
  }
}

/** IPv4 as such where a socket shows it as IPv6; null for what is no address. */
function normalized(text: string): string | null {
  const address = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(address) === 0 || address.includes('%') ? null : address;
}
