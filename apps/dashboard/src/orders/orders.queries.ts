import type { components } from '@pets/client';
import type { OrderStatus } from '@pets/contracts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/api.js';
import { nextCursor } from '../api/next-cursor.js';
import type { PageOf } from '../parts/paged.js';

export type Order = components['schemas']['Order'];

export const ordersKey = ['orders'] as const;

/** The orders of a status, or all, ascending by id. */
export const ordersQuery = (status: OrderStatus | null) =>
  infiniteQueryOptions({
    queryKey: [...ordersKey, status],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<Order>> => {
      const query = { ...(status !== null && { status }), ...(pageParam !== null && { cursor: pageParam }) };
      const { data, response } = await answerOf(api().GET('/v1/store/orders', { params: { query }, signal }));
      return { items: data, next: nextCursor(response.headers.get('link')) };
    },
    getNextPageParam: ({ next }) => next,
  });
