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

/** Pages without entries that are read at once: a search reads a limited part of a long list for each. */
const MAX_EMPTY_PAGES = 10;

/** The options of a query that reads a list page by page. Ten empty pages in a row give a page without entries. */
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
      let cursor = pageParam;
      for (let read = 1; ; read++) {
        const { data, response } = await readPage(cursor === null ? {} : { cursor }, signal);
        cursor = nextCursor(response);
        if (data.length > 0 || cursor === null || read === MAX_EMPTY_PAGES) return { items: data, nextCursor: cursor };
      }
    },
    getNextPageParam: (page) => page.nextCursor,
  });
}
