import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { originHeadersBinding, originRow, type EdgeOrigin, type EdgeRoute } from '@pets/contracts/edge-feed';
import { isPublicAddress } from '@pets/domains/address-ranges';
import { CheckedAddresses, unseal, type KeyRing } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { EdgeConfig } from '../platform/config.js';
import { normalizeHost } from '../store/host-name.js';
import { AddressBreaker } from './address-breaker.js';
import { connectOrigin, type ConnectDeps, type OriginPlace } from './connect-origin.js';
import { ConnectStreak } from './connect-streak.js';
import { isFieldName, isFieldValue } from './fields.js';
import { OriginError } from './origin-error.js';
import { OriginPool } from './origin-pool.js';

export interface OriginsOptions {
  readonly find: (row: string) => EdgeRoute | undefined;
  /** For `EdgeOrigin.sealedHeaders`. */
  readonly keys: KeyRing;
  readonly platformDomain: string;
  /** Whether applications may be in private networks, at any port, without TLS. */
  readonly allowsPrivate: boolean;
  /** CAs to trust besides the public ones, PEM. */
  readonly extraCa: string | undefined;
  /** How many processes share `maxConnections`. */
  readonly processes: number;
  /** Called when no connection to an application can be opened, and when one was opened again. */
  readonly onConnectivity?: (id: string, isFailing: boolean) => void;
}

/** The options that an edge is configured with. */
export function originsOptions(config: EdgeConfig): Omit<OriginsOptions, 'find' | 'processes' | 'onConnectivity'> {
  return {
    keys: config.CERTIFICATE_KEKS,
    platformDomain: config.PLATFORM_DOMAIN,
    allowsPrivate: config.EDGE_ALLOW_PRIVATE_ORIGINS,
    extraCa: config.EDGE_ORIGIN_CA,
  };
}

/** An application, ready to be used. */
export interface CompiledOrigin {
  readonly origin: EdgeOrigin;
  readonly pool: OriginPool;
  /** Fields of each request, names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  readonly serverName: string;
}

interface CachedOrigin {
  /** Key of the table: a text that is made for each request would be hashed for each. */
  readonly row: string;
  /** The object of the table; another may have the same content. */
  route: EdgeRoute;
  readonly text: string;
  readonly compiled: CompiledOrigin;
}

/** Applications that a process has connections to. Beyond it, the least recently used one is closed. */
const MAX_ORIGINS = 5_000;
/** An answer of DNS is used for at most so long, so that an application that moves is found. */
const MAX_TTL_SECONDS = 60;

/** The applications that this process forwards to, compiled when they are first used and again when they change. */
export class Origins {
  readonly #options: OriginsOptions;
  readonly #addresses: CheckedAddresses;
  readonly #compiled: LRUCache<string, CachedOrigin>;
  readonly #retired = new Set<OriginPool>();
  #secureContext: SecureContext | undefined;

