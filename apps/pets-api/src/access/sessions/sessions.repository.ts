import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';

/** Sessions of one key. A team needs fewer; without a bound, each request could add a row for twelve hours. */
const MAX_SESSIONS = 100;

@Injectable()
export class SessionsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly keys: ApiKeysRepository,
  ) {}

  /**
   * Opens a session that ends at `latestEnd`, or with its key if that is earlier. Deletes the key's expired sessions,
   * and those that end first beyond `MAX_SESSIONS`.
   * @returns its id and when it ends; null when the key is no longer valid
   */
  async open(
    db: Database,
    session: { readonly apiKeyId: string; readonly hash: Buffer; readonly latestEnd: Date },
    now: Date,
  ): Promise<{ readonly id: string; readonly endsAt: Date } | null> {
    const { apiKeyId, hash, latestEnd } = session;
    return inTransaction(db, async (tx) => {
      // Concurrent requests would delete the same sessions and wait for each other.
      const key = await this.keys.lockValid(tx, apiKeyId, now, 'exclusive');
      if (key === null) return null;
      const endsAt = key.expiresAt !== null && key.expiresAt < latestEnd ? key.expiresAt : latestEnd;
      await tx.deleteFrom('sessions').where('api_key_id', '=', apiKeyId).where('expires_at', '<=', now).execute();
      await sql`
        delete from sessions where id in (
          select id from sessions where api_key_id = ${apiKeyId} order by expires_at desc offset ${MAX_SESSIONS - 1}
        )`.execute(tx);
      const { id } = await tx
        .insertInto('sessions')
        .values({ api_key_id: apiKeyId, hash, expires_at: endsAt })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, endsAt };
    });
  }

  /** @returns whether it had not ended before */
  async end(id: string, db: Database = this.db): Promise<boolean> {
    const { numDeletedRows } = await db.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  }
}
