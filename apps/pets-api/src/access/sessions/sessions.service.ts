import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { invalidApiKey } from '../../http/bearer-errors.js';
import type { Principal } from '../../http/principal.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { PrincipalCache } from '../api-keys/authenticator.js';
import { generateKey, hashKey, keyPrefixOf } from '../api-keys/key-format.js';
import { AuditLog } from '../audit/audit-log.js';
import { actAsSystem } from '../audit/requester.js';

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

/** The session that a browser had before a sign-in. */
interface FormerSession {
  readonly id: string;
  readonly organizationId: string;
}

const SESSION_MS = 12 * 60 * 60 * 1_000;

@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly cache: PrincipalCache,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT'>,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @throws RequestError `invalid_api_key` when the key was just revoked */
  async open(
    db: Database,
    { apiKeyId, organizationId }: Pick<Principal, 'apiKeyId' | 'organizationId'>,
    now: Date,
  ): Promise<{ readonly id: string; readonly secret: string; readonly endsAt: Date }> {
    const secret = generateKey(keyPrefixOf(this.config.ENVIRONMENT), 'session');
    const latestEnd = new Date(now.getTime() + SESSION_MS);
    return inTransaction(db, async (tx) => {
      const opened = await this.sessions.open(tx, { apiKeyId, hash: hashKey(secret), latestEnd }, now);
      if (opened === null) throw invalidApiKey();
      const { id, endsAt } = opened;
      await this.audit.record(tx, { organizationId, type: 'session.opened', subject: { kind: 'session', id } });
      return { id, secret, endsAt };
    });
  }

  async end(organizationId: string, id: string): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      if (!(await this.sessions.end(id, tx))) return;
      await this.audit.record(tx, { organizationId, type: 'session.ended', subject: { kind: 'session', id } });
    });
    this.cache.forgetAll();
  }

  /**
   * Ends the session that a browser had before it signed in to an organization. If it was of another organization, the audit log
   * of that one names nobody of this one. A failure does not stop the sign-in.
   */
  async endFormer({ id, organizationId }: FormerSession, signedInTo: string): Promise<void> {
    const end = () => this.end(organizationId, id);
    try {
      await (organizationId === signedInTo ? end() : actAsSystem(end));
    } catch (error) {
      this.log.warn({ err: error, sessionId: id }, 'former session not ended');
    }
  }
}
