import { z } from 'zod';
import {
  createdWebhookEndpointSchema,
  listWebhookDeliveriesQuerySchema,
  listWebhookEndpointsQuerySchema,
  newWebhookEndpointSchema,
  webhookDeliveryPathSchema,
  webhookDeliverySchema,
  webhookDeliveryWithBodySchema,
  webhookEndpointChangeSchema,
  webhookEndpointPathSchema,
  webhookEndpointSchema,
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
    description: 'In order of creation. As long as there is more, `Link` says where.',
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
    summary: 'Make a webhook endpoint',
    description:
      'From now on it is told of what it names. The secret that its requests are signed with is shown this once.',
    scope: 'webhooks:write',
    body: { schema: newWebhookEndpointSchema },
    answers: { 201: { description: 'The endpoint.', schema: createdWebhookEndpointSchema, headers: ['Location'] } },
    errors: ['webhook_limit_reached'],
  },
  getWebhookEndpoint: {
    ...one,
    method: 'get',
    summary: 'Get a webhook endpoint',
    description: 'One endpoint of the organization.',
    scope: 'webhooks:read',
    answers: { 200: { description: 'The endpoint.', schema: webhookEndpointSchema } },
    errors: ['not_found'],
  },
  updateWebhookEndpoint: {
    ...one,
    method: 'patch',
    summary: 'Change a webhook endpoint',
    description: 'Fields that are left out stay as they are. What waits to be sent goes to the new URL.',
    body: { schema: webhookEndpointChangeSchema },
    answers: { 200: { description: 'The endpoint.', schema: webhookEndpointSchema } },
    errors: ['not_found'],
  },
  deleteWebhookEndpoint: {
    ...one,
    method: 'delete',
    summary: 'Delete a webhook endpoint',
    description: 'With its deliveries.',
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found'],
  },
  rotateWebhookSecret: {
    ...one,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/rotate-secret',
    summary: 'Give a webhook endpoint a new secret',
    description: 'For 24 hours requests are signed with the secret before it as well. The new one is shown this once.',
    answers: { 200: { description: 'The endpoint.', schema: createdWebhookEndpointSchema } },
    errors: ['not_found'],
  },
  testWebhookEndpoint: {
    ...one,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/test',
    summary: 'Try a webhook endpoint',
    description: 'Sends it an event of the type `endpoint.test`, whatever it names, with the endpoint as `data`.',
    answers: { 202: { description: 'The delivery, about to be made.', schema: webhookDeliverySchema } },
    errors: ['not_found', 'conflict'],
  },
  listWebhookDeliveries: {
    ...one,
    method: 'get',
    path: '/v1/webhook-endpoints/{endpointId}/deliveries',
    summary: 'List deliveries',
    description: 'What was and will be sent to the endpoint, newest first; kept for 30 days.',
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
    description: 'With the body of its requests.',
    scope: 'webhooks:read',
    answers: { 200: { description: 'The delivery.', schema: webhookDeliveryWithBodySchema } },
    errors: ['not_found'],
  },
  replayWebhookDelivery: {
    ...delivery,
    method: 'post',
    path: '/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/replay',
    summary: 'Send a delivery again',
    description: 'Now, under the same `webhook-id`, and with all retries anew. One that is being sent is left alone.',
    scope: 'webhooks:write',
    answers: { 202: { description: 'The delivery, about to be made.', schema: webhookDeliverySchema } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;
