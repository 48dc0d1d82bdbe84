import { Inject, Injectable } from '@nestjs/common';
import type { WebhookStatistics, WebhookStatisticsPeriod } from '@pets/contracts';
import type { AttemptVerdict } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/**
 * Response times as a histogram with fixed buckets, so that counts of any time can be added up. A bucket ends a tenth
 * above the one before, so a quantile is right to about 5 percent.
 */

const RATIO = 1.1;

/** The first ends at 1 ms; the last has everything over 22 s, which is more than an attempt may take. */
export const RESPONSE_TIME_BUCKETS = 107;

/** Position of a time in a histogram, from 0. */
export function bucketOf(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(Math.ceil(Math.log(durationMs) / Math.log(RATIO)), RESPONSE_TIME_BUCKETS - 1);
}

/** @param share from 0 to 1. @returns the time in ms that this share of all took at most; null of an empty histogram */
export function quantileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const bucket = histogram.findIndex((count) => (seen += count) >= rank);
  // The middle of the bucket, in its own scale.
  return Math.round(RATIO ** Math.max(0, bucket - 0.5));
}

/** Results of the attempts of an hour. */
export interface HourOfAttempts {
  readonly hour: Date;
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly failed: number;
  /** See `response-times.ts`. */
  readonly durations: readonly number[];
}

const HOUR_MS = 3_600_000;

const periods = {
  day: { hours: 24, hoursAPoint: 1 },
  week: { hours: 168, hoursAPoint: 6 },
} as const satisfies Record<WebhookStatisticsPeriod, { hours: number; hoursAPoint: number }>;

/** The hour that a time is in, in UTC. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** The first hour of a period that ends with the current hour. */
export function startOf(period: WebhookStatisticsPeriod, now: Date): Date {
  return new Date(hourOf(now).getTime() - (periods[period].hours - 1) * HOUR_MS);
}

/** @param hours of this period, in any order; an hour without attempts may be absent */
export function summarizeStatistics(
  hours: readonly HourOfAttempts[],
  period: WebhookStatisticsPeriod,
  now: Date,
): WebhookStatistics {
  const sum = (of: (hour: HourOfAttempts) => number, among = hours) => among.reduce((all, hour) => all + of(hour), 0);
  const attemptsOf = ({ delivered, failedAttempts }: HourOfAttempts) => delivered + failedAttempts;
  const durations = Array.from({ length: RESPONSE_TIME_BUCKETS }, (_, bucket) =>
    sum((hour) => hour.durations[bucket] ?? 0),
  );
  const from = startOf(period, now);
  const { hours: length, hoursAPoint } = periods[period];
  return {
    period,
    from: from.toISOString(),
    attempts: sum(attemptsOf),
    failedAttempts: sum(({ failedAttempts }) => failedAttempts),
    delivered: sum(({ delivered }) => delivered),
    failed: sum(({ failed }) => failed),
    medianMs: quantileOf(durations, 0.5),
    p95Ms: quantileOf(durations, 0.95),
    points: Array.from({ length: length / hoursAPoint }, (_, index) => {
      const startMs = from.getTime() + index * hoursAPoint * HOUR_MS;
      const endMs = startMs + hoursAPoint * HOUR_MS;
      const among = hours.filter(({ hour }) => hour.getTime() >= startMs && hour.getTime() < endMs);
      return {
        from: new Date(startMs).toISOString(),
        attempts: sum(attemptsOf, among),
        failedAttempts: sum(({ failedAttempts }) => failedAttempts, among),
      };
    }),
  };
}

/** The result of an attempt, for its hour. */
interface CountedAttempt {
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
