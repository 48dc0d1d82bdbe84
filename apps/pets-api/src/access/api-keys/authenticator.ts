import { Inject, Injectable } from '@nestjs/common';
import { afterMs, FairSemaphore, PromiseCache } from '@pets/async';
import type { Database, Pipeline } from '@pets/persistence';
import { addressGroup, RequestError, type Logger } from '@pets/platform';
import type { CompiledQuery, InferResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { AUTHENTICATION, CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { limitRows, LimitsService, type LimitRows } from '../limits/limits.service.js';
import { MinuteLimit } from '../limits/minute-limit.js';
import { organizationSuspension } from '../suspensions/suspensions.repository.js';
import { ApiKeysRepository, isValidAt } from './api-keys.repository.js';
import { hashKey, keyPrefixOf, kindOfKey, type KeyKind } from './key-format.js';

/** A principal without its limits: limits without a row come from the settings of this process. */
type FoundPrincipal = Omit<Principal, 'limits'> & { readonly limitRows: LimitRows };

/**
 * Finds whose a key or a session is. The statements have a connection of their own (`Pipeline`): a request that is not yet
 * known to be somebody's waits for nobody's transactions.
 */
@Injectable()
export class PrincipalsQuery {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(AUTHENTICATION) private readonly pipeline: Pipeline,
  ) {}

  /** The principal of a key, by its hash; null when the key does not exist, was revoked or has expired. */
  async ofKey(hash: Buffer, now: Date): Promise<FoundPrincipal | null> {
    const query = this.db
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.organization_id', 'api_keys.scopes', 'organizations.plan'])
      .select([limitRows.as('limitRows'), organizationSuspension.as('suspendedFor')])
      .where('api_keys.hash', '=', hash)
      .where(isValidAt(now));
    const row = await this.first<InferResult<typeof query>[number]>('principal_of_key', query.compile());
    if (row === undefined) return null;
    return { ...ofOrganization(row), apiKeyId: row.id, sessionId: null, person: null };
  }

  /** The principal of a session, by its hash. A session is valid only as long as the key that opened it. */
  async ofSession(hash: Buffer, now: Date): Promise<FoundPrincipal | null> {
    const query = this.db
      .selectFrom('sessions')
      .innerJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .leftJoin('people', 'people.api_key_id', 'api_keys.id')
      .select([
        'sessions.id',
        'sessions.api_key_id',
        'sessions.created_at',
        'people.id as personId',
        'api_keys.organization_id',
        'api_keys.scopes',
        'organizations.plan',
      ])
      .select([limitRows.as('limitRows'), organizationSuspension.as('suspendedFor')])
      .where('sessions.hash', '=', hash)
      .where('sessions.expires_at', '>', now)
      .where(isValidAt(now));
    const row = await this.first<InferResult<typeof query>[number]>('principal_of_session', query.compile());
    if (row === undefined) return null;
    const person = row.personId === null ? null : { id: row.personId, signedInAt: row.created_at };
    return { ...ofOrganization(row), apiKeyId: row.api_key_id, sessionId: row.id, person };
  }

  private async first<Row extends object>(name: string, { sql, parameters }: CompiledQuery): Promise<Row | undefined> {
    const values = parameters.map((value) =>
      value instanceof Date ? value.toISOString() : (value as string | Buffer),
    );
    const { rows } = await this.pipeline.query<Row>({ name, text: sql, values });
    return rows[0];
  }
}

type OfOrganization = Pick<FoundPrincipal, 'organizationId' | 'plan' | 'scopes' | 'suspendedFor' | 'limitRows'>;

function ofOrganization({
  organization_id: organizationId,
  plan,
  scopes,
  suspendedFor,
  limitRows: rows,
}: Omit<OfOrganization, 'organizationId'> & { readonly organization_id: string }): OfOrganization {
  return { organizationId, plan, scopes, suspendedFor, limitRows: rows };
}

/** Other replicas may accept a revoked key for this long. */
const TTL_MS = 1_000;
/** Bounds memory; keys beyond it cost a query for each request. */
const MAX_ENTRIES = 10_000;

/**
 * Principals by key, for one second from the start of the query, so that a slow database does not prolong it.
 */
@Injectable()
export class PrincipalCache {
  private readonly principals = new PromiseCache<Principal | null>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });

  find(hash: Buffer, query: () => Promise<Principal | null>): Promise<Principal | null> {
    return this.principals.get(hash.toString('base64'), query);
  }

  /** Makes a revocation effective at once on this replica, for the key and its sessions. */
  forgetAll(): void {
    this.principals.clear();
  }
}

