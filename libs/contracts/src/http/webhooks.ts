import { z } from 'zod';
import { WEBHOOK_TEST_TYPE, webhookDeliveryStates, webhookDisabledReasons, webhookEventTypes } from '../enums.js';
import { instantSchema, textSchema } from './scalars.js';
import { creationSortSchema, flagSchema, pageParameters } from './page.js';

const MAX_URL = 2_048;

const webhookEndpointExample = {
  id: '4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88',
  url: 'https://hooks.example.com/pets',
  description: null,
  eventTypes: ['domain.live', 'pet.created'],
  projectId: null,
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: '2026-11-02T09:00:00.000Z',
};

const webhookAttemptExample = {
  number: 1,
  at: '2026-11-02T09:00:00.012Z',
  status: 200,
  durationMs: 38,
  error: null,
  bodyStart: 'ok',
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
  attempts: [webhookAttemptExample],
};

const webhookEventTypeSchema = z.enum(webhookEventTypes).meta({
  id: 'WebhookEventType',
  description: 'The type of an event. The part before the first dot is the kind of resource in `data`.',
});

const url = z
  .string()
  .max(MAX_URL)
  .refine((text) => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text), { error: 'must be an https URL' })
  .refine((text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '', {
    error: 'must not have a user name or password',
  })
  .refine((text) => !text.includes('#'), { error: 'must not have a fragment' })
  .meta({
    description: 'The URL that receives the requests: https, without user name, password or fragment.',
    format: 'uri',
  });

const description = textSchema(255).describe('A label for the endpoint: 1 to 255 characters.');

const eventTypes = z
  .array(webhookEventTypeSchema)
  .min(1)
  .refine((given) => new Set(given).size === given.length, { error: 'must not repeat a type' })
  .meta({ uniqueItems: true, description: 'The types of events to send.' });

/** Body of createWebhookEndpoint. */
export const newWebhookEndpointSchema = z
  .strictObject({
    url,
    description: description.nullable().default(null),
    eventTypes,
    projectId: z
      .uuid()
      .nullable()
      .default(null)
      .describe(
        'Send only events about domains of this project. Null: all events of the organization, including animals and orders.',
      ),
  })
  .meta({
    id: 'NewWebhookEndpoint',
    description: 'A webhook endpoint to create.',
    example: { url: webhookEndpointExample.url, eventTypes: webhookEndpointExample.eventTypes },
  });

export type NewWebhookEndpoint = z.infer<typeof newWebhookEndpointSchema>;

/** Body of updateWebhookEndpoint. Absent fields keep their values. */
export const webhookEndpointChangeSchema = z
  .strictObject({
    url: url.optional(),
    description: description.nullable().optional(),
    eventTypes: eventTypes.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'False: no more events are sent, and pending deliveries fail. True: new events are sent again, regardless of why the ' +
          'endpoint was disabled.',
      ),
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: 'Changes to a webhook endpoint.',
    example: { enabled: true },
  });

export type WebhookEndpointChange = z.infer<typeof webhookEndpointChangeSchema>;

const endpointFields = {
  id: z.uuid(),
  url: z.string(),
  description: z.string().nullable(),
  eventTypes: z.array(webhookEventTypeSchema).readonly(),
  projectId: z.uuid().nullable(),
  enabled: z.boolean(),
  disabledReason: z
    .enum(webhookDisabledReasons)
    .nullable()
    .describe(
      '`owner`: disabled by a request; `gone`: the endpoint answered 410; `failing`: all deliveries failed for days.',
    ),
  disabledAt: instantSchema.nullable(),
  failingSince: instantSchema
    .nullable()
    .describe('Time of the first failure since the last successful delivery; null if there was none.'),
  previousSecretUntil: instantSchema
    .nullable()
    .describe('Until when requests are also signed with the previous secret; null if they are not.'),
  createdAt: instantSchema,
};

/** An endpoint as listed: everything but its secret. */
export const webhookEndpointSchema = z.object(endpointFields).readonly().meta({
  id: 'WebhookEndpoint',
  description: 'A webhook endpoint, without its secret.',
  example: webhookEndpointExample,
});

