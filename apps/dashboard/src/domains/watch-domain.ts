import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, dataOf } from '../api/api.js';
import { domainQuery } from './domains.queries.js';

const INTERVAL_MS = 10_000;
/** Time without a touch or a key after which nobody is expected to look. */
const LOOKING_MS = 15 * 60_000;
const touches = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Lets the API check the DNS of domains every ten seconds, while the page is visible and somebody uses it.
 * @param ids of domains of the project; another order is another list
 */
export function useWatchedDomains(projectId: string, ids: readonly string[]): void {
  const queryClient = useQueryClient();
  const key = ids.join();
  useEffect(() => {
    if (key === '') return;
    let touchedMs = Date.now();
    let askedMs = 0;
    const watch = async (domain: string) => {
      const params = { path: { projectId, domain } };
      const watched = await dataOf(api().POST('/v1/projects/{projectId}/domains/{domain}/watch', { params }));
      queryClient.setQueryData(domainQuery(projectId, domain).queryKey, watched);
    };
    const look = () => {
      const now = Date.now();
      if (document.visibilityState !== 'visible' || now - touchedMs > LOOKING_MS) return;
      askedMs = now;
      // The queries of the page show what fails.
      for (const id of key.split(',')) watch(id).catch(() => undefined);
    };
    const touch = () => {
      touchedMs = Date.now();
      if (touchedMs - askedMs > INTERVAL_MS) look();
    };
    look();
    const timer = setInterval(look, INTERVAL_MS);
    for (const type of touches) addEventListener(type, touch, { passive: true });
    document.addEventListener('visibilitychange', touch);
    return () => {
      clearInterval(timer);
      for (const type of touches) removeEventListener(type, touch);
      document.removeEventListener('visibilitychange', touch);
    };
  }, [queryClient, projectId, key]);
}
