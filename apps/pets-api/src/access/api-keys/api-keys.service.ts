import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { AuditLog } from '../audit/audit-log.js';
import { ApiKeysRepository, type ApiKeyRow, type NewApiKeyRow } from './api-keys.repository.js';
import { displayOf, generateKey, hashKey, keyPrefixOf } from './key-format.js';
import { PrincipalCache } from './principal-cache.js';

export interface KeyGrant {
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** A key's row and the key itself, which is available only now. */
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
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** Creates a key without a permission check: callers are the operator's command and `ApiKeyGrants`. */
  async create(grant: KeyGrant, db: Database = this.db): Promise<CreatedKey> {
    const { secret, key } = this.generate(grant);
    return inTransaction(db, async (tx) => {
      const row = await this.keys.insert(key, tx);
      const { organizationId, name, scopes, expiresAt } = grant;
      await this.audit.record(tx, {
        organizationId,
        type: 'api_key.created',
        subject: { kind: 'api_key', id: row.id },
        detail: { name, scopes, expiresAt: expiresAt?.toISOString() ?? null },
      });
      return { secret, row };
    });
  }

  /** @throws RequestError `not_found` also for another organization's key. Revoking twice is not an error. */
  async revoke(organizationId: string, id: string, now: Date): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      if (!(await this.keys.revoke(organizationId, id, now, tx)))
        throw new RequestError('not_found', 'There is no such API key.');
      await this.audit.record(tx, { organizationId, type: 'api_key.revoked', subject: { kind: 'api_key', id } });
    });
    this.cache.forgetAll();
  }

  private generate(grant: KeyGrant): { secret: string; key: NewApiKeyRow } {
    const secret = generateKey(keyPrefixOf(this.config.ENVIRONMENT), 'api_key');
    return { secret, key: { ...grant, hash: hashKey(secret), display: displayOf(secret) } };
  }
}
