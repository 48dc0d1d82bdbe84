import type { Domain } from '@pets/contracts';
import type { Api } from '../api/api.js';
import { ApiFailure, Unreachable } from '../api/api-failure.js';
import { DomainNews } from './domain-news.js';

/** Where a domain is. */
export interface DomainPlace {
  readonly projectId: string;
  /** Its name, or its id. */
  readonly domain: string;
}

export interface WatchOptions {
  readonly timeoutMs: number;
  /** Told of every reading that failed and is tried again. */
  readonly onTrouble: (detail: string) => void;
}

/** Pauses between two readings by the clock; each is half as long again as the one before. */
const FIRST_PAUSE_MS = 300;
const LAST_PAUSE_MS = 5_000;
const PAUSE_GROWTH = 1.5;

/** While the event stream tells of changes, the clock only stands behind it. */
const STREAMING_PAUSE_MS = 15_000;

/**
 * Reads a domain again and again until its time is over: at once, then whenever the project's event stream tells of it,
 * or, where that cannot be had, with pauses that grow as long as nothing is new. An API that is down for a while, or asks
 * for patience, ends nothing.
 */
export async function* watchDomain(api: Api, place: DomainPlace, options: WatchOptions): AsyncGenerator<Domain> {
  const endsAt = performance.now() + options.timeoutMs;
  const news = new DomainNews(api.access, place.projectId);
  let [pauseMs, last] = [FIRST_PAUSE_MS, ''];
  try {
    for (;;) {
      const domain = await readPatiently(api, place, options);
      if (domain !== null) {
        const text = JSON.stringify(domain);
        pauseMs = text === last ? Math.min(pauseMs * PAUSE_GROWTH, LAST_PAUSE_MS) : FIRST_PAUSE_MS;
        last = text;
        news.domainId = domain.id;
        yield domain;
      }
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return;
      await news.wait(Math.min(news.isOpen ? STREAMING_PAUSE_MS : pauseMs, leftMs));
    }
  } finally {
    news.close();
  }
}

export function readDomain(api: Api, { projectId, domain }: DomainPlace): Promise<Domain> {
  return api.ask(
    api.http.GET('/v1/projects/{projectId}/domains/{domain}', { params: { path: { projectId, domain } } }),
  );
}

async function readPatiently(api: Api, place: DomainPlace, { onTrouble }: WatchOptions): Promise<Domain | null> {
  try {
    return await readDomain(api, place);
  } catch (error) {
    if (!isPassing(error)) throw error;
    onTrouble(error.message);
    return null;
  }
}

function isPassing(error: unknown): error is ApiFailure | Unreachable {
  if (error instanceof Unreachable) return true;
  return error instanceof ApiFailure && ['not_yet', 'unavailable'].includes(error.report.status);
}
