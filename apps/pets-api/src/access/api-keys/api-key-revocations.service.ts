import { Inject, Injectable } from '@nestjs/common';
import type { RevokeApiKeyQuery } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { invalidApiKey } from '../../http/bearer-errors.js';
import { LimitsService } from '../limits/limits.service.js';
import { ApiKeysRepository, type RevocableKey } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { requireScopesOfKeys } from './personal-keys.js';
import { PrincipalCache } from './authenticator.js';

/** Revocations that a client asks for. */
@Injectable()
export class ApiKeyRevocations {
  constructor(
    private readonly rows: ApiKeysRepository,
    private readonly keys: ApiKeysService,
    private readonly limits: LimitsService,
    private readonly cache: PrincipalCache,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * Revokes a key of whose scopes the caller has all, which the caller made, or which is reported as leaked. Revoking twice is not
   * an error.
   * @throws RequestError `not_found` also for another organization's key, `forbidden`
   */
  async revoke(caller: Principal, id: string, reason: RevokeApiKeyQuery['reason'], now: Date): Promise<void> {
    const { organizationId, apiKeyId } = caller;
    await this.db.transaction().execute(async (tx) => {
      // First the organization, as everything that locks keys: two keys may revoke each other.
      await this.limits.lock(tx, organizationId);
      const own = await this.rows.lockValid(tx, apiKeyId, now);
      if (own === null) throw invalidApiKey();
      const key = await this.rows.findRevocable(tx, organizationId, id);
      if (key === null) throw new RequestError('not_found', 'There is no such API key.');
      if (reason !== 'leaked' && !wasMadeBy(caller, key)) requireScopesOfKeys([key], own.scopes);
      await this.keys.revokeAll(tx, { organizationId, ids: [id], reason: reason ?? null }, now);
    });
    this.cache.forgetAll();
  }
}

/** A person made also what was made with their keys. */
function wasMadeBy({ person, apiKeyId }: Principal, { creatorId, personId }: RevocableKey): boolean {
  return person === null ? creatorId === apiKeyId : personId === person.id;
}
