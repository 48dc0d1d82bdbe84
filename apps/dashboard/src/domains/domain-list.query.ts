import { nextCursor } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import type { PageOf } from '../api/paged-query.js';
import { problemsFirst } from './domain-status.js';

const LIST_PAGE_SIZE = 50;

/** The statuses that the list can be limited to. */
export const listedStatuses = ['awaiting_dns', 'verified', 'live', 'misconfigured'] as const;
export type ListedStatus = (typeof listedStatuses)[number];

export const listOrders = ['problems', '-createdAt', 'createdAt', 'name', '-name'] as const;
export type ListOrder = (typeof listOrders)[number];

export interface DomainFilters {
  readonly status: ListedStatus | null;
  /** Beginning of the name; empty for all. */
  readonly prefix: string;
  readonly order: ListOrder;
}

/** The parts of the list, one after the other: live domains whose DNS changed come first. */
function partsOf({ status, prefix, order }: DomainFilters) {
  const query = {
    limit: LIST_PAGE_SIZE,
    sort: order === 'problems' ? ('-createdAt' as const) : order,
    ...(prefix !== '' && { q: prefix }),
  };
  if (status === 'misconfigured') return [{ ...query, misconfigured: true }];
  if (order !== 'problems') return [{ ...query, ...(status !== null && { state: status }) }];
  if (status !== null && status !== 'live') return [{ ...query, state: status }];
  const ofState = status === null ? query : { ...query, state: status };
  return [
    { ...ofState, misconfigured: true },
    { ...ofState, misconfigured: false },
  ];
}

type ListQuery = ReturnType<typeof partsOf>[number];

/** The domains of a project, page by page. A cursor is the number of the part, and the cursor of the API in it. */
export function domainListQuery(projectId: string, filters: DomainFilters) {
  const { status, prefix, order } = filters;
  return infiniteQueryOptions({
    queryKey: ['projects', projectId, 'domains', null, 'list', status, prefix, order],
    initialPageParam: null as string | null,
    // Another filter keeps the old list until the new one is there.
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<Domain>> => {
      const [from, start] = parseCursor(pageParam);
      const read = (query: ListQuery, cursor: string | null) =>
        resultOf(
          api().GET('/v1/projects/{projectId}/domains', {
            params: { path: { projectId }, query: cursor === null ? query : { ...query, cursor } },
            signal,
          }),
        );
      const items: Domain[] = [];
      // All at once: the parts before the last are mostly empty, and each request takes a round trip.
      const pages = await Promise.all(
        partsOf(filters)
          .slice(from)
          .map((query, index) => read(query, index === 0 ? start : null)),
      );
      for (const [index, { data, response }] of pages.entries()) {
        items.push(...data);
        const cursor = nextCursor(response);
        if (cursor !== null) return { items: sorted(items, order), nextCursor: `${from + index}.${cursor}` };
      }
      return { items: sorted(items, order), nextCursor: null };
    },
    getNextPageParam: (page) => page.nextCursor,
  });
}

function sorted(items: readonly Domain[], order: ListOrder): readonly Domain[] {
  return order === 'problems' ? problemsFirst(items) : items;
}

function parseCursor(param: string | null): [part: number, cursor: string | null] {
  if (param === null) return [0, null];
  const dot = param.indexOf('.');
  return [Number(param.slice(0, dot)), param.slice(dot + 1)];
}

/** Text that the API can search for: the beginning of a name in ASCII. */
const searchable = /^[A-Za-z0-9._*-]{0,253}$/;

/** Characters that end a host name in a URL. */
const notInHosts = /[\s/\\?#@:[\]]/;

/**
 * A search term in ASCII, as the API stores names. A label with other characters is converted as a whole (URL Standard, domain to
 * ASCII), so its beginning alone finds nothing.
 * @returns null for what begins no name
 */
export function asciiPrefixOf(term: string): string | null {
  if (searchable.test(term)) return term;
  if (notInHosts.test(term)) return null;
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*)$/s.exec(term) ?? [];
  if (!URL.canParse(`http://${rest}`)) return null;
  const ascii = wildcard + new URL(`http://${rest}`).hostname;
  return searchable.test(ascii) ? ascii : null;
}

/** Whether a term has characters that are found only by whole labels. */
export function hasSpecialCharacters(term: string): boolean {
  return /[^\u0000-\u007f]/.test(term);
}
