import { z } from 'zod';
import { WEBHOOK_TEST_TYPE, webhookDeliveryStates, webhookDisabledReasons, webhookEventTypes } from '../enums.js';
import { instantSchema } from './instant.js';
import { pageParameters } from './page.js';
import { textSchema } from './text.js';
import { webhookAttemptExample, webhookDeliveryExample, webhookEndpointExample } from './webhooks.example.js';

const MAX_URL = 2_048;

const webhookEventTypeSchema = z.enum(webhookEventTypes).meta({
  id: 'WebhookEventType',
  description: 'What has happened. The part before the first dot is the kind of resource that comes as `data`.',
});

const url = z
  .string()
  .max(MAX_URL)
  .refine((text) => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text), { error: 'must be an https URL' })
  .refine((text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '', {
    error: 'must not have a user name or password',
  })
  .refine((text) => !text.includes('#'), { error: 'must not have a fragment' })
  .meta({ description: 'Where requests are sent: https, without user name, password or fragment.', format: 'uri' });

const description = textSchema(255).describe('1 to 255 characters, to know the endpoint by.');

const eventTypes = z
  .array(webhookEventTypeSchema)
  .min(1)
  .refine((given) => new Set(given).size === given.length, { error: 'must not name a type twice' })
  .meta({ uniqueItems: true, description: 'What it is told of.' });

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
      .describe('Only what happens to domains of this project. Null: all of the organization, animals and orders too.'),
  })
  .meta({
    id: 'NewWebhookEndpoint',
    description: 'An endpoint to make.',
    example: { url: webhookEndpointExample.url, eventTypes: webhookEndpointExample.eventTypes },
  });

export type NewWebhookEndpoint = z.infer<typeof newWebhookEndpointSchema>;

/** Body of updateWebhookEndpoint: what is left out stays as it is. */
export const webhookEndpointChangeSchema = z
  .strictObject({
    url: url.optional(),
    description: description.nullable().optional(),
    eventTypes: eventTypes.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'False: nothing is sent any more, and what waits to be sent has failed. True: from now on it is told again, ' +
          'whatever it was disabled for.',
      ),
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: 'What is to change of an endpoint.',
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
    .describe('`owner`: by a request; `gone`: it answered 410; `failing`: nothing has reached it for days.'),
  disabledAt: instantSchema.nullable(),
  failingSince: instantSchema
    .nullable()
    .describe('When it first failed after it last took something; null if it has not.'),
  previousSecretUntil: instantSchema
    .nullable()
    .describe('Until when the secret before this one signs as well; null when it does not.'),
  createdAt: instantSchema,
};

/** An endpoint as listed: everything but its secret. */
export const webhookEndpointSchema = z
  .object(endpointFields)
  .readonly()
  .meta({ id: 'WebhookEndpoint', description: 'An endpoint, without its secret.', example: webhookEndpointExample });

export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;

/** The answer to createWebhookEndpoint and rotateWebhookSecret, the only ones that hold a secret. */
export const createdWebhookEndpointSchema = z
  .object({
    ...endpointFields,
    secret: z.string().describe('`whsec_` and base64: what requests are signed with. It is shown this once.'),
  })
  .readonly()
  .meta({
    id: 'CreatedWebhookEndpoint',
    description: 'An endpoint with its new secret.',
    example: { ...webhookEndpointExample, secret: 'whsec_…' },
  });

export type CreatedWebhookEndpoint = z.infer<typeof createdWebhookEndpointSchema>;

/** One try at a delivery. */
const webhookAttemptSchema = z
  .object({
    number: z.int().min(1),
    at: instantSchema.describe('When the request was begun.'),
    status: z.int().nullable().describe('HTTP status of the answer; null when none came.'),
    durationMs: z.int().min(0),
    error: z.string().nullable().describe('Why it does not count as delivered; null when it does.'),
    bodyStart: z
      .string()
      .nullable()
      .describe('How the body of the answer begins, 1 KiB at most; null without an answer.'),
  })
  .readonly()
  .meta({ id: 'WebhookAttempt', description: 'One try at a delivery.', example: webhookAttemptExample });

export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

const deliveryFields = {
  id: z.uuid().describe('The `webhook-id` of its requests: the same in every try and replay.'),
  endpointId: z.uuid(),
  type: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
  subjectId: z.string().describe('The resource that it is about, by id.'),
  sequence: z.int().min(1).describe('Ascends with each event of the resource.'),
  state: z.enum(webhookDeliveryStates),
  createdAt: instantSchema.describe('When it happened: the `timestamp` of its body.'),
  deliveredAt: instantSchema.nullable(),
  nextAttemptAt: instantSchema.nullable().describe('Null when none is made by itself.'),
  attempts: z.array(webhookAttemptSchema).readonly().describe('The newest twenty, in order.'),
};

/** A delivery as listed. */
export const webhookDeliverySchema = z.object(deliveryFields).readonly().meta({
  id: 'WebhookDelivery',
  description: 'Something that happened, on its way to one endpoint.',
  example: webhookDeliveryExample,
});

export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

/** A delivery by itself, with what is sent. */
export const webhookDeliveryWithBodySchema = z
  .object({ ...deliveryFields, body: z.string().describe('The body of its requests, as it is sent: JSON text.') })
  .readonly()
  .meta({
    id: 'WebhookDeliveryWithBody',
    description: 'A delivery with what is sent.',
    example: {
      ...webhookDeliveryExample,
      body: '{"type":"pet.created","timestamp":"2026-11-02T09:00:00.000Z","sequence":1,"data":{"id":10}}',
    },
  });

export type WebhookDeliveryWithBody = z.infer<typeof webhookDeliveryWithBodySchema>;

/** Query of listWebhookEndpoints. Strict, as every query. */
export const listWebhookEndpointsQuerySchema = z.strictObject(pageParameters);

export type ListWebhookEndpointsQuery = z.infer<typeof listWebhookEndpointsQuerySchema>;

/** Query of listWebhookDeliveries. */
export const listWebhookDeliveriesQuerySchema = z.strictObject({
  ...pageParameters,
  state: z.enum(webhookDeliveryStates).optional().describe('Only deliveries in this state.'),
});

export type ListWebhookDeliveriesQuery = z.infer<typeof listWebhookDeliveriesQuerySchema>;

/** Path of an endpoint. What is no UUID names nothing. */
export const webhookEndpointPathSchema = z.strictObject({
  endpointId: z.uuid().meta({ description: 'The endpoint.', example: webhookEndpointExample.id }),
});

/** Path of a delivery. */
export const webhookDeliveryPathSchema = webhookEndpointPathSchema.extend({
  deliveryId: z.uuid().meta({ description: 'The delivery.', example: webhookDeliveryExample.id }),
});
