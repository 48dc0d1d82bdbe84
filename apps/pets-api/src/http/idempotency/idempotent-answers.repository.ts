import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** Whose key it is, and for what. */
export interface AnswerScope {
  readonly apiKeyId: string;
  readonly path: string;
  readonly key: string;
}

export interface KeptAnswer {
  readonly fingerprint: Buffer;
  readonly location: string | null;
  /** Sealed. */
  readonly answer: string;
}

@Injectable()
export class IdempotentAnswersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Takes a key until the transaction ends; false when somebody else has it. Nobody waits. */
  async tryLock(tx: Tx, { apiKeyId, path, key }: AnswerScope): Promise<boolean> {
    const name = createHash('sha256').update(`idempotent_answers|${apiKeyId}|${path}|${key}`).digest();
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${name.readBigInt64BE()}::bigint) as locked`.execute(tx);
    return rows[0]?.locked === true;
  }

  /** Null also for one that has expired. */
  async find(tx: Tx, { apiKeyId, path, key }: AnswerScope, now: Date): Promise<KeptAnswer | null> {
    const row = await tx
      .selectFrom('idempotent_answers')
      .select(['fingerprint', 'location', 'answer'])
      .where('api_key_id', '=', apiKeyId)
      .where('path', '=', path)
      .where('key', '=', key)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row ?? null;
  }

  /** In place of an expired one, if the sweeper has not been there yet. */
  async keep(
    tx: Tx,
    { apiKeyId, path, key }: AnswerScope,
    { fingerprint, location, answer, expiresAt }: KeptAnswer & { readonly expiresAt: Date },
  ): Promise<void> {
    const values = { fingerprint, location, answer, expires_at: expiresAt };
    await tx
      .insertInto('idempotent_answers')
      .values({ api_key_id: apiKeyId, path, key, ...values })
      .onConflict((conflict) => conflict.columns(['api_key_id', 'path', 'key']).doUpdateSet(values))
      .execute();
  }

  /** Deletes the oldest expired answers and returns how many. Several sweepers do not meet (`skip locked`). */
  async deleteExpired(now: Date, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      with expired as (
        select api_key_id, path, key from idempotent_answers
        where expires_at <= ${now} order by expires_at limit ${limit} for update skip locked
      )
      delete from idempotent_answers a using expired e
      where a.api_key_id = e.api_key_id and a.path = e.path and a.key = e.key`.execute(this.db);
    return Number(numAffectedRows);
  }
}
