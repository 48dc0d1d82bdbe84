import { readAllPages } from '@pets/client';
import type { DomainHistoryEntry } from '@pets/contracts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, resultOf } from '../api/api.js';
import { deriveStatus } from './domain-status.js';

/** More than the page of any domain needs. Older entries are available from the API. */
const MAX_HISTORY_PAGES = 10;
const HISTORY_PAGE_SIZE = 100;

/** How many domains the project has, by status. */
export const domainCountsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', null, 'counts'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/domain-counts', { params: { path: { projectId } }, signal })),
  });

/** The newest domains whose problems are counted. */
const COUNTED_DOMAINS = 100;

/** How many of the newest domains need an action, apart from live ones whose DNS changed, which the counts have in all. */
export const newestProblemsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', null, 'problems'],
    queryFn: async ({ signal }) => {
      const query = { limit: COUNTED_DOMAINS, sort: '-createdAt' as const };
      const newest = await dataOf(
        api().GET('/v1/projects/{projectId}/domains', { params: { path: { projectId }, query }, signal }),
      );
      return newest.filter((each) => !each.misconfigured && deriveStatus(each).needsAction).length;
    },
  });

/** The first thousand domains, for choosing one. */
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
 * Refreshes domains, their history and the lists that contain them; all of the project after a time without events. Keys
 * are `['projects', projectId, 'domains', domainId?, …]`, where lists have no id.
 */
export function invalidateDomains(
  client: QueryClient,
  projectId: string,
  domainIds: ReadonlySet<string> | 'all',
): Promise<void> {
  return client.invalidateQueries({
    queryKey: ['projects', projectId, 'domains'],
    predicate: ({ queryKey: [, , , ofDomain = null] }) =>
      domainIds === 'all' || typeof ofDomain !== 'string' || domainIds.has(ofDomain),
  });
}

/** The imports of a project, newest first. */
export const importsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-imports'],
    queryFn: ({ signal }) =>
      dataOf(api().GET('/v1/projects/{projectId}/domain-imports', { params: { path: { projectId } }, signal })),
  });

/** The configuration and its ETag, which an update must send. */
export const domainConfigQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domain-config'],
    queryFn: async ({ signal }) => {
      const { data, response } = await resultOf(
        api().GET('/v1/projects/{projectId}/domain-config', { params: { path: { projectId } }, signal }),
      );
      return { config: data, etag: response.headers.get('etag') ?? '*' };
    },
  });
