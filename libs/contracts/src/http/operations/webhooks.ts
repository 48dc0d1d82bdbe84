import { z } from 'zod';
import {
  listWebhookDeliveriesQuerySchema,
  webhookDeliveryPathSchema,
  webhookDeliverySchema,
  webhookDeliveryWithBodySchema,
  webhookStatisticsQuerySchema,
  webhookStatisticsSchema,
} from '../webhook-deliveries.js';
import {
  createdWebhookEndpointSchema,
  listenerStreamExample,
  listWebhookEndpointsQuerySchema,
  newWebhookEndpointSchema,
  rotateWebhookSecretQuerySchema,
  webhookEndpointChangeSchema,
  webhookEndpointPathSchema,
  webhookEndpointSchema,
  webhookListenerSchema,
  webhookListenersQuerySchema,
} from '../webhooks.js';
import type { Operations } from './operation.js';

const common = { tag: 'webhooks', stability: 'beta' } as const;
const one = {
  ...common,
  path: '/v1/webhook-endpoints/{endpointId}',
  params: webhookEndpointPathSchema,
  scope: 'webhooks:write',
} as const;
const delivery = { ...common, params: webhookDeliveryPathSchema } as const;

export const webhookOperations = {
  listWebhookEndpoints: {
    ...common,
    method: 'get',
    path: '/v1/webhook-endpoints',
    summary: 'List webhook endpoints',
    description: 'In order of creation unless `sort` is given. `Link` points to the next page.',
    scope: 'webhooks:read',
    query: listWebhookEndpointsQuerySchema,
    answers: {
      200: { description: 'A page of endpoints.', schema: z.array(webhookEndpointSchema), headers: ['Link'] },
    },
    errors: ['invalid_cursor'],
  },
  createWebhookEndpoint: {
    ...common,
    method: 'post',
    path: '/v1/webhook-endpoints',
    summary: 'Create a webhook endpoint',
    description: 'The endpoint receives events from now on. The secret that signs its requests is shown only once.',
    scope: 'webhooks:write',
    body: { schema: newWebhookEndpointSchema },
    answers: {
      201: {
        description: 'The new endpoint with its secret.',
        schema: createdWebhookEndpointSchema,
        headers: ['Location'],
      },
    },
    errors: ['webhook_limit_reached'],
  },
  getWebhookEndpoint: {
    ...one,
    method: 'get',
    summary: 'Get a webhook endpoint',
    description: 'Returns an endpoint of the organization.',
    scope: 'webhooks:read',
    answers: { 200: { description: 'The endpoint.', schema: webhookEndpointSchema } },
    errors: ['not_found'],
  },
  updateWebhookEndpoint: {
    ...one,
    method: 'patch',
    summary: 'Change a webhook endpoint',
    description: 'Absent fields keep their values. Pending deliveries are sent to the new URL.',
    body: { schema: webhookEndpointChangeSchema },
    answers: { 200: { description: 'The endpoint.', schema: webhookEndpointSchema } },
    errors: ['not_found'],
  },
  deleteWebhookEndpoint: {
    ...one,
    method: 'delete',
    summary: 'Delete a webhook endpoint',
    description: 'Deletes the endpoint and its deliveries.',
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found'],
  },
  rotateWebhookSecret: {
    ...one,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/rotate-secret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Requests are signed with the previous secret as well, for 24 hours or as chosen. A secret before the previous one ' +
      'ends immediately. The new secret is shown only once.',
    query: rotateWebhookSecretQuerySchema,
    answers: { 200: { description: 'The endpoint.', schema: createdWebhookEndpointSchema } },
    errors: ['not_found'],
  },
  testWebhookEndpoint: {
    ...one,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/test',
    summary: 'Test a webhook endpoint',
    description:
      'Sends an event of the type `endpoint.test` with the endpoint as `data`, regardless of the subscribed types.',
    answers: { 202: { description: 'The scheduled delivery.', schema: webhookDeliverySchema } },
    errors: ['not_found', 'conflict'],
  },
  getWebhookStatistics: {
    ...one,
    method: 'get',
    path: '/v1/webhook-endpoints/{endpointId}/statistics',
    summary: 'Get statistics of a webhook endpoint',
    description: 'Counts and response times of the attempts to deliver to the endpoint.',
    scope: 'webhooks:read',
    query: webhookStatisticsQuerySchema,
    answers: { 200: { description: 'The statistics.', schema: webhookStatisticsSchema } },
    errors: ['not_found'],
  },
  listWebhookDeliveries: {
    ...one,
    method: 'get',
    path: '/v1/webhook-endpoints/{endpointId}/deliveries',
    summary: 'List deliveries',
    description:
      'The deliveries of the endpoint, newest first; kept for 30 days. `Link` points to the next page. A page with the ' +
      'filter `type` may have fewer entries than `limit`, or none, and still be followed by another.',
    scope: 'webhooks:read',
    query: listWebhookDeliveriesQuerySchema,
    answers: {
      200: { description: 'A page of deliveries.', schema: z.array(webhookDeliverySchema), headers: ['Link'] },
    },
    errors: ['not_found', 'invalid_cursor'],
  },
  getWebhookDelivery: {
    ...delivery,
    method: 'get',
    path: '/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}',
    summary: 'Get a delivery',
    description: 'Returns a delivery with its request body, and the headers of its attempts.',
    scope: 'webhooks:read',
    answers: { 200: { description: 'The delivery.', schema: webhookDeliveryWithBodySchema } },
    errors: ['not_found'],
  },
  replayWebhookDelivery: {
    ...delivery,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/replay',
    summary: 'Send a delivery again',
    description:
      'Sends it immediately with the same `webhook-id`, and with all retries again. A delivery in progress is not changed.',
    scope: 'webhooks:write',
    answers: { 202: { description: 'The scheduled delivery.', schema: webhookDeliverySchema } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;

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
