import { nextCursor } from '@pets/client';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

/** One page of a list, and the cursor of the next one. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface PageResult<Item> {
  readonly data: readonly Item[];
  readonly response: Response;
}

/** The options of a query that reads a list page by page. */
export function pagedQuery<Item>(
  queryKey: readonly unknown[],
  readPage: (query: { readonly cursor?: string }, signal: AbortSignal) => Promise<PageResult<Item>>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: null as string | null,
    // Another filter keeps the old list until the new one is there.
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<Item>> => {
      const { data, response } = await readPage(pageParam === null ? {} : { cursor: pageParam }, signal);
      return { items: data, nextCursor: nextCursor(response) };
    },
    getNextPageParam: (page) => page.nextCursor,
  });
}
