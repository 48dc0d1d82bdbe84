import type {
  WebhookDelivery,
  WebhookDeliveryState,
  WebhookEndpoint,
  WebhookMessageType,
  WebhookStatisticsPeriod,
} from '@pets/contracts';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import type { CreationOrder } from '../components/filters.js';
import { organizationQuery } from '../projects/projects.queries.js';

/** The endpoints of the organization; enabled or disabled ones, or all for null. */
export function endpointsQuery(enabled: boolean | null, order: CreationOrder) {
  const filter = { sort: order, ...(enabled !== null && { enabled }) };
  return pagedQuery<WebhookEndpoint>([...listKey, enabled, order], (page, signal) =>
    resultOf(api().GET('/v1/webhook-endpoints', { params: { query: { ...filter, ...page } }, signal })),
  );
}

/** Lists and single endpoints with their deliveries. The organization counts its endpoints. */
export async function invalidateEndpoints(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
    queryClient.invalidateQueries(organizationQuery),
  ]);
}

const listKey = ['webhooks', null] as const;

/** Interval between reads of an endpoint's status, which changes less often than deliveries. */
const STATUS_MS = 5_000;

/** An endpoint; its status says whether deliveries fail. */
export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } }, signal })),
    refetchInterval: STATUS_MS,
  });

export interface DeliveryFilters {
  /** Null: all. */
  readonly state: WebhookDeliveryState | null;
  readonly type: WebhookMessageType | null;
  /** The id of a delivery or of a resource; empty for all. */
  readonly search: string;
}

/** Deliveries change without an event stream: they are read again this often while the page is visible. */
const LIVE_MS = 2_000;
/** A list with several pages reads all of them. */
const LIVE_PAGES_MS = 15_000;

/** The deliveries of an endpoint, newest first. */
export function deliveriesQuery(endpointId: string, { state, type, search }: DeliveryFilters) {
  const filter = {
    ...(state !== null && { state }),
    ...(type !== null && { type }),
    ...(search !== '' && { search }),
  };
  return pagedQuery<WebhookDelivery>([...deliveriesKey(endpointId), state, type, search], (page, signal) =>
    resultOf(
      api().GET('/v1/webhook-endpoints/{endpointId}/deliveries', {
        params: { path: { endpointId }, query: { ...filter, ...page } },
        signal,
      }),
    ),
  );
}

/** @param pages that are shown. @returns how often they are read again */
export function liveIntervalOf(pages: number): number {
  return pages > 1 ? LIVE_PAGES_MS : LIVE_MS;
}

/** One delivery, which changes no more once it has ended, unless somebody resends it. */
export const deliveryQuery = (endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...deliveriesKey(endpointId), 'one', deliveryId],
    queryFn: ({ signal }) =>
      dataOf(
        api().GET('/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}', {
          params: { path: { endpointId, deliveryId } },
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
  });

export const statisticsQuery = (endpointId: string, period: WebhookStatisticsPeriod) =>
  queryOptions({
    queryKey: ['webhooks', endpointId, 'statistics', period],
    queryFn: ({ signal }) =>
      dataOf(
        api().GET('/v1/webhook-endpoints/{endpointId}/statistics', {
          params: { path: { endpointId }, query: { period } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: STATUS_MS,
  });

export function invalidateDeliveries(queryClient: QueryClient, endpointId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: deliveriesKey(endpointId) });
}

function deliveriesKey(endpointId: string) {
  return ['webhooks', endpointId, 'deliveries'] as const;
}
