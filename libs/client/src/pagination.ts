export interface PageResponse<Item> {
  readonly data?: readonly Item[];
  readonly response: Response;
}

/** The cursor of the next page, from the `Link` header (RFC 8288); null on the last page. */
export function nextCursor({ headers }: Response): string | null {
  const target = /<([^<>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  // The target may be relative. Only its query matters.
  return target === undefined ? null : new URL(target, 'http://api.invalid').searchParams.get('cursor');
}

/** Reads a complete list, page by page. For lists that a plan keeps short, or up to `maxPages`. */
export async function readAllPages<Item>(
  readPage: (query: { readonly cursor?: string }) => Promise<PageResponse<Item>>,
  maxPages = Infinity,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let query: { readonly cursor?: string } = {};
  for (let page = 0; page < maxPages; page++) {
    const { data = [], response } = await readPage(query);
    items.push(...data);
    const cursor = nextCursor(response);
    if (cursor === null) break;
    query = { cursor };
  }
  return items;
}
