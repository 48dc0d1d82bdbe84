import type { QueryClient } from '@tanstack/react-query';
import { invalidateDomains } from '../domains/domains.queries.js';
import { importsQuery } from '../domains/imports.queries.js';

/** An import sends hundreds of events a second, and each would read the list again. */
const PAUSE_MS = 1_000;

export interface Invalidator {
  /** What changed while nobody listened. */
  all(): void;
  domain(id: string): void;
  imports(): void;
}

/** Refreshes what events of a project report: at once, and then at most once a second. */
export function createInvalidator(projectId: string, client: QueryClient, signal: AbortSignal): Invalidator {
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
  return {
    all: () => {
      [domains, hasImports] = ['all', true];
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
