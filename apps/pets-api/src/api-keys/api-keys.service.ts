import { Inject, Injectable } from '@nestjs/common';
import type { NewApiKey, Scope } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { DomainError } from '@pets/platform';
import type { Config } from '../config.js';
import { refusedKey } from '../http/authentication.js';
import type { Principal } from '../http/principal.js';
import { lacksScopes } from '../http/scopes.js';
import { CONFIG } from '../providers.js';
import { ApiKeysRepository, type ApiKeyRow, type NewApiKeyRow } from './api-keys.repository.js';
import { displayOf, generateKey, hashKey, keyPrefixOf } from './key-format.js';
import { PrincipalCache } from './principal-cache.js';

export interface KeyGrant {
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** A key's row and, this one time, the key itself. */
export interface CreatedKey {
  readonly secret: string;
  readonly row: ApiKeyRow;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly cache: PrincipalCache,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT'>,
  ) {}

  /** Makes a key on the operator's word. */
  async create(grant: KeyGrant): Promise<CreatedKey> {
    const { secret, key } = this.generate(grant);
    return { secret, row: await this.keys.insert(key) };
  }

  /**
   * Makes a key for a client, who cannot hand on more than it may do itself, nor for longer. The creator's key is held
   * while the new one is made: its last second in the caches must not leave a key behind that outlives its revocation.
   * @throws DomainError `forbidden`, `invalid_parameter`, `invalid_api_key`
   */
  async grant(
    db: Database,
    creator: Principal,
    { name, scopes, expiresAt }: NewApiKey,
    now: Date,
  ): Promise<CreatedKey> {
    const wantedEnd = expiresAt === undefined ? null : new Date(expiresAt);
    if (wantedEnd !== null && wantedEnd <= now)
      throw new DomainError('invalid_parameter', 'expiresAt: must be in the future');
    const missing = scopes.filter((scope) => !creator.scopes.includes(scope));
    if (missing.length > 0) throw lacksScopes(missing);
    const { organizationId, apiKeyId } = creator;
    return inTransaction(db, async (tx) => {
      const creatorKey = await this.keys.lockValid(tx, apiKeyId, now);
      if (creatorKey === null) throw refusedKey();
      const end = wantedEnd ?? creatorKey.expiresAt;
      if (end !== null && creatorKey.expiresAt !== null && end > creatorKey.expiresAt)
        throw new DomainError('invalid_parameter', 'expiresAt: must not be after the end of the key that asks');
      const { secret, key } = this.generate({ organizationId, name, scopes, expiresAt: end });
      return { secret, row: await this.keys.insert(key, tx) };
    });
  }

  /** @throws DomainError `not_found` also for another organization's key; a key that is revoked already stays so */
  async revoke(organizationId: string, id: string, now: Date): Promise<void> {
    if (!(await this.keys.revoke(organizationId, id, now)))
      throw new DomainError('not_found', 'There is no such API key.');
    this.cache.forgetAll();
  }

  private generate(grant: KeyGrant): { secret: string; key: NewApiKeyRow } {
    const secret = generateKey(keyPrefixOf(this.config.ENVIRONMENT), 'api_key');
    return { secret, key: { ...grant, hash: hashKey(secret), display: displayOf(secret) } };
  }
}
