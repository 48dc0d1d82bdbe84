import { z } from 'zod';
import { webhookDisabledReasons, webhookEventTypes } from '../enums.js';
import { creationSortSchema, flagSchema, pageParameters } from './page.js';
import { instantSchema, textSchema } from './scalars.js';

const MAX_URL = 2_048;

export const webhookEndpointExample = {
  id: '4f1d8a52-6f0e-4f6c-9a3b-7d2e1c0b9a88',
  url: 'https://hooks.example.com/pets',
  description: null,
  eventTypes: ['domain.live', 'pet.created'],
  projectId: null,
  enabled: true,
  disabledReason: null,
  pausedAt: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: '2026-11-02T09:00:00.000Z',
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
        'Send only events about domains and origins of this project. Null: all events of the organization, including animals and orders.',
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
  pausedAt: instantSchema
    .nullable()
    .describe(
      'Since when the endpoint is paused, because the organization has used its `databaseBytes` and deliveries to the ' +
        'endpoint are waiting: no new events are recorded, and the waiting ones are sent. It resumes automatically. Null if ' +
        'it is not paused.',
    ),
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

/** Query of listWebhookEndpoints. Strict, as every query. */
export const listWebhookEndpointsQuerySchema = z.strictObject({
  ...pageParameters,
  enabled: flagSchema('Return only endpoints that are enabled, or only those that are not.'),
  sort: creationSortSchema,
});

export type ListWebhookEndpointsQuery = z.infer<typeof listWebhookEndpointsQuerySchema>;

/** Path of an endpoint. An id that is not a UUID is answered as not found. */
export const webhookEndpointPathSchema = z.strictObject({
  endpointId: z.uuid().meta({ description: 'The id of the endpoint.', example: webhookEndpointExample.id }),
});

/** The longest overlap of two secrets, in seconds. */
const MAX_SECRET_OVERLAP_SECONDS = 7 * 24 * 60 * 60;
const DEFAULT_SECRET_OVERLAP_SECONDS = 24 * 60 * 60;

/** Query of rotateWebhookSecret. */
export const rotateWebhookSecretQuerySchema = z.strictObject({
  overlapSeconds: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,5})$/, { error: `must be an integer from 0 to ${MAX_SECRET_OVERLAP_SECONDS}` })
    .default(String(DEFAULT_SECRET_OVERLAP_SECONDS))
    .transform(Number)
    .refine((seconds) => seconds <= MAX_SECRET_OVERLAP_SECONDS, {
      error: `must be an integer from 0 to ${MAX_SECRET_OVERLAP_SECONDS}`,
    })
    .meta({
      description: 'For how many seconds the previous secret signs as well. 0: it ends immediately.',
      wire: {
        type: 'integer',
        format: 'int32',
        minimum: 0,
        maximum: MAX_SECRET_OVERLAP_SECONDS,
        default: DEFAULT_SECRET_OVERLAP_SECONDS,
      },
    }),
});

export type RotateWebhookSecretQuery = z.infer<typeof rotateWebhookSecretQuerySchema>;

const listenerExample = {
  id: '5a2e9c63-1f7b-4d08-8c4e-6b3f2d1a0c99',
  eventTypes: ['domain.live', 'pet.created'],
  projectId: null,
  createdAt: '2026-11-02T09:00:00.000Z',
};

const anyType = webhookEventTypes.map((type) => type.replaceAll('.', '\\.')).join('|');

/** Each type once at most, in any order; more only where one is repeated. */
const typesPattern = `^(?:${anyType})(?:,(?:${anyType})){0,${webhookEventTypes.length - 1}}$`;

const eventTypesSchema = z
  .string()
  .regex(new RegExp(typesPattern), { error: 'must be types of events, separated by commas' })
  .transform((text) => webhookEventTypes.filter((type) => text.split(',').includes(type)));

/** Query of listenToWebhooks. */
export const webhookListenersQuerySchema = z.strictObject({
  eventTypes: eventTypesSchema
    .meta({
      description: 'Types of events, separated by commas. If absent, all types.',
      wire: { type: 'string', pattern: typesPattern },
      example: listenerExample.eventTypes.join(','),
    })
    .optional(),
  projectId: z
    .uuid()
    .optional()
    .describe('Only events about domains and origins of this project. If absent, all events of the organization.'),
});

export type WebhookListenersQuery = z.infer<typeof webhookListenersQuerySchema>;

/** An open stream. */
export const webhookListenerSchema = z
  .object({
    id: z.uuid(),
    eventTypes: z.array(webhookEventTypeSchema).readonly(),
    projectId: z.uuid().nullable(),
    createdAt: instantSchema,
  })
  .readonly()
  .meta({ id: 'WebhookListener', description: 'An open stream of webhook events.', example: listenerExample });

export type WebhookListener = z.infer<typeof webhookListenerSchema>;

/** The first event of a stream, `listening`. */
export type WebhookListening = WebhookListener & {
  /** Signs the deliveries of this stream: `whsec_` and base64. The same for all streams of an API key. */
  readonly secret: string;
};

/** An event `delivery`: a request as an endpoint would receive it. */
export interface ListenedDelivery {
  readonly id: string;
  readonly type: string;
  /** The id of the resource that the event is about. */
  readonly subjectId: string;
  /** Headers of the request, with the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request, exactly as it is signed. */
  readonly body: string;
}

/** The beginning of a stream, for the interface description. */
export const listenerStreamExample = `retry: 1000
event: listening
data: ${JSON.stringify({ ...listenerExample, secret: 'whsec_…' })}

event: delivery
data: {"id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","type":"pet.created","subjectId":"10","headers":{"content-type":"application/json","webhook-id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","webhook-timestamp":"1793610000","webhook-signature":"v1,…"},"body":"{…}"}

`;
