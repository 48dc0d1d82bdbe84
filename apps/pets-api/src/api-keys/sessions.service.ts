import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import type { Config } from '../config.js';
import { refusedKey } from '../http/authentication.js';
import { CONFIG } from '../providers.js';
import { generateKey, hashKey, keyPrefixOf } from './key-format.js';
import { PrincipalCache } from './principal-cache.js';
import { SessionsRepository } from './sessions.repository.js';

const SESSION_MS = 12 * 60 * 60 * 1_000;

@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly cache: PrincipalCache,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT'>,
  ) {}

  /** @throws DomainError `invalid_api_key` when the key was revoked a moment ago */
  async open(db: Database, apiKeyId: string, now: Date): Promise<{ readonly secret: string; readonly endsAt: Date }> {
    const secret = generateKey(keyPrefixOf(this.config.ENVIRONMENT), 'session');
    const latestEnd = new Date(now.getTime() + SESSION_MS);
    const endsAt = await this.sessions.open(db, { apiKeyId, hash: hashKey(secret), latestEnd }, now);
    if (endsAt === null) throw refusedKey();
    return { secret, endsAt };
  }

  async end(sessionId: string): Promise<void> {
    await this.sessions.end(sessionId);
    this.cache.forgetAll();
  }
}
