import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database } from '@pets/persistence';
import type { Principal } from '../../http/principal.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { generateKey, hashKey, keyPrefixOf } from '../api-keys/key-format.js';
import { PrincipalCache } from '../api-keys/principal-cache.js';
import { AuditLog } from '../audit/audit-log.js';
import { invalidApiKey } from '../authentication.js';
import { SessionsRepository } from './sessions.repository.js';

const SESSION_MS = 12 * 60 * 60 * 1_000;

@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly cache: PrincipalCache,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT'>,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** @throws RequestError `invalid_api_key` when the key was just revoked */
  async open(
    db: Database,
    { apiKeyId, organizationId }: Principal,
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
      await this.sessions.end(id, tx);
      await this.audit.record(tx, { organizationId, type: 'session.ended', subject: { kind: 'session', id } });
    });
    this.cache.forgetAll();
  }
}
