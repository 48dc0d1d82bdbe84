import { z } from 'zod';
import { webhookEventTypes } from '../enums.js';
import { instantSchema } from './scalars.js';
import { webhookEventTypeSchema } from './webhooks.js';

const example = {
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
      example: example.eventTypes.join(','),
    })
    .optional(),
  projectId: z
    .uuid()
    .optional()
    .describe('Only events about domains of this project. If absent, all events of the organization.'),
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
  .meta({ id: 'WebhookListener', description: 'An open stream of webhook events.', example });

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
  /** Those of the request, with the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the request, exactly as it is signed. */
  readonly body: string;
}

/** The beginning of a stream, for the interface description. */
export const listenerStreamExample = `retry: 1000
event: listening
data: ${JSON.stringify({ ...example, secret: 'whsec_…' })}

event: delivery
data: {"id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","type":"pet.created","subjectId":"10","headers":{"content-type":"application/json","webhook-id":"d0c1b2a3-9e8f-4a7b-8c6d-5e4f3a2b1c0d","webhook-timestamp":"1793610000","webhook-signature":"v1,…"},"body":"{…}"}

`;
