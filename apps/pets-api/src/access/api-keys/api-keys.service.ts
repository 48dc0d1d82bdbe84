import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail, KeyRevocationReason, Scope } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { AuditLog } from '../audit/audit-log.js';
import { currentRequester } from '../audit/requester.js';
import { ApiKeysRepository, type ApiKeyRow, type KeyCreator, type NewApiKeyRow } from './api-keys.repository.js';
import { displayOf, generateKey, hashKey, keyPrefixOf } from './key-format.js';
import { PrincipalCache } from './authenticator.js';

export interface KeyGrant {
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Default: the operator. */
  readonly creator?: KeyCreator;
}

interface Revocation {
  readonly organizationId: string;
  readonly ids: readonly string[];
  readonly reason: KeyRevocationReason | null;
  readonly detail?: AuditDetail;
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

  /**
   * Revokes a key for the operator.
   * @throws RequestError `not_found` also for another organization's key. Revoking twice is not an error.
   */
  async revoke(organizationId: string, id: string, now: Date): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      if ((await this.revokeAll(tx, { organizationId, ids: [id], reason: null }, now)) === 0)
        throw new RequestError('not_found', 'There is no such API key.');
    });
    this.cache.forgetAll();
  }

  /** Revokes keys without a permission check. The caller clears the cache after the commit. @returns how many there are */
  async revokeAll(tx: Tx, { organizationId, ids, reason, detail }: Revocation, now: Date): Promise<number> {
    const revoked = await this.keys.revoke(tx, organizationId, ids, reason, now);
    if (revoked === 0) return 0;
    const event = {
      organizationId,
      type: 'api_key.revoked',
      detail: { ...(reason && { reason }), ...detail },
    } as const;
    await this.audit.recordAll(
      tx,
      ids.map((id) => ({ ...event, subject: { kind: 'api_key', id } })),
    );
    return revoked;
  }

  private generate(grant: KeyGrant): { secret: string; key: NewApiKeyRow } {
    const secret = generateKey(keyPrefixOf(this.config.ENVIRONMENT), 'api_key');
    return { secret, key: { creator: operator(), ...grant, hash: hashKey(secret), display: displayOf(secret) } };
  }
}

function operator(): KeyCreator {
  return { kind: 'operator', id: null, display: currentRequester().name, personId: null, leftBehindAt: null };
}
