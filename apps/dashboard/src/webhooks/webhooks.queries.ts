import type { WebhookDelivery, WebhookDeliveryState, WebhookEndpoint } from '@pets/contracts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { organizationQuery } from '../projects/projects.queries.js';

/** The endpoints of the organization; enabled or disabled ones, or all for null. */
export function endpointsQuery(enabled: boolean | null) {
  const filter = enabled === null ? {} : { enabled };
  return pagedQuery<WebhookEndpoint>([...listKey, enabled], (page, signal) =>
    resultOf(api().GET('/v1/webhook-endpoints', { params: { query: { ...filter, ...page } }, signal })),
  );
}

/** The organization counts its endpoints. */
export async function invalidateEndpoints(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: listKey }),
    queryClient.invalidateQueries(organizationQuery),
  ]);
}

const listKey = ['webhooks', null] as const;

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } }, signal })),
  });

/** The deliveries of an endpoint, newest first; of all states when it is null. */
export function deliveriesQuery(endpointId: string, state: WebhookDeliveryState | null) {
  const filter = state === null ? {} : { state };
  return pagedQuery<WebhookDelivery>([...deliveriesKey(endpointId), state], (page, signal) =>
    resultOf(
      api().GET('/v1/webhook-endpoints/{endpointId}/deliveries', {
        params: { path: { endpointId }, query: { ...filter, ...page } },
        signal,
      }),
    ),
  );
}

export function invalidateDeliveries(queryClient: QueryClient, endpointId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: deliveriesKey(endpointId) });
}

function deliveriesKey(endpointId: string) {
  return ['webhooks', endpointId, 'deliveries'] as const;
}
