import { readAllPages } from '@pets/client';
import type { DomainHistoryEntry } from '@pets/contracts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';

/** More than the page of any domain needs. Older entries are available from the API. */
const MAX_HISTORY_PAGES = 10;
const HISTORY_PAGE_SIZE = 100;

export const domainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, signal })),
  });

/** @param domain the ID, so that project events invalidate the query */
export const domainQuery = (projectId: string, domain: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', domain],
    queryFn: ({ signal }) =>
      dataOf(
        api().GET('/v1/projects/{projectId}/domains/{domain}', { params: { path: { projectId, domain } }, signal }),
      ),
  });

/** The history of a domain, oldest entry first. */
export const historyQuery = (projectId: string, domain: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', domain, 'events'],
    queryFn: ({ signal }) =>
      readAllPages<DomainHistoryEntry>(
        (page) =>
          resultOf(
            api().GET('/v1/projects/{projectId}/domains/{domain}/events', {
              params: { path: { projectId, domain }, query: { limit: HISTORY_PAGE_SIZE, ...page } },
              signal,
            }),
          ),
        MAX_HISTORY_PAGES,
      ),
  });

/**
 * Refreshes a domain, its history and the list that contains it. A null ID refreshes all domains of the project, as
 * after a time without events. Keys are `['projects', projectId, 'domains', domainId?, …]`.
 */
export function invalidateDomain(client: QueryClient, projectId: string, domainId: string | null): Promise<void> {
  return client.invalidateQueries({
    queryKey: ['projects', projectId, 'domains'],
    predicate: ({ queryKey: [, , , ofDomain] }) => domainId === null || ofDomain === undefined || ofDomain === domainId,
  });
}
