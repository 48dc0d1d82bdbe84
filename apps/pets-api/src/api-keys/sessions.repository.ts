import { Inject, Injectable } from '@nestjs/common';
import type { Plan, Scope } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import type { Principal } from '../http/principal.js';
import { DATABASE } from '../providers.js';
import { ApiKeysRepository, isValidAt } from './api-keys.repository.js';

@Injectable()
export class SessionsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly keys: ApiKeysRepository,
  ) {}

  /** Who a session acts for, by its hash. A session is only as valid as the key that it was opened with. */
  async findPrincipal(hash: Buffer, now: Date): Promise<Principal | null> {
    const row = await this.db
      .selectFrom('sessions')
      .innerJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select([
        'sessions.id',
        'sessions.api_key_id',
        'api_keys.organization_id',
        'api_keys.scopes',
        'organizations.plan',
      ])
      .where('sessions.hash', '=', hash)
      .where('sessions.expires_at', '>', now)
      .where(isValidAt(now))
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      apiKeyId: row.api_key_id,
      sessionId: row.id,
      organizationId: row.organization_id,
      plan: row.plan as Plan,
      scopes: row.scopes as readonly Scope[],
    };
  }

  /**
   * Opens a session that ends at `latestEnd`, or with its key if that is earlier; the key's expired sessions go.
   * @returns when it ends; null when the key is no longer valid
   */
  async open(
    db: Database,
    session: { readonly apiKeyId: string; readonly hash: Buffer; readonly latestEnd: Date },
    now: Date,
  ): Promise<Date | null> {
    const { apiKeyId, hash, latestEnd } = session;
    return inTransaction(db, async (tx) => {
      const key = await this.keys.lockValid(tx, apiKeyId, now);
      if (key === null) return null;
      const endsAt = key.expiresAt !== null && key.expiresAt < latestEnd ? key.expiresAt : latestEnd;
      await tx.deleteFrom('sessions').where('api_key_id', '=', apiKeyId).where('expires_at', '<=', now).execute();
      await tx.insertInto('sessions').values({ api_key_id: apiKeyId, hash, expires_at: endsAt }).execute();
      return endsAt;
    });
  }

  async end(id: string): Promise<void> {
    await this.db.deleteFrom('sessions').where('id', '=', id).execute();
  }
}
