import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import type { Principal } from '../../http/principal.js';
import { LimitsService } from '../limits/limits.service.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { ApiKeysRepository, type FoundPrincipal } from './api-keys.repository.js';
import { hashKey, keyPrefixOf, kindOfKey } from './key-format.js';
import { LastUse } from './last-use.js';
import { PrincipalCache } from './principal-cache.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/**
 * From a bearer key to a principal: form and checksum first, then the cache, then one query. Keys are looked up by their
 * hash, so that how long it takes tells nothing about them.
 */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly sessions: SessionsRepository,
    private readonly cache: PrincipalCache,
    private readonly lastUse: LastUse,
    private readonly limits: LimitsService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ENVIRONMENT'>,
  ) {}

  /** Null for a key that is malformed, of another environment, unknown, expired, revoked or ended. */
  async findPrincipal(key: string): Promise<Principal | null> {
    const kind = kindOfKey(key, keyPrefixOf(this.config.ENVIRONMENT));
    if (kind === null) return null;
    const hash = hashKey(key);
    const repository = kind === 'session' ? this.sessions : this.keys;
    const principal = await this.cache.find(hash, async () => {
      const found = await repository.findPrincipal(hash, this.clock());
      return found && this.withLimits(found);
    });
    if (principal !== null) this.lastUse.note(principal.apiKeyId);
    return principal;
  }

  private withLimits({ limitRows, ...principal }: FoundPrincipal): Principal {
    return { ...principal, limits: this.limits.resolve(limitRows) };
  }
}
