import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { PromiseCache } from '@pets/async';

interface CheckedAddressesOptions {
  /** Whether this process may connect to an address. */
  readonly isAllowed: (address: string) => boolean;
  /** Resolvers, `address:port`. The default is the system's. */
  readonly servers?: readonly string[];
  /** Answers are kept for their TTL, at most so many seconds; 0 (the default) asks again each time. */
  readonly maxTtlSeconds?: number;
}

/** The reason why a host has no address to connect to. */
export class AddressError extends Error {
  override readonly name = 'AddressError';

  /** @param reason `dns`: no answer with an address; `not_allowed`: none that is allowed */
  constructor(
    readonly reason: 'dns' | 'not_allowed',
    message: string,
  ) {
    super(message);
  }
}

const RESOLVE_LIMIT_MS = 2_000;
const RESOLVE_ATTEMPTS = 2;
const MAX_NAMES = 10_000;
const MIN_TTL_SECONDS = 1;

const loopback = ['127.0.0.1', '::1'] as const;

interface Answer {
  readonly addresses: readonly string[];
  readonly ttlSeconds: number;
}

/**
 * Resolves hosts that customers choose. They must not make this process send packets into its own network, so each address is
 * checked before it is used. The connection goes to the addresses that were checked here, since the next query for the name may
 * have another answer.
 *
 * Names are resolved over DNS only: `getaddrinfo` would block one of the process's few threads for as long as a stranger's
 * servers do not answer.
 */
export class CheckedAddresses {
  readonly #resolver = new Resolver({ timeout: RESOLVE_LIMIT_MS, tries: RESOLVE_ATTEMPTS });
  readonly #isAllowed: (address: string) => boolean;
  readonly #answers: PromiseCache<Answer>;

  constructor({ isAllowed, servers, maxTtlSeconds = 0 }: CheckedAddressesOptions) {
    this.#isAllowed = isAllowed;
    if (servers !== undefined) this.#resolver.setServers(servers);
    this.#answers = new PromiseCache({
      maxEntries: MAX_NAMES,
      ttlMs: 2 * RESOLVE_LIMIT_MS * RESOLVE_ATTEMPTS,
      ttlMsOf: ({ ttlSeconds }) => 1_000 * Math.min(Math.max(ttlSeconds, MIN_TTL_SECONDS), maxTtlSeconds),
    });
  }

  /** @param host a name or an address. @throws AddressError when there is no address, or none that is allowed */
  async find(host: string): Promise<readonly string[]> {
    const addresses = isIP(host) === 0 ? (await this.#resolve(host)).addresses : [host];
    const allowed = addresses.filter(this.#isAllowed);
    if (allowed.length === 0) throw new AddressError('not_allowed', `${host} has no address on the public Internet`);
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

  #resolve(host: string): Promise<Answer> {
    // RFC 6761 §6.3: resolvers need not answer for it.
    if (host === 'localhost' || host.endsWith('.localhost'))
      return Promise.resolve({ addresses: loopback, ttlSeconds: 0 });
    return this.#answers.get(host, () => this.#query(host));
  }

  async #query(host: string): Promise<Answer> {
    const answers = await Promise.allSettled([
      this.#resolver.resolve4(host, { ttl: true }),
      this.#resolver.resolve6(host, { ttl: true }),
    ]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0)
      return {
        addresses: found.map(({ address }) => address),
        ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
      };
    const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []));
    throw new AddressError('dns', `no address found for ${host} (${[...new Set(codes)].join(', ')})`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
}
