import { nextCursor } from './next-cursor.js';

interface PageAnswer<Item> {
  readonly data: readonly Item[];
  readonly response: Response;
}

/** A complete list, page after page as long as `Link` names one. For lists that a plan keeps short. */
export async function allPages<Item>(
  ask: (query: { readonly cursor?: string }) => Promise<PageAnswer<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const { data, response }: PageAnswer<Item> = await ask(cursor === null ? {} : { cursor });
    items.push(...data);
    cursor = nextCursor(response.headers.get('link'));
  } while (cursor !== null);
  return items;
}
