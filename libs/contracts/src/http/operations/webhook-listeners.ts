import { z } from 'zod';
import { listenerStreamExample, webhookListenerSchema, webhookListenersQuerySchema } from '../webhook-listeners.js';
import type { Operations } from './operation.js';

export const webhookListenerOperations = {
  listenToWebhooks: {
    method: 'get',
    path: '/v1/webhook-listeners',
    summary: 'Receive webhook events as a stream',
    description:
      'For development: a client that accepts `text/event-stream` becomes a temporary endpoint. The first event, `listening`, ' +
      'contains the `secret` that signs the deliveries; it stays the same for an API key. Each `delivery` contains the headers ' +
      'and the body of a request as an endpoint would receive it. A delivery is sent once, and events while no stream is open ' +
      'are not sent later. The stream counts toward the limit of event streams; at most ten of an organization are open. ' +
      'Other clients receive the list of open streams, those that receive any of the given types.',
    tag: 'webhooks',
    stability: 'beta',
    scope: 'webhooks:write',
    query: webhookListenersQuerySchema,
    answers: {
      200: {
        description: 'The open streams, or a new one.',
        schema: z.array(webhookListenerSchema),
        headers: ['X-Accel-Buffering'],
        stream: listenerStreamExample,
      },
    },
  },
} as const satisfies Operations;
