import type { WebhookDelivery, WebhookDeliveryState, WebhookEndpoint } from '@pets/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api, bodyOf } from '../api/api.js';
import { nextCursor } from '../api/next-cursor.js';
import type { PageOf } from '../parts/paged.js';

export const endpointsQuery = infiniteQueryOptions({
  queryKey: ['webhooks'],
  initialPageParam: null as string | null,
  queryFn: async ({ pageParam, signal }): Promise<PageOf<WebhookEndpoint>> => {
    const query = pageParam === null ? {} : { cursor: pageParam };
    const { data, response } = await answerOf(api().GET('/v1/webhook-endpoints', { params: { query }, signal }));
    return { items: data, next: nextCursor(response.headers.get('link')) };
  },
  getNextPageParam: ({ next }) => next,
});

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId],
    queryFn: ({ signal }) =>
      bodyOf(api().GET('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } }, signal })),
  });

/** What was and will be sent to an endpoint, newest first. */
export const deliveriesQuery = (endpointId: string, state: WebhookDeliveryState | null) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', endpointId, 'deliveries', state],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<WebhookDelivery>> => {
      const query = { ...(state !== null && { state }), ...(pageParam !== null && { cursor: pageParam }) };
      const { data, response } = await answerOf(
        api().GET('/v1/webhook-endpoints/{endpointId}/deliveries', { params: { path: { endpointId }, query }, signal }),
      );
      return { items: data, next: nextCursor(response.headers.get('link')) };
    },
    getNextPageParam: ({ next }) => next,
  });
