import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import type { AttemptVerdict } from '@pets/domains';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { bucketOf, hourOf, RESPONSE_TIME_BUCKETS, type HourOfAttempts } from './summarize-statistics.js';

/** The result of an attempt, for its hour. */
export interface CountedAttempt {
  readonly at: Date;
  readonly kind: AttemptVerdict['kind'];
  readonly durationMs: number;
}

/** Counts of attempts, one row for each endpoint and hour, so that statistics never read deliveries. */
@Injectable()
export class WebhookStatisticsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The caller has locked the endpoint. */
  async count(tx: Tx, endpointId: string, { at, kind, durationMs }: CountedAttempt): Promise<void> {
    const bucket = bucketOf(durationMs);
    const durations = Array.from({ length: RESPONSE_TIME_BUCKETS }, (_, index) => (index === bucket ? 1 : 0));
    const delivered = kind === 'delivered' ? 1 : 0;
    const failed = kind === 'exhausted' || kind === 'gone' ? 1 : 0;
    // Subscripts of arrays begin with 1.
    const counted = sql.raw(`durations[${bucket + 1}]`);
    await sql`
      insert into webhook_statistics as s (endpoint_id, hour, delivered, failed_attempts, failed, durations)
      values (${endpointId}, ${hourOf(at)}, ${delivered}, ${1 - delivered}, ${failed}, ${durations}::integer[])
      on conflict (endpoint_id, hour) do update set
        delivered = s.delivered + excluded.delivered,
        failed_attempts = s.failed_attempts + excluded.failed_attempts,
        failed = s.failed + excluded.failed,
        ${counted} = s.${counted} + 1`.execute(tx);
  }

  async find(endpointId: string, from: Date): Promise<readonly HourOfAttempts[]> {
    return this.db
      .selectFrom('webhook_statistics')
      .select(['hour', 'delivered', 'failed_attempts as failedAttempts', 'failed', 'durations'])
      .where('endpoint_id', '=', endpointId)
      .where('hour', '>=', from)
      .execute();
  }
}
