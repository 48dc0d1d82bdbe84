import type { components } from '@pets/client';
import type { OrderStatus, PetStatus } from '@pets/contracts';
import { readAllPages } from '@pets/client';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import type { CreationOrder } from '../components/filters.js';

export type Animal = components['schemas']['Pet'];
export type Order = components['schemas']['Order'];

interface StoreFilters<Status> {
  /** Null: all. */
  readonly status: Status | null;
  /** Beginning of the animal's name; empty for all. */
  readonly search: string;
  readonly order: CreationOrder;
}

/** Query parameters as the API names them. */
function queryOf<Status>({ status, search, order }: StoreFilters<Status>) {
  return { sort: order, ...(status !== null && { status }), ...(search !== '' && { q: search }) };
}

export function animalsQuery(filters: StoreFilters<PetStatus>) {
  const filter = queryOf(filters);
  return pagedQuery<Animal>(['animals', filter], (page, signal) =>
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

/** @param withPets whether the orders contain their animals, which the caller has to be allowed to read */
export function ordersQuery(filters: StoreFilters<OrderStatus>, withPets: boolean) {
  const filter = { ...queryOf(filters), ...(withPets && { expand: 'pet' as const }) };
  return pagedQuery<Order>(['orders', filter], (page, signal) =>
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

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** An ID of the API: a `bigint` when a number would round it. */
export type ExactInteger = number | bigint;

/** Parses user input as a 64-bit integer; null for anything else. */
export function parseInteger(text: string): ExactInteger | null {
  const digits = text.trim();
  if (!/^-?\d{1,19}$/.test(digits)) return null;
  const value = BigInt(digits);
  if (value > INT64_MAX || value < INT64_MIN) return null;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** The OpenAPI types say `number`, but the client also sends a `bigint`. */
export function toWireInteger(value: ExactInteger): number {
  return value as number;
}
