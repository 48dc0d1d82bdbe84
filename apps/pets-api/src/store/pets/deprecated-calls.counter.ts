import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, DATABASE, LOG } from '../../platform/providers.js';

interface DeprecatedCalls {
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

const WRITE_AFTER_MS = 1_000;

/**
 * Counts calls of deprecated operations by key and day, so that their users can be notified before the removal.
 *
 * Counts are written once a second, outside of requests: an update for each call would contend for one row. A crash
 * loses a second of counts, a database outage none.
 */
@Injectable()
export class DeprecatedCallsCounter implements OnApplicationShutdown {
  private counted = new Map<string, DeprecatedCalls>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly calls: DeprecatedCallsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  count(operation: string, apiKeyId: string): void {
    this.merge({ operation, day: this.clock().toISOString().slice(0, 10), apiKeyId, calls: 1 });
    this.writeSoon();
  }

  /** After the last request was answered and before the pool is closed. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.write();
  }

  private merge(more: DeprecatedCalls): void {
    const name = `${more.operation} ${more.day} ${more.apiKeyId}`;
    this.counted.set(name, { ...more, calls: more.calls + (this.counted.get(name)?.calls ?? 0) });
  }

  private writeSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.write();
    }, WRITE_AFTER_MS).unref();
  }

  private async write(): Promise<void> {
    // In the same order on every replica, to avoid deadlocks.
    const written = [...this.counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    if (written.length === 0) return;
    this.counted = new Map();
    try {
      await this.calls.addCalls(written);
    } catch (error) {
      this.log.warn({ err: error }, 'writing deprecated calls failed; retrying');
      for (const each of written) this.merge(each);
      this.writeSoon();
    }
  }
}
