import type { components } from '@pets/client';
import type { PetStatus } from '@pets/contracts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/api.js';
import { nextCursor } from '../api/next-cursor.js';
import type { PageOf } from '../parts/paged.js';

export type Animal = components['schemas']['Pet'];

export const animalsKey = ['animals'] as const;

/** The animals of a status, or all, ascending by id, page by page as `Link` leads. */
export const animalsQuery = (status: PetStatus | null) =>
  infiniteQueryOptions({
    queryKey: [...animalsKey, status],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<Animal>> => {
      const query = { ...(status !== null && { status }), ...(pageParam !== null && { cursor: pageParam }) };
      const { data, response } = await answerOf(api().GET('/v1/pets', { params: { query }, signal }));
      return { items: data, next: nextCursor(response.headers.get('link')) };
    },
    getNextPageParam: ({ next }) => next,
  });
