import { EventStreamRefused, readProjectEvents } from '@pets/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { importsQuery, invalidateDomains } from '../domains/domains.queries.js';
import { originQueriesOf } from '../origin/origin.queries.js';
import { createExternalStore } from '../external-store.js';
import { currentSession, sessionRefused } from '../session/session.js';

/** The event stream of the open project: `idle` without one, `lost` while it reconnects. */
type ConnectionState = 'idle' | 'open' | 'lost';

const connection = createExternalStore<ConnectionState>('idle');

export const useConnection = connection.useValue;

/** Whether the browser has a network connection. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
}

/**
 * Follows the events of a project while its pages are open, and refreshes the domain of each event. Nothing is polled.
 * @param projectId null for a caller who may not read them
 */
export function useProjectEvents(projectId: string | null): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (projectId === null) return;
    const abort = new AbortController();
    void followEvents(projectId, queryClient, abort.signal);
    return () => abort.abort();
  }, [queryClient, projectId]);
}

async function followEvents(projectId: string, queryClient: QueryClient, signal: AbortSignal): Promise<void> {
  const session = currentSession();
  let connections = 0;
  const invalidator = createInvalidator(projectId, queryClient, signal);
  const fetchStream = (request: Request) => {
    // The reader opens a second connection only after it lost the first.
    if (connections++ > 0) connection.set('lost');
    return fetch(request);
  };
  try {
    const events = readProjectEvents({ baseUrl: location.origin, apiKey: null, projectId, signal, fetch: fetchStream });
    for await (const event of events) {
      switch (event.type) {
        case 'ready':
          // Events before this connection were not sent on it.
          connection.set('open');
          invalidator.all();
          break;
        case 'history':
          invalidator.domain(event.entry.domainId);
          break;
        case 'changed':
          invalidator.domain(event.domainId);
          break;
        case 'import':
          invalidator.imports();
          break;
        case 'origin':
          invalidator.origin();
          break;
      }
    }
  } catch (error) {
    if (!(error instanceof EventStreamRefused)) throw error;
    // For any other refusal (no such project, missing scope) the queries of the page fail too, and show the error.
    if (error.status === 401) sessionRefused(session);
  } finally {
    connection.set('idle');
  }
}

function subscribeToNetwork(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** An import sends hundreds of events a second, and each would read the list again. */
const PAUSE_MS = 1_000;

interface Invalidator {
  /** Refreshes everything, because changes may have been missed. */
  all(): void;
  domain(id: string): void;
  imports(): void;
  origin(): void;
}

/** Refreshes what events of a project report: at once, and then at most once a second. */
function createInvalidator(projectId: string, client: QueryClient, signal: AbortSignal): Invalidator {
  let domains: Set<string> | 'all' = new Set();
  let hasImports = false;
  let isPausing = false;
  const flush = () => {
    isPausing = false;
    if (signal.aborted || (domains !== 'all' && domains.size === 0 && !hasImports)) return;
    if (domains === 'all' || domains.size > 0) void invalidateDomains(client, projectId, domains);
    if (hasImports) void client.invalidateQueries(importsQuery(projectId));
    [domains, hasImports, isPausing] = [new Set(), false, true];
    setTimeout(flush, PAUSE_MS);
  };
  const changed = () => {
    if (!isPausing) flush();
  };
  // A few events in ten minutes.
  const originChanged = () => void client.invalidateQueries(originQueriesOf(projectId));
  return {
    origin: originChanged,
    all: () => {
      [domains, hasImports] = ['all', true];
      originChanged();
      changed();
    },
    domain: (id) => {
      if (domains !== 'all') domains.add(id);
      changed();
    },
    imports: () => {
      hasImports = true;
      changed();
    },
  };
}
