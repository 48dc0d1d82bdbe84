import { withTimeout } from '@pets/async';
import type { SealedCertificate } from '@pets/contracts';
import { DependencyUnavailable, type Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import { FetchQueue } from '../fairness/fetch-queue.js';
import type { CertificateOrigin, FetchResult } from '../metrics/edge-metrics.js';

/** Shorter than the time limit of a handshake, with both sources, so that a failure can still be answered. */
const STORAGE_LIMIT_MS = 1_500;
const API_LIMIT_MS = 2_000;

/** A fetch that did not start within this time is given up: its handshake could not be answered any more. */
const QUEUE_LIMIT_MS = 3_000;

/** For this long a failed fetch is not repeated, however many handshakes ask for it. */
const FAILURE_TTL_MS = 2_000;
const MAX_FAILURES = 10_000;

/** For this long after the storage did not answer, the API is asked first. */
const STORAGE_PAUSE_MS = 5_000;

const limits = { running: 64, runningPerRequester: 32, waiting: 4_096, waitingPerRequester: 512 } as const;

/** The requester of fetches that nobody waits for in a handshake. */
export const BACKGROUND = 'background';

export interface FetchedCertificate {
  readonly sealed: SealedCertificate;
  readonly origin: CertificateOrigin;
}

interface CertificateOrigins {
  /** @returns undefined when there is none. @throws Error when the storage does not answer, or the object is damaged */
  readonly storage: (id: string, signal: AbortSignal) => Promise<SealedCertificate | undefined>;
  /** @throws Error when there is none, or the API does not answer */
  readonly api: (id: string) => Promise<SealedCertificate>;
}

export interface CertificateFetcherOptions {
  readonly origins: CertificateOrigins;
  readonly now: () => number;
  readonly log: Logger;
  readonly onFetch?: (origin: CertificateOrigin, result: FetchResult) => void;
}

interface Fetch {
  readonly id: string;
  readonly skipsStorage: boolean;
  readonly requesters: Set<string>;
  readonly result: PromiseWithResolvers<FetchedCertificate>;
  isStarted: boolean;
  /** The time limit of the last requester. */
  expiresAtMs: number;
}

/**
 * Fetches sealed certificates from the file storage, else from the API, which knows certificates that are not in the storage
 * yet. Concurrent requests for one certificate share a fetch, and a failure is remembered for a moment. Fetches wait per
 * requester (the address of a visitor), so that one that asks for many certificates does not delay another.
 */
export class CertificateFetcher {
  readonly #options: CertificateFetcherOptions;
  readonly #queue: FetchQueue<Fetch>;
  readonly #fetches = new Map<string, Fetch>();
  readonly #failures: LRUCache<string, Error>;
  #storageFailedAtMs = -Infinity;

  constructor(options: CertificateFetcherOptions) {
    this.#options = options;
    this.#queue = new FetchQueue(limits, (fetch) => this.#run(fetch));
    this.#failures = new LRUCache({ max: MAX_FAILURES, ttl: FAILURE_TTL_MS, ttlResolution: 0, perf: options });
  }

  /**
   * @param skipsStorage for a certificate whose object in the storage cannot be opened
   * @throws Error when neither has it, or it failed a moment ago
   */
  async fetch(id: string, requester: string, skipsStorage = false): Promise<FetchedCertificate> {
    const key = skipsStorage ? `api ${id}` : id;
    const failure = this.#failures.get(key);
    if (failure !== undefined)
      throw new Error(`certificate ${id} could not be fetched a moment ago`, { cause: failure });
    const fetch = this.#fetches.get(key) ?? this.#create(key, id, skipsStorage);
    fetch.expiresAtMs = performance.now() + QUEUE_LIMIT_MS;
    // Also in the queue of this requester, which may be shorter than that of the first one.
    if (!fetch.isStarted && !fetch.requesters.has(requester)) {
      fetch.requesters.add(requester);
      this.#add(requester, fetch);
    }
    return fetch.result.promise;
  }

  #create(key: string, id: string, skipsStorage: boolean): Fetch {
    const result = Promise.withResolvers<FetchedCertificate>();
    const fetch: Fetch = { id, skipsStorage, requesters: new Set(), result, isStarted: false, expiresAtMs: 0 };
    this.#fetches.set(key, fetch);
    result.promise.then(
      () => this.#fetches.delete(key),
      (error: unknown) => {
        this.#fetches.delete(key);
        // One that did not start says nothing about the certificate.
        if (fetch.isStarted) this.#failures.set(key, error as Error); // only errors are thrown
      },
    );
    return fetch;
  }

  #add(requester: string, fetch: Fetch): void {
    try {
      this.#queue.add(requester, fetch);
    } catch (error) {
      if (fetch.requesters.size === 1) fetch.result.reject(error);
      else throw error;
    }
  }

  async #run(fetch: Fetch): Promise<void> {
    if (fetch.isStarted) return; // from the queue of another requester
    if (performance.now() > fetch.expiresAtMs) {
      fetch.result.reject(new Error(`certificate ${fetch.id} waited too long for others`));
      return;
    }
    fetch.isStarted = true;
    await this.#load(fetch).then(fetch.result.resolve, fetch.result.reject);
  }

  async #load({ id, skipsStorage }: Fetch): Promise<FetchedCertificate> {
    if (skipsStorage) return this.#loadFromApi(id);
    if (this.#options.now() - this.#storageFailedAtMs >= STORAGE_PAUSE_MS)
      return (await this.#loadFromStorage(id)) ?? this.#loadFromApi(id);
    try {
      return await this.#loadFromApi(id);
    } catch (error) {
      const stored = await this.#loadFromStorage(id);
      if (stored === undefined) throw error;
      return stored;
    }
  }

  /** @returns undefined when there is none, or the storage does not answer */
  async #loadFromStorage(id: string): Promise<FetchedCertificate | undefined> {
    const { origins, log, now, onFetch } = this.#options;
    const startedAtMs = performance.now();
    const over = new AbortController();
    try {
      const reading = origins.storage(id, over.signal);
      const sealed = await withTimeout(reading, STORAGE_LIMIT_MS, `reading certificate ${id}`);
      onFetch?.('storage', sealed === undefined ? 'absent' : 'fetched');
      return sealed === undefined ? undefined : { sealed, origin: 'storage' };
    } catch (error) {
      onFetch?.('storage', 'failed');
      log.warn({ err: error, id }, 'certificate not read from the storage');
      const isSilent = performance.now() - startedAtMs >= STORAGE_LIMIT_MS;
      if (isSilent || error instanceof DependencyUnavailable) this.#storageFailedAtMs = now();
      return undefined;
    } finally {
      over.abort(); // ends a read that takes too long
    }
  }

  async #loadFromApi(id: string): Promise<FetchedCertificate> {
    const { origins, onFetch } = this.#options;
    try {
      const sealed = await withTimeout(origins.api(id), API_LIMIT_MS, `requesting certificate ${id}`);
      if (sealed.id !== id) throw new Error(`received certificate ${sealed.id} instead of ${id}`);
      onFetch?.('api', 'fetched');
      return { sealed, origin: 'api' };
    } catch (error) {
      onFetch?.('api', 'failed');
      throw error;
    }
  }
}
