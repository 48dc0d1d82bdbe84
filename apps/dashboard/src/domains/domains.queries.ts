import type { DomainHistoryEntry } from '@pets/contracts';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, bodyOf } from '../api/api.js';
import { nextCursor } from '../api/next-cursor.js';

/** More than any domain's page needs: what is older is in the API. */
const MAX_HISTORY_PAGES = 10;

export const domainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains'],
    queryFn: ({ signal }) =>
      bodyOf(api().GET('/v1/projects/{projectId}/domains', { params: { path: { projectId } }, signal })),
  });

/** @param domain its id, so that events find it */
export const domainQuery = (projectId: string, domain: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', domain],
    queryFn: ({ signal }) =>
      bodyOf(api().GET('/v1/projects/{projectId}/domains/{domain}', at(projectId, domain, signal))),
  });

/** All of a domain's history, oldest first. */
export const historyQuery = (projectId: string, domain: string) =>
  queryOptions({
    queryKey: ['projects', projectId, 'domains', domain, 'events'],
    queryFn: async ({ signal }) => {
      const entries: DomainHistoryEntry[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_HISTORY_PAGES; page++) {
        const query: { limit: number; cursor?: string } = { limit: 100, ...(cursor !== null && { cursor }) };
        const { data, response } = await answerOf(
          api().GET('/v1/projects/{projectId}/domains/{domain}/events', {
            params: { path: { projectId, domain }, query },
            signal,
          }),
        );
        entries.push(...data);
        cursor = nextCursor(response.headers.get('link'));
        if (cursor === null) break;
      }
      return entries;
    },
  });

function at(projectId: string, domain: string, signal: AbortSignal) {
  return { params: { path: { projectId, domain } }, signal };
}