/** Look-ups of one client that run at once. */
const SHARE = 4;
/** The same while the client is over its limit of wrong keys. */
const NARROW_SHARE = 2;
/** Look-ups of one client that wait: at a few milliseconds each, all of them start within MAX_WAIT_MS. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

/**
 * Gives each client address a share of the look-ups of keys, so that a flood of unknown keys occupies a bounded part of the
 * database, and a right key among them is found in a bounded time: first come, first served.
 */
class LookupShares {
  readonly #slots: FairSemaphore;

  /** @param isNarrow whether a client is over its limit */
  constructor(isNarrow: (client: string) => boolean) {
    const limit = (client: string) => (isNarrow(client) ? NARROW_SHARE : SHARE);
    this.#slots = new FairSemaphore({ limit, waitingLimit: MAX_WAITING });
  }

  /** @throws RequestError `rate_limited` when the look-up could not start in time */
  async run<Found>(client: string, lookUp: () => Promise<Found>): Promise<Found> {
    const release = await this.#slots.acquire(client, '', afterMs(MAX_WAIT_MS));
    if (release === null)
      throw new RequestError('rate_limited', 'Too many API keys came from this address.', { 'retry-after': '1' });
    return lookUp().finally(release);
  }
}

const ONCE_MS = 60_000;
const MAX_KEYS = 10_000;

/** Records the last use of keys, at most once a minute for each key, without delaying requests. */
@Injectable()
export class LastUse {
  private readonly noted = new LRUCache<string, true>({ ttl: ONCE_MS, max: MAX_KEYS });

  constructor(
    private readonly keys: ApiKeysRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(apiKeyId: string): void {
    if (this.noted.get(apiKeyId)) return;
    this.noted.set(apiKeyId, true);
    const now = this.clock();
    // Another replica may have recorded it within this minute.
    this.keys.recordUse(apiKeyId, now, new Date(now.getTime() - ONCE_MS)).catch((error: unknown) => {
      this.log.warn({ err: error, apiKeyId }, 'recording the last use of an API key failed');
    });
  }
}

/** Reads who a key or session belongs to, with the limits of the organization. */
@Injectable()
export class Principals {
  constructor(
    private readonly principals: PrincipalsQuery,
    private readonly limits: LimitsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Null when it is unknown, expired or revoked. */
  async find(kind: KeyKind, hash: Buffer): Promise<Principal | null> {
    const now = this.clock();
    const found = await (kind === 'session' ? this.principals.ofSession(hash, now) : this.principals.ofKey(hash, now));
    if (found === null) return null;
    const { limitRows, ...principal } = found;
    return { ...principal, limits: this.limits.resolve(limitRows) };
  }
}

/**
 * Resolves a bearer key to a principal: format and checksum, then the cache, then one query in the share of the client
 * address. The lookup is by hash, so its duration reveals nothing about the key. Only wrong keys count against the limit of an
 * address, and no well-formed key is refused because of it: a stranger behind the same proxy cannot lock out others.
 */
@Injectable()
export class Authenticator {
  private readonly wrongKeys: MinuteLimit;
  private readonly shares = new LookupShares((client) => this.wrongKeys.isReached(client));
  private readonly known = new LRUCache<string, true>({ max: MAX_KEYS });

  constructor(
    private readonly principals: Principals,
    private readonly cache: PrincipalCache,
    private readonly lastUse: LastUse,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT' | 'WRONG_KEYS_PER_MINUTE'>,
  ) {
    this.wrongKeys = new MinuteLimit(config.WRONG_KEYS_PER_MINUTE, 'Too many wrong API keys came from this address.');
  }

  /**
   * Null for a key that is malformed, unknown, expired, revoked or of another environment.
   * @param address of the client
   * @throws RequestError `rate_limited` for a malformed key of an address over its limit, and for a look-up that waited too long
   */
  async findPrincipal(key: string, address: string | null): Promise<Principal | null> {
    const client = address === null ? '' : addressGroup(address);
    const kind = kindOfKey(key, keyPrefixOf(this.config.ENVIRONMENT));
    if (kind === null) {
      this.wrongKeys.check(client);
      this.wrongKeys.count(client);
      return null;
    }
    const hash = hashKey(key);
    const principal = await this.cache.find(hash, () => this.lookUp(client, kind, hash));
    if (principal === null) this.wrongKeys.count(client);
    else this.lastUse.note(principal.apiKeyId);
    return principal;
  }

  /** Keys that were right lately do not wait: their number is that of real keys, whatever strangers send. */
  private async lookUp(client: string, kind: KeyKind, hash: Buffer): Promise<Principal | null> {
    const id = hash.toString('base64');
    const query = () => this.principals.find(kind, hash);
    const principal = await (this.known.has(id) ? query() : this.shares.run(client, query));
    if (principal === null) this.known.delete(id);
    else this.known.set(id, true);
    return principal;
  }
}
