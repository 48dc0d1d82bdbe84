import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from '@pets/dns';
import { errorCodeOf } from '@pets/domains';

export interface ReceiverAddressesOptions {
  /** Whether receivers may stand in the network this process stands in. */
  readonly allowsPrivate: boolean;
  /** Resolvers to ask, `address:port`; the system's unless given. */
  readonly servers?: readonly string[];
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

const loopback = ['127.0.0.1', '::1'] as const;

/**
 * Where receivers are. URLs come from strangers, so an address that is not on the public Internet is refused; and since a
 * name may lead elsewhere at the next question, what is connected to is exactly what was looked at here.
 *
 * Names are asked for over DNS alone: `getaddrinfo` would occupy one of the process's few threads for as long as a
 * stranger's servers keep it waiting.
 */
export class ReceiverAddresses {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  private readonly allowsPrivate: boolean;

  constructor({ allowsPrivate, servers }: ReceiverAddressesOptions) {
    this.allowsPrivate = allowsPrivate;
    if (servers !== undefined) this.resolver.setServers(servers);
  }

  /** Of a name, or an address itself. @throws Error when there is none, or none that may be connected to */
  async find(host: string): Promise<readonly string[]> {
    const addresses = isIP(host) === 0 ? await this.resolve(host) : [host];
    const allowed = this.allowsPrivate ? addresses : addresses.filter(isPublicAddress);
    if (allowed.length === 0) throw new Error(`${host} has no address on the public Internet`);
    return allowed;
  }

  /** For `net.connect`, which asks it for names alone. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.find(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };

  private async resolve(host: string): Promise<readonly string[]> {
    // RFC 6761 §6.3: resolvers need not know it.
    if (host === 'localhost' || host.endsWith('.localhost')) return loopback;
    const answers = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const codes = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [errorCodeOf(answer.reason) ?? 'failed'] : [],
    );
    throw new Error(`no address of ${host} was found (${[...new Set(codes)].join(', ')})`);
  }
}
