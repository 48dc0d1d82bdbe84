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

/** Reads on from a cursor while pages are empty. Ten of them in a row give a page without entries. */
export async function readUntilEntries<Item>(
  from: string | null,
  readPage: (cursor: string | null) => Promise<PageOf<Item>>,
): Promise<PageOf<Item>> {
  let page = await readPage(from);
  for (let read = 1; page.items.length === 0 && page.nextCursor !== null && read < MAX_EMPTY_PAGES; read++)
    page = await readPage(page.nextCursor);
  return page;
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
    queryFn: ({ pageParam, signal }): Promise<PageOf<Item>> =>
      readUntilEntries(pageParam, async (cursor) => {
        const { data, response } = await readPage(cursor === null ? {} : { cursor }, signal);
        return { items: data, nextCursor: nextCursor(response) };
      }),
    getNextPageParam: (page) => page.nextCursor,
  });
}
