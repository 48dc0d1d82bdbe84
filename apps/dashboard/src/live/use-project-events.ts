import { ProjectEventsRefused, readProjectEvents } from '@pets/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { currentSession, forgetSession } from '../session/session.js';
import { setConnection } from './connection.js';
import { invalidateDomain } from './invalidate-domain.js';

/** Listens to a project for as long as its pages are open, and reads anew what each event is about. Nothing is polled. */
export function useProjectEvents(projectId: string): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const abort = new AbortController();
    void follow(projectId, queryClient, abort.signal);
    return () => abort.abort();
  }, [queryClient, projectId]);
}

async function follow(projectId: string, queryClient: QueryClient, signal: AbortSignal): Promise<void> {
  const apiKey = currentSession()?.secret;
  if (apiKey === undefined) return;
  let connections = 0;
  const countedFetch = (request: Request) => {
    // The reader opens a second connection only when it has lost the first.
    if (connections++ > 0) setConnection('lost');
    return fetch(request);
  };
  try {
    const events = readProjectEvents({ baseUrl: location.origin, apiKey, projectId, signal, fetch: countedFetch });
    for await (const event of events) {
      switch (event.type) {
        case 'ready':
          // What happened before this connection was not told on it.
          setConnection('open');
          void invalidateDomain(queryClient, projectId, null);
          break;
        case 'history':
          void invalidateDomain(queryClient, projectId, event.entry.domainId);
          break;
        case 'changed':
          void invalidateDomain(queryClient, projectId, event.domainId);
          break;
      }
    }
  } catch (error) {
    if (!(error instanceof ProjectEventsRefused)) throw error;
    // Any other refusal (no such project, no such scope) the page shows by itself, as what it reads is refused too.
    if (error.status === 401) forgetSession({ wasRefused: true });
  } finally {
    setConnection('idle');
  }
}
