import { nextCursor } from '@pets/client';
import type { Domain } from '@pets/contracts';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { readUntilEntries, type PageOf } from '../api/paged-query.js';
import { problemsFirst } from './domain-status.js';

const LIST_PAGE_SIZE = 50;

/** The statuses that the list can be limited to. */
export const listedStatuses = ['awaiting_dns', 'verified', 'live', 'misconfigured'] as const;
export type ListedStatus = (typeof listedStatuses)[number];

export const listOrders = ['problems', '-createdAt', 'createdAt', 'name', '-name'] as const;
export type ListOrder = (typeof listOrders)[number];

export interface DomainFilters {
  readonly status: ListedStatus | null;
  /** A part of the name; empty for all. */
  readonly search: string;
  readonly order: ListOrder;
}

/**
 * The parts of the list, one after the other: live domains whose DNS changed come first. Of a search, names that begin with the text
 * come first, which an index finds in a list of any length; not in an order of creation, which has none.
 */
export function partsOf({ status, search, order }: DomainFilters) {
  const sort = order === 'problems' ? ('-createdAt' as const) : order;
  const query = { limit: LIST_PAGE_SIZE, sort, ...(search !== '' && { contains: search }) };
  const ofStatus = filterOf(status);
  if (order === 'createdAt' || order === '-createdAt') return [{ ...query, ...ofStatus }];
  const beginning = {
    limit: LIST_PAGE_SIZE,
    sort: order === '-name' ? order : ('name' as const),
    q: search,
    ...ofStatus,
  };
  const isSplit = order === 'problems' && (status === null || status === 'live');
  const parts = isSplit
    ? [true, false].map((misconfigured) => ({ ...query, ...ofStatus, misconfigured }))
    : [{ ...query, ...ofStatus }];
  return search === '' ? parts : [beginning, ...parts];
}

function filterOf(status: ListedStatus | null) {
  if (status === null) return {};
  return status === 'misconfigured' ? { misconfigured: true } : { state: status };
}

type ListQuery = ReturnType<typeof partsOf>[number];

/** The domains of a project, page by page. A cursor is the number of the part, and the cursor of the API in it. */
export function domainListQuery(projectId: string, filters: DomainFilters) {
  const { status, search, order } = filters;
  return infiniteQueryOptions({
    queryKey: ['projects', projectId, 'domains', null, 'list', status, search, order],
    initialPageParam: null as string | null,
    // Another filter keeps the old list until the new one is there.
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }): Promise<PageOf<Domain>> =>
      readUntilEntries(pageParam, (cursor) => readParts(projectId, filters, cursor, signal)),
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** The parts from a cursor on, up to the first one that goes on. */
async function readParts(
  projectId: string,
  filters: DomainFilters,
  position: string | null,
  signal: AbortSignal,
): Promise<PageOf<Domain>> {
  const { search, order } = filters;
  const [from, start] = parseCursor(position);
  const read = (query: ListQuery, cursor: string | null) =>
    resultOf(
      api().GET('/v1/projects/{projectId}/domains', {
        params: { path: { projectId }, query: cursor === null ? query : { ...query, cursor } },
        signal,
      }),
    );
  const parts = partsOf(filters);
  const hasBeginning = parts[0] !== undefined && 'q' in parts[0];
  const isRepeated = ({ name }: Domain, part: number) =>
    hasBeginning && part > 0 && name.startsWith(search.toLowerCase());
  const items: Domain[] = [];
  // All at once: the parts before the last are mostly empty, and each request takes a round trip.
  const pages = await Promise.all(parts.slice(from).map((query, index) => read(query, index === 0 ? start : null)));
  for (const [index, { data, response }] of pages.entries()) {
    const part = from + index;
    items.push(...data.filter((domain) => !isRepeated(domain, part)));
    const cursor = nextCursor(response);
    if (cursor !== null) return { items: sorted(items, order), nextCursor: `${part}.${cursor}` };
  }
  return { items: sorted(items, order), nextCursor: null };
}

function sorted(items: readonly Domain[], order: ListOrder): readonly Domain[] {
  return order === 'problems' ? problemsFirst(items) : items;
}

function parseCursor(param: string | null): [part: number, cursor: string | null] {
  if (param === null) return [0, null];
  const dot = param.indexOf('.');
  return [Number(param.slice(0, dot)), param.slice(dot + 1)];
}

/** Text that the API can search for: a part of a name in ASCII. */
const searchable = /^[A-Za-z0-9._*-]{0,253}$/;

/** Characters that end a host name in a URL. */
const notInHosts = /[\s/\\?#@:[\]]/;

/**
 * A search term in ASCII, as the API stores names. A label with other characters is converted as a whole (URL Standard, domain to
 * ASCII), so a part of it alone finds nothing.
 * @returns null for what is in no name
 */
export function asciiPartOf(term: string): string | null {
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
