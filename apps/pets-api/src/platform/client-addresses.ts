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
  #warn: ((peer: string) => void) | null;

  /**
   * @param trusted addresses and networks in CIDR form
   * @param warn is called once, for the first forwarded header from another address: a proxy that is not configured, whose
   * clients all share its address, or a client that invents one
   */
  constructor(trusted: readonly string[], warn: (peer: string) => void) {
    this.#trusted = new Networks(trusted);
    this.#warn = warn;
  }

  /** Null once the connection is gone. */
  of({
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }): string | null {
    let address = normalized(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (this.#warn !== null && (forwarded ?? headers.forwarded) !== undefined) this.#warnOfUntrusted(address);
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

  #warnOfUntrusted(peer: string | null): void {
    if (peer === null || this.#trusted.includes(peer)) return;
    this.#warn?.(peer);
    this.#warn = null;
  }
}

/** IPv4 as such where a socket shows it as IPv6; null for what is no address. */
function normalized(text: string): string | null {
  const address = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(address) === 0 || address.includes('%') ? null : address;
}
