import type { components } from '@pets/client';
import type { OrderStatus, PetStatus } from '@pets/contracts';
import { readAllPages } from '@pets/client';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';

export type Animal = components['schemas']['Pet'];
export type Order = components['schemas']['Order'];

/** Ascending by ID; of all statuses when it is null. */
export function animalsQuery(status: PetStatus | null) {
  const filter = status === null ? {} : { status };
  return pagedQuery<Animal>(['animals', status], (page, signal) =>
    resultOf(api().GET('/v1/pets', { params: { query: { ...filter, ...page } }, signal })),
  );
}

/** For choosing one: more than a person reads. */
const MAX_AVAILABLE_PAGES = 10;

/** The animals that can be ordered. */
export const availableAnimalsQuery = queryOptions({
  queryKey: ['animals', 'available', 'choice'],
  queryFn: ({ signal }) =>
    readAllPages<Animal>(
      (page) =>
        resultOf(api().GET('/v1/pets', { params: { query: { status: 'available', limit: 100, ...page } }, signal })),
      MAX_AVAILABLE_PAGES,
    ),
  // Others order too.
  staleTime: 0,
});

/** Ascending by ID; of all statuses when it is null. */
export function ordersQuery(status: OrderStatus | null) {
  const filter = status === null ? {} : { status };
  return pagedQuery<Order>(['orders', status], (page, signal) =>
    resultOf(api().GET('/v1/store/orders', { params: { query: { ...filter, ...page } }, signal })),
  );
}

export function invalidateAnimals(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['animals'] });
}

/** An order changes the status of its animal too. */
export async function invalidateOrders(queryClient: QueryClient): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: ['orders'] }), invalidateAnimals(queryClient)]);
}
