import { Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { sha256 } from '../../platform/sha256.js';

/** An idempotency key of an API key for a path. */
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
  /** Locks a key until the transaction ends, without waiting. @returns false when another request has it */
  async tryLock(tx: Tx, { apiKeyId, path, key }: AnswerScope): Promise<boolean> {
    const name = sha256(`idempotent_answers|${apiKeyId}|${path}|${key}`);
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${name.readBigInt64BE()}::bigint) as locked`.execute(tx);
    return rows[0]?.locked === true;
  }

  /** Null also for an expired answer. */
  async find(tx: Database | Tx, { apiKeyId, path, key }: AnswerScope, now: Date): Promise<KeptAnswer | null> {
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

  /** Replaces an expired answer that is not deleted yet. */
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
}
