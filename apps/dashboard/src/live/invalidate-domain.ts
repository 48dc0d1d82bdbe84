import type { QueryClient } from '@tanstack/react-query';

/**
 * Reads anew what is shown of one domain: its page and history, and the list it is in. Null means all domains of the
 * project, as after a time without events. Keys are `['projects', projectId, 'domains', domainId?, …]`.
 */
export function invalidateDomain(client: QueryClient, projectId: string, domainId: string | null): Promise<void> {
  return client.invalidateQueries({
    queryKey: ['projects', projectId, 'domains'],
    predicate: ({ queryKey: [, , , ofDomain] }) => domainId === null || ofDomain === undefined || ofDomain === domainId,
  });
}
