import { z } from 'zod';
import { webhookStatisticsPeriods } from '../enums.js';
import { instantSchema } from './scalars.js';

/** Query of getWebhookStatistics. */
export const webhookStatisticsQuerySchema = z.strictObject({
  period: z
    .enum(webhookStatisticsPeriods)
    .default('day')
    .describe('`day`: the last 24 hours in points of one hour; `week`: the last 7 days in points of six hours.'),
});

export type WebhookStatisticsQuery = z.infer<typeof webhookStatisticsQuerySchema>;

const count = z.int().min(0);
const responseTime = z.int().min(0).nullable();

/** Attempts to deliver to an endpoint, counted by the hour. */
export const webhookStatisticsSchema = z
  .object({
    period: z.enum(webhookStatisticsPeriods),
    from: instantSchema.describe('The start of the first point, a full hour.'),
    attempts: count.describe('Requests that were sent.'),
    failedAttempts: count.describe('Those that failed.'),
    delivered: count.describe('Deliveries that the endpoint accepted.'),
    failed: count.describe('Deliveries that have used up their attempts.'),
    medianMs: responseTime.describe(
      'The time that half of the attempts took at most, to about 5 percent; null without attempts.',
    ),
    p95Ms: responseTime.describe('The same for 95 of 100 attempts.'),
    points: z
      .array(z.object({ from: instantSchema, attempts: count, failedAttempts: count }).readonly())
      .readonly()
      .describe('The same counts over time, in ascending order and without gaps.'),
  })
  .readonly()
  .meta({
    id: 'WebhookStatistics',
    description: 'Attempts to deliver to an endpoint, and how long they took.',
    example: {
      period: 'day',
      from: '2026-11-01T10:00:00.000Z',
      attempts: 1_204,
      failedAttempts: 3,
      delivered: 1_201,
      failed: 0,
      medianMs: 41,
      p95Ms: 187,
      points: [{ from: '2026-11-01T10:00:00.000Z', attempts: 52, failedAttempts: 0 }],
    },
  });

export type WebhookStatistics = z.infer<typeof webhookStatisticsSchema>;
