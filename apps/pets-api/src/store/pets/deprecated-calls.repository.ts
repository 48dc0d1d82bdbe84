import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { DATABASE } from '../../platform/providers.js';

export interface DeprecatedCalls {
  readonly operation: string;
  /** UTC date: `2030-12-04`. */
  readonly day: string;
  readonly apiKeyId: string;
  readonly calls: number;
}

@Injectable()
export class DeprecatedCallsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Adds to the counts of all replicas. */
  async addCalls(counted: readonly DeprecatedCalls[]): Promise<void> {
    await this.db
      .insertInto('deprecated_calls')
      .values(
        counted.map(({ operation, day, apiKeyId, calls }) => ({
          operation,
          day,
          api_key_id: apiKeyId,
          calls: BigInt(calls),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['operation', 'day', 'api_key_id'])
          .doUpdateSet((eb) => ({ calls: eb('deprecated_calls.calls', '+', eb.ref('excluded.calls')) })),
      )
      .execute();
  }

  /** Calls by operation, day and key, newest day and busiest key first, with the names needed to contact the owner. */
  async list() {
    const rows = await this.db
      .selectFrom('deprecated_calls')
      .leftJoin('api_keys', 'api_keys.id', 'deprecated_calls.api_key_id')
      .leftJoin('organizations', 'organizations.id', 'api_keys.organization_id')
      .select([
        'operation',
        'day',
        'api_key_id as apiKeyId',
        'calls',
        'api_keys.display',
        'api_keys.name as keyName',
        'organizations.id as organizationId',
        'organizations.name as organizationName',
      ])
      .orderBy('day', 'desc')
      .orderBy('calls', 'desc')
      .orderBy('api_key_id')
      .limit(LISTED_ROWS)
      .execute();
    return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
  }
}

/** The table has the rest. */
const LISTED_ROWS = 1_000;
