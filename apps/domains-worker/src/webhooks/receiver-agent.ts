import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { errorCodeOf, isPublicAddress } from '@pets/domains';
import { Agent, buildConnector } from 'undici';

const CONNECT_LIMIT_MS = 10_000;

/**
 * Connects to receivers and to nothing else: every address is checked before a packet is sent, a literal one in the URL too.
 * Certificates are verified. The API limits the concurrent requests to a receiver, before a job has a slot here: one that
 * waits for a connection would keep others from it.
 * @param ca PEM, instead of the public CAs
 */
export function createReceiverAgent(addresses: ReceiverAddresses, ca?: string): Agent {
  const connect = buildConnector({
    timeout: CONNECT_LIMIT_MS,
    lookup: addresses.lookup,
    allowH2: false,
    ...(ca !== undefined && { ca }),
  });
  return new Agent({
    connect: (options, callback) => {
      const host = withoutBrackets(options.hostname);
      if (isIP(host) === 0) return connect(options, callback);
      // An address is not looked up, so it is checked here.
      addresses.find(host).then(
        () => connect(options, callback),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

function withoutBrackets(hostname: string): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

export interface ReceiverAddressesOptions {
  /** Whether receivers may have private addresses. */
  readonly allowsPrivate: boolean;
  /** Resolvers, `address:port`. The default is the system's. */
  readonly servers?: readonly string[];
}

const RESOLVE_LIMIT_MS = 2_000;
const RESOLVE_ATTEMPTS = 2;

const loopback = ['127.0.0.1', '::1'] as const;

/**
 * Resolves the hosts of receivers. URLs come from strangers, so addresses that are not on the public Internet are refused.
 * The connection goes to the addresses that were checked here, since the next query for the name may have another answer.
 *
 * Names are resolved over DNS only: `getaddrinfo` would block one of the process's few threads for as long as a stranger's
 * servers do not answer.
 */
export class ReceiverAddresses {
  readonly #resolver = new Resolver({ timeout: RESOLVE_LIMIT_MS, tries: RESOLVE_ATTEMPTS });
  readonly #allowsPrivate: boolean;

  constructor({ allowsPrivate, servers }: ReceiverAddressesOptions) {
    this.#allowsPrivate = allowsPrivate;
    if (servers !== undefined) this.#resolver.setServers(servers);
  }

  /** @param host a name or an address. @throws Error when there is no address, or none that is allowed */
  async find(host: string): Promise<readonly string[]> {
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const allowed = this.#allowsPrivate ? addresses : addresses.filter(isPublicAddress);
    if (allowed.length === 0) throw new Error(`${host} has no address on the public Internet`);
    return allowed;
  }

  /** For `net.connect`, which calls it only for names. */
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

  async #resolve(host: string): Promise<readonly string[]> {
    // RFC 6761 §6.3: resolvers need not answer for it.
    if (host === 'localhost' || host.endsWith('.localhost')) return loopback;
    const answers = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const codes = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [errorCodeOf(answer.reason) ?? 'failed'] : [],
    );
    throw new Error(`no address found for ${host} (${[...new Set(codes)].join(', ')})`);
  }
}
