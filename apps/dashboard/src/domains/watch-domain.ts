import { whileLooking } from '@pets/domain-setup';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, dataOf } from '../api/api.js';
import { domainQuery } from './domains.queries.js';

/**
 * Lets the API check the DNS of domains every ten seconds, while the page is visible and somebody uses it.
 * @param ids of domains of the project; another order is another list
 */
export function useWatchedDomains(projectId: string, ids: readonly string[]): void {
  const queryClient = useQueryClient();
  const key = ids.join();
  useEffect(() => {
    if (key === '') return;
    const watch = async (domain: string) => {
      const params = { path: { projectId, domain } };
      const watched = await dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/watch', { params }));
      queryClient.setQueryData(domainQuery(projectId, domain).queryKey, watched);
    };
    return whileLooking(() => {
      // The queries of the page show what fails.
      for (const id of key.split(',')) watch(id).catch(() => undefined);
    });
  }, [queryClient, projectId, key]);
}
