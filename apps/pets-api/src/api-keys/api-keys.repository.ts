import { Inject, Injectable } from '@nestjs/common';
import type { Plan } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { Principal } from '../http/principal.js';
import { DATABASE } from '../providers.js';

@Injectable()
export class ApiKeysRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Who a key belongs to, by its hash; null when there is no such key or it was revoked. */
  async findPrincipal(hash: Buffer): Promise<Principal | null> {
    const row = await this.db
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select(['api_keys.id', 'api_keys.organization_id', 'organizations.plan'])
      .where('api_keys.hash', '=', hash)
      .where('api_keys.revoked_at', 'is', null)
      .executeTakeFirst();
    return row === undefined ? null : { apiKeyId: row.id, organizationId: row.organization_id, plan: row.plan as Plan };
  }

  async insert(key: { organizationId: string; name: string; hash: Buffer; display: string }): Promise<void> {
    await this.db
      .insertInto('api_keys')
      .values({
        organization_id: key.organizationId,
        name: key.name,
        hash: key.hash,
        display: key.display,
        revoked_at: null,
      })
      .execute();
  }
}