  constructor(options: OriginsOptions) {
    this.#options = options;
    this.#addresses = new CheckedAddresses({
      isAllowed: options.allowsPrivate ? () => true : isPublicAddress,
      maxTtlSeconds: MAX_TTL_SECONDS,
    });
    this.#compiled = new LRUCache({ max: MAX_ORIGINS, dispose: ({ compiled }) => this.#retire(compiled.pool) });
  }

  get size(): number {
    return this.#compiled.size;
  }

  /** Connections of this process to all applications. */
  get connections(): number {
    let count = 0;
    for (const pool of this.#pools()) count += pool.connections;
    return count;
  }

  /**
   * The application of a row of the table.
   * @returns undefined when there is no such row
   * @throws Error when its headers cannot be decrypted
   */
  find(id: string): CompiledOrigin | undefined {
    const cached = this.#compiled.get(id);
    const row = cached?.row ?? originRow(id);
    const route = this.#options.find(row);
    if (cached?.route === route) return cached?.compiled;
    if (route?.serve?.kind !== 'origin') {
      this.#compiled.delete(id);
      return undefined;
    }
    const text = configurationOf(route.serve);
    if (cached?.text === text) {
      cached.route = route;
      return cached.compiled;
    }
    const compiled = this.compile(id, route.serve);
    this.#compiled.set(id, { row, route, text, compiled });
    return compiled;
  }

  /** Fails requests that have waited too long for a connection, and forgets pools that have ended. */
  check(nowMs: number): void {
    for (const pool of this.#pools()) pool.expireWaiting(nowMs);
    for (const pool of this.#retired) if (!pool.isUsed) this.#retired.delete(pool);
  }

  /** Closes idle connections. */
  close(): void {
    this.#compiled.clear();
  }

  /** An application beside those that are kept, such as for one test. */
  compile(id: string, origin: EdgeOrigin): CompiledOrigin {
    const { keys, processes } = this.#options;
    const place = placeOf(origin);
    const streak = new ConnectStreak((isFailing) => this.#options.onConnectivity?.(id, isFailing));
    const maxConnections = Math.max(1, Math.floor(origin.maxConnections / processes));
    const sealed = origin.sealedHeaders;
    const fields = sealed === undefined ? '{}' : unseal(keys, sealed, originHeadersBinding(id));
    return {
      origin,
      pool: new OriginPool(place, maxConnections, { ...this.#newDeps(), streak }),
      fields: parseFields(fields),
      serverName: place.serverName,
    };
  }

  /** Opens a connection to an application, and closes it. @throws OriginError */
  async tryConnection(origin: EdgeOrigin): Promise<void> {
    const { socket, tcp } = await connectOrigin(placeOf(origin), this.#newDeps(), {});
    socket.on('error', () => undefined);
    socket.destroy();
    tcp.destroy();
  }

  #newDeps(): ConnectDeps {
    return {
      addresses: this.#addresses,
      breaker: new AddressBreaker(),
      secureContext: (this.#secureContext ??= this.#trust()),
      assertAllowed: (asked) => this.#assertAllowed(asked),
    };
  }

  *#pools(): Generator<OriginPool> {
    for (const { compiled } of this.#compiled.values()) yield compiled.pool;
    yield* this.#retired;
  }

  #retire(pool: OriginPool): void {
    pool.retire();
    if (pool.isUsed) this.#retired.add(pool);
  }

  #trust(): SecureContext {
    const { extraCa } = this.#options;
    return createSecureContext(extraCa === undefined ? {} : { ca: [...getCACertificates('default'), extraCa] });
  }

  /** Requests to the platform itself would come back here. What its names resolve to is found by `Via`. */
  #assertAllowed({ host, port, isTls }: OriginPlace): void {
    const { platformDomain, allowsPrivate, find } = this.#options;
    const name = normalizeHost(host) ?? '';
    if (`.${name}`.endsWith(`.${platformDomain}`)) throw new OriginError('loop', `${host} is a name of this platform`);
    if (name !== '' && find(name) !== undefined) throw new OriginError('loop', `${host} is served here`);
    if (allowsPrivate) return;
    if (!isTls) throw new OriginError('address_not_allowed', 'the address must begin with https://');
    if (port !== 80 && port !== 443 && port < FIRST_USER_PORT)
      throw new OriginError(
        'address_not_allowed',
        `port ${port} is not allowed: use 80, 443, or one from ${FIRST_USER_PORT}`,
      );
  }
}

/** Ports below are those of other services, such as mail (RFC 6335 §6). */
const FIRST_USER_PORT = 1_024;

/** Describes what a pool is made of: the number of a test changes no connection. */
function configurationOf(origin: EdgeOrigin): string {
  return JSON.stringify({ ...origin, test: 0 });
}

function placeOf({ url, hostHeader, timeouts }: EdgeOrigin): OriginPlace {
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return {
    host,
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    isTls,
    serverName: hostHeader?.replace(/:\d+$/, '') ?? host,
    connectMs: timeouts.connect * 1_000,
  };
}

/** @throws Error when the API has saved what is no header */
function parseFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
    if (!isFieldName(name) || typeof value !== 'string' || !isFieldValue(value))
      throw new Error('the headers of an origin are not valid');
    fields.set(name.toLowerCase(), value);
  }
  return fields;
}
