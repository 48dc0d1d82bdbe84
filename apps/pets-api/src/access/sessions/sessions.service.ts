import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Principal } from '../../http/principal.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { generateKey, hashKey, keyPrefixOf } from '../api-keys/key-format.js';
import { PrincipalCache } from '../api-keys/authenticator.js';
import { AuditLog } from '../audit/audit-log.js';
import { actAsSystem } from '../audit/requester.js';
import { invalidApiKey } from '../../http/bearer-errors.js';
import { SessionsRepository } from './sessions.repository.js';

/** The session that a browser had before a sign-in. */
export interface FormerSession {
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
