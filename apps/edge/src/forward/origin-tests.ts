import { FairSemaphore } from '@pets/async';
import {
  MAX_REPORTED_TESTS,
  originOfRow,
  type EdgeOrigin,
  type EdgeSessionAck,
  type EdgeSessionMessage,
  type OriginTest,
} from '@pets/contracts/edge-feed';
import { LRUCache } from 'lru-cache';
import { testOrigin } from './test-origin.js';
import type { Origins } from './origins.js';

type FeedBatch = Extract<EdgeSessionMessage, { kind: 'batch' }>;

/** Tests at a time, of one organization and in all. Others wait, and organizations take turns. */
const CONCURRENT = { total: 4, ofOrganization: 1 } as const;
/** Origins whose last test is remembered. An older one may be tested again, which does no harm. */
const MAX_REMEMBERED = 20_000;

export interface OriginTestsOptions {
  readonly origins: Pick<Origins, 'compile'>;
  /** Called when there is a result to report. */
  readonly announce: () => void;
}

/**
 * Tests applications for the API, which asks for it in the row of an origin: one request for each number of a test. The results
 * are in each acknowledgement until the API has one. Only changes that come through a session are tested: what a snapshot
 * brings was tested, or another edge does it.
 */
export class OriginTests {
  readonly #options: OriginTestsOptions;
  readonly #semaphore = new FairSemaphore({ limit: CONCURRENT.total, groupLimit: CONCURRENT.ofOrganization });
  /** The number of the newest test by origin. */
  readonly #newest = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  readonly #results = new Map<string, OriginTest>();
  readonly #stopping = new AbortController();

  constructor(options: OriginTestsOptions) {
    this.#options = options;
  }

  /** Tests the origins of a batch that have a test of a new number. */
  applied({ entries }: FeedBatch): void {
    for (const { host, route } of entries) {
      const id = originOfRow(host);
      if (id === undefined) continue;
      const serve = route?.serve;
      if (serve?.kind !== 'origin') {
        this.#newest.delete(id);
        this.#results.delete(id);
      } else if ((this.#newest.get(id) ?? 0) !== serve.test) {
        this.#newest.set(id, serve.test);
        void this.#test(id, serve);
      }
    }
  }

  /** The results for the next acknowledgement; the rest follows when these are confirmed. */
  get report(): readonly OriginTest[] {
    return [...this.#results.values().take(MAX_REPORTED_TESTS)];
  }

  /** The API has committed an acknowledgement. */
  confirmed({ originTests = [] }: EdgeSessionAck): void {
    for (const { origin, test } of originTests)
      if (this.#results.get(origin)?.test === test) this.#results.delete(origin);
  }

  /** Starts no further test. */
  stop(): void {
    this.#stopping.abort();
  }

  async #test(id: string, origin: EdgeOrigin): Promise<void> {
    const { signal } = this.#stopping;
    const release = await this.#semaphore.acquire('tests', origin.organizationId, (cancel) => {
      signal.addEventListener('abort', cancel, { once: true });
      return () => signal.removeEventListener('abort', cancel);
    });
    if (release === null) return;
    try {
      if (this.#newest.get(id) !== origin.test) return; // replaced while it waited
      const result = await testOrigin(() => this.#options.origins.compile(id, origin));
      if (this.#newest.get(id) !== origin.test || signal.aborted) return;
      this.#results.set(id, { origin: id, test: origin.test, ...result });
      this.#options.announce();
    } finally {
      release();
    }
  }
}
