import { Inject, Injectable } from '@nestjs/common';
import type { NewApiKey, RevokeApiKeyQuery } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { invalidApiKey, missingScopes } from '../../http/bearer-errors.js';
import type { Limits, Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { LimitsService } from '../limits/limits.service.js';
import { ApiKeysRepository, type KeyCreator, type LockedKey, type RevocableKey } from './api-keys.repository.js';
import { ApiKeysService, type CreatedKey } from './api-keys.service.js';
import { PrincipalCache } from './authenticator.js';
import { requireScopesOfKeys } from './personal-keys.js';

/** Revoked and expired keys that an organization keeps in its list. */
const KEPT_ENDED_KEYS = 1_000;

/** API keys that clients create with a key of their own. */
@Injectable()
export class ApiKeyGrants {
  constructor(
    private readonly rows: ApiKeysRepository,
    private readonly keys: ApiKeysService,
    private readonly limits: LimitsService,
  ) {}

  /**
   * Creates a key with at most the scopes and the lifetime of the creator's key, or of a person. Locks the creator's key meanwhile: a
   * revoked key that is still cached must not leave a new key behind.
   * @throws RequestError `forbidden`, `invalid_parameter`, `invalid_api_key`, `api_key_limit_reached`
   */
  async grant(
    db: Database,
    creator: Principal,
    { name, scopes, expiresAt }: NewApiKey,
    now: Date,
  ): Promise<CreatedKey> {
    const wantedEnd = expiresAt === undefined ? null : new Date(expiresAt);
    if (wantedEnd !== null && wantedEnd <= now)
      throw RequestError.ofField('invalid_parameter', 'expiresAt', 'must be in the future');
    const { organizationId, apiKeyId, person } = creator;
    return inTransaction(db, async (tx) => {
      // First the organization, then a key, as a change of a role does.
      const limits = await this.limits.lock(tx, organizationId);
      const creatorKey = await this.rows.lockValid(tx, apiKeyId, now);
      if (creatorKey === null) throw invalidApiKey();
      const missing = scopes.filter((scope) => !creatorKey.scopes.includes(scope));
      if (missing.length > 0) throw missingScopes(missing);
      const end = wantedEnd ?? creatorKey.expiresAt;
      if (end !== null && creatorKey.expiresAt !== null && end > creatorKey.expiresAt)
        throw RequestError.ofField(
          'invalid_parameter',
          'expiresAt',
          'must not be after the expiry of the key used for this request',
        );
      await this.enforceLimit(tx, organizationId, limits, now);
      const from = creatorOf(person?.id ?? null, apiKeyId, creatorKey);
      return this.keys.create({ organizationId, name, scopes, expiresAt: end, creator: from }, tx);
    });
  }

  /** Only valid keys count towards the limit. Ended keys are deleted beyond a number, which bounds the rows. */
  private async enforceLimit(tx: Tx, organizationId: string, { apiKeys: most }: Limits, now: Date): Promise<void> {
    if ((await this.rows.countLive(organizationId, now, tx)) >= most)
      throw new RequestError(
        'api_key_limit_reached',
        `The organization can have at most ${most} API keys. Revoke one that is no longer used.`,
      );
    await this.rows.deleteEndedBeyond(tx, organizationId, KEPT_ENDED_KEYS, now);
  }
}

/** A key hands on its person, who may have left. */
function creatorOf(personId: string | null, apiKeyId: string, key: LockedKey): KeyCreator {
  if (personId !== null) return { kind: 'person', id: personId, display: null, personId, leftBehindAt: null };
  const { display, leftBehindAt } = key;
  return { kind: 'api_key', id: apiKeyId, display, personId: key.personId, leftBehindAt };
}

/** Revocations that a client asks for. */
@Injectable()
export class ApiKeyRevocations {
  constructor(
    private readonly rows: ApiKeysRepository,
    private readonly keys: ApiKeysService,
    private readonly limits: LimitsService,
    private readonly cache: PrincipalCache,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * Revokes a key of whose scopes the caller has all, which the caller made, or which is reported as leaked. Revoking twice is not
   * an error.
   * @throws RequestError `not_found` also for another organization's key, `forbidden`
   */
  async revoke(caller: Principal, id: string, reason: RevokeApiKeyQuery['reason'], now: Date): Promise<void> {
    const { organizationId, apiKeyId } = caller;
    await this.db.transaction().execute(async (tx) => {
      // First the organization, as everything that locks keys: two keys may revoke each other.
      await this.limits.lock(tx, organizationId);
      const own = await this.rows.lockValid(tx, apiKeyId, now);
      if (own === null) throw invalidApiKey();
      const key = await this.rows.findRevocable(tx, organizationId, id);
      if (key === null) throw new RequestError('not_found', 'There is no such API key.');
      if (reason !== 'leaked' && !wasMadeBy(caller, key)) requireScopesOfKeys([key], own.scopes);
      await this.keys.revokeAll(tx, { organizationId, ids: [id], reason: reason ?? null }, now);
    });
    this.cache.forgetAll();
  }
}

/** A person made also what was made with their keys. */
function wasMadeBy({ person, apiKeyId }: Principal, { creatorId, personId }: RevocableKey): boolean {
  return person === null ? creatorId === apiKeyId : personId === person.id;
}