export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;

/** The answer to createWebhookEndpoint and rotateWebhookSecret, the only ones that hold a secret. */
export const createdWebhookEndpointSchema = z
  .object({
    ...endpointFields,
    secret: z.string().describe('The secret that signs the requests: `whsec_` and base64. It is shown only once.'),
  })
  .readonly()
  .meta({
    id: 'CreatedWebhookEndpoint',
    description: 'A webhook endpoint with its new secret.',
    example: { ...webhookEndpointExample, secret: 'whsec_…' },
  });

export type CreatedWebhookEndpoint = z.infer<typeof createdWebhookEndpointSchema>;

/** An attempt to deliver an event. */
const webhookAttemptSchema = z
  .object({
    number: z.int().min(1),
    at: instantSchema.describe('When the request started.'),
    status: z.int().nullable().describe('HTTP status of the response; null without a response.'),
    durationMs: z.int().min(0),
    error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
    bodyStart: z
      .string()
      .nullable()
      .describe('The first bytes of the response body, at most 1 KiB; null without a response.'),
  })
  .readonly()
  .meta({ id: 'WebhookAttempt', description: 'An attempt to deliver an event.', example: webhookAttemptExample });

export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

const deliveryFields = {
  id: z.uuid().describe('The `webhook-id` header of the requests: the same for all attempts and replays.'),
  endpointId: z.uuid(),
  type: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
  subjectId: z.string().describe('The id of the resource that the event is about.'),
  sequence: z.int().min(1).describe('Increases with each event of the resource.'),
  state: z.enum(webhookDeliveryStates),
  createdAt: instantSchema.describe('When the event happened: the `timestamp` in the body.'),
  deliveredAt: instantSchema.nullable(),
  nextAttemptAt: instantSchema
    .nullable()
    .describe('When the next attempt starts automatically; null if none is planned.'),
  attempts: z.array(webhookAttemptSchema).readonly().describe('The newest twenty attempts, in ascending order.'),
};

/** A delivery as listed. */
export const webhookDeliverySchema = z.object(deliveryFields).readonly().meta({
  id: 'WebhookDelivery',
  description: 'The delivery of an event to an endpoint.',
  example: webhookDeliveryExample,
});

export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

/** A single delivery with its request body. */
export const webhookDeliveryWithBodySchema = z
  .object({ ...deliveryFields, body: z.string().describe('The body of the requests as sent: JSON text.') })
  .readonly()
  .meta({
    id: 'WebhookDeliveryWithBody',
    description: 'A delivery with its request body.',
    example: {
      ...webhookDeliveryExample,
      body: '{"type":"pet.created","timestamp":"2026-11-02T09:00:00.000Z","sequence":1,"data":{"id":10}}',
    },
  });

export type WebhookDeliveryWithBody = z.infer<typeof webhookDeliveryWithBodySchema>;

/** Query of listWebhookEndpoints. Strict, as every query. */
export const listWebhookEndpointsQuerySchema = z.strictObject({
  ...pageParameters,
  enabled: flagSchema('Return only endpoints that are enabled, or only those that are not.'),
  sort: creationSortSchema,
});

export type ListWebhookEndpointsQuery = z.infer<typeof listWebhookEndpointsQuerySchema>;

/** Query of listWebhookDeliveries. */
export const listWebhookDeliveriesQuerySchema = z.strictObject({
  ...pageParameters,
  state: z.enum(webhookDeliveryStates).optional().describe('Return only deliveries in this state.'),
});

export type ListWebhookDeliveriesQuery = z.infer<typeof listWebhookDeliveriesQuerySchema>;

/** Path of an endpoint. An id that is not a UUID is answered as not found. */
export const webhookEndpointPathSchema = z.strictObject({
  endpointId: z.uuid().meta({ description: 'The id of the endpoint.', example: webhookEndpointExample.id }),
});

/** Path of a delivery. */
export const webhookDeliveryPathSchema = webhookEndpointPathSchema.extend({
  deliveryId: z.uuid().meta({ description: 'The id of the delivery.', example: webhookDeliveryExample.id }),
});
