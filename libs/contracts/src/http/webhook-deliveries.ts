import { z } from 'zod';
import { WEBHOOK_TEST_TYPE, webhookDeliveryStates, webhookEventTypes, webhookStatisticsPeriods } from '../enums.js';
import { pageParameters } from './page.js';
import { instantSchema, textSchema } from './scalars.js';
import { webhookEndpointExample, webhookEndpointPathSchema } from './webhooks.js';

/** Deliveries of events to an endpoint, and their attempts. */

const webhookAttemptExample = {
  number: 1,
  at: '2026-11-02T09:00:00.012Z',
  status: 200,
  durationMs: 38,
  error: null,
  bodyStart: 'ok',
};

const webhookAttemptDetailExample = {
  ...webhookAttemptExample,
  requestHeaders: {
    'content-type': 'application/json',
    'user-agent': 'pets-webhooks/1.0',
    'webhook-id': 'd0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d',
    'webhook-timestamp': '1793610000',
    'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  responseHeaders: { 'content-type': 'text/plain', server: 'nginx' },
};

const webhookDeliveryExample = {
  id: 'd0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d',
  endpointId: webhookEndpointExample.id,
  type: 'pet.created',
  subjectId: '10',
  sequence: 1,
  state: 'delivered',
  createdAt: '2026-11-02T09:00:00.000Z',
  deliveredAt: '2026-11-02T09:00:00.050Z',
  nextAttemptAt: null,
  failures: 0,
  maxAttempts: 10,
  attempts: [webhookAttemptExample],
};

const attemptFields = {
  number: z.int().min(1),
  at: instantSchema.describe('When the request started.'),
  status: z.int().nullable().describe('HTTP status of the response; null without a response.'),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
  bodyStart: z
    .string()
    .nullable()
    .describe('The first bytes of the response body, at most 1 KiB; null without a response.'),
};

/** An attempt to deliver an event, as in lists. */
const webhookAttemptSchema = z
  .object(attemptFields)
  .readonly()
  .meta({ id: 'WebhookAttempt', description: 'An attempt to deliver an event.', example: webhookAttemptExample });

export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

const headersSchema = z.record(z.string(), z.string()).readonly().nullable();

/** An attempt with its headers. */
const webhookAttemptDetailSchema = z
  .object({
    ...attemptFields,
    requestHeaders: headersSchema.describe(
      'The headers of the request with its signatures; null if it could not be signed.',
    ),
    responseHeaders: headersSchema.describe(
      'The first headers of the response, at most 2 KiB, without cookies and credentials; null without a response.',
    ),
  })
  .readonly()
  .meta({
    id: 'WebhookAttemptDetail',
    description: 'An attempt to deliver an event, with its headers.',
    example: webhookAttemptDetailExample,
  });

export type WebhookAttemptDetail = z.infer<typeof webhookAttemptDetailSchema>;

const webhookMessageTypes = [...webhookEventTypes, WEBHOOK_TEST_TYPE] as const;

const deliveryFields = {
  id: z.uuid().describe('The `webhook-id` header of the requests: the same for all attempts and replays.'),
  endpointId: z.uuid(),
  type: z.enum(webhookMessageTypes),
  subjectId: z.string().describe('The id of the resource that the event is about.'),
  sequence: z.int().min(1).describe('Increases with each event of the resource.'),
  state: z.enum(webhookDeliveryStates),
  createdAt: instantSchema.describe('When the event happened: the `timestamp` in the body.'),
  deliveredAt: instantSchema.nullable(),
  nextAttemptAt: instantSchema
    .nullable()
    .describe('When the next attempt starts automatically; null if none is planned.'),
  failures: z
    .int()
    .min(0)
    .describe('Attempts that have failed since the event happened, the delivery was resent, or an attempt succeeded.'),
  maxAttempts: z.int().min(1).describe('After this number of failed attempts, the delivery has `failed`.'),
  attempts: z.array(webhookAttemptSchema).readonly().describe('The newest twenty attempts, in ascending order.'),
};

/** A delivery as listed. */
export const webhookDeliverySchema = z.object(deliveryFields).readonly().meta({
  id: 'WebhookDelivery',
  description: 'The delivery of an event to an endpoint.',
  example: webhookDeliveryExample,
});

export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

/** A single delivery with its request body, and the headers of its attempts. */
export const webhookDeliveryWithBodySchema = z
  .object({
    ...deliveryFields,
    attempts: z
      .array(webhookAttemptDetailSchema)
      .readonly()
      .describe('The newest twenty attempts, in ascending order.'),
    body: z.string().describe('The body of the requests as sent: JSON text.'),
  })
  .readonly()
  .meta({
    id: 'WebhookDeliveryWithBody',
    description: 'A delivery with its request body, and the headers of its attempts.',
    example: {
      ...webhookDeliveryExample,
      attempts: [webhookAttemptDetailExample],
      body: '{"type":"pet.created","timestamp":"2026-11-02T09:00:00.000Z","sequence":1,"data":{"id":10}}',
    },
  });

export type WebhookDeliveryWithBody = z.infer<typeof webhookDeliveryWithBodySchema>;

/** Query of listWebhookDeliveries. */
export const listWebhookDeliveriesQuerySchema = z.strictObject({
  ...pageParameters,
  state: z.enum(webhookDeliveryStates).optional().describe('Return only deliveries in this state.'),
  type: z.enum(webhookMessageTypes).optional().describe('Return only deliveries of this type of event.'),
  search: textSchema(100)
    .describe('Return only the delivery with this id, and deliveries about the resource with this id.')
    .optional(),
});

export type ListWebhookDeliveriesQuery = z.infer<typeof listWebhookDeliveriesQuerySchema>;

/** Path of a delivery. */
export const webhookDeliveryPathSchema = webhookEndpointPathSchema.extend({
  deliveryId: z.uuid().meta({ description: 'The id of the delivery.', example: webhookDeliveryExample.id }),
});

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
