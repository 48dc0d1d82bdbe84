import { withTimeout } from '@pets/async';
import { sealedCertificateSchema, type SealedCertificate } from '@pets/contracts/edge-feed';
import { DependencyUnavailable, type Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { DiskCache } from '../disk-cache/disk-cache.js';
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
      this.#queue.addFetch(requester, fetch);
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

/** A fresh copy that could not be opened either is not fetched again for this long, however many handshakes ask for it. */
const RELOAD_PAUSE_MS = 30_000;
const MAX_RELOADS = 10_000;

interface SealedCertificatesOptions {
  readonly disk: DiskCache;
  readonly fetcher: Pick<CertificateFetcher, 'fetch'>;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Sealed certificates, from the disk or from afar when a visitor asks for them. A copy on disk is useless without the
 * key-encryption keys; unsealing is up to `SecureContexts`. An id always means the same certificate, so a copy never becomes
 * outdated; only its key may be sealed again.
 */
export class SealedCertificates {
  readonly #options: SealedCertificatesOptions;
  readonly #reloads: LRUCache<string, true>;

  constructor(options: SealedCertificatesOptions) {
    this.#options = options;
    this.#reloads = new LRUCache({ max: MAX_RELOADS, ttl: RELOAD_PAUSE_MS, ttlResolution: 0, perf: options });
  }

  /** Whether it is on disk. */
  has(id: string): boolean {
    return this.#options.disk.has(id);
  }

  /**
   * From disk, else from the storage or the API.
   * @param requester limits how many fetches run for one visitor (`CertificateFetcher`)
   * @throws Error when it can be had from none of them
   */
  async load(id: string, requester: string): Promise<SealedCertificate> {
    const stored = this.#read(id);
    if (stored !== undefined) return stored;
    return this.#keep((await this.#options.fetcher.fetch(id, requester)).sealed);
  }

  /**
   * Gets another copy of one that cannot be opened: its key is sealed with a key-encryption key that this edge does not have,
   * and may be sealed with another one by now. The copy on disk stays until then.
   * @throws Error when there is none, or one was fetched a moment ago
   */
  async reload(unusable: SealedCertificate, requester: string): Promise<SealedCertificate> {
    const { id, sealedKey } = unusable;
    const { fetcher, log } = this.#options;
    if (this.#reloads.has(id)) throw new Error(`certificate ${id} was fetched again less than 30 s ago`);
    log.warn({ id }, 'stored certificate cannot be opened; fetching it again');
    let fetched = await fetcher.fetch(id, requester);
    const isSame = fetched.origin === 'storage' && fetched.sealed.sealedKey === sealedKey;
    if (isSame) fetched = await fetcher.fetch(id, requester, true);
    this.#reloads.set(id, true);
    return this.#keep(fetched.sealed);
  }

  /** Deletes copies of certificates that no route names any more. */
  drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#reloads.delete(id);
      void this.#options.disk.delete(id);
    }
  }

  /** Writes a certificate to the disk without waiting for it. */
  #keep(sealed: SealedCertificate): SealedCertificate {
    void this.#options.disk.write(sealed.id, Buffer.from(JSON.stringify(sealed)));
    return sealed;
  }

  #read(id: string): SealedCertificate | undefined {
    const content = this.#options.disk.readSmall(id);
    return content === undefined ? undefined : this.#parse(id, content.toString());
  }

  #parse(id: string, content: string): SealedCertificate | undefined {
    try {
      return sealedCertificateSchema.parse(JSON.parse(content));
    } catch (error) {
      this.#options.log.warn({ err: error, id }, 'certificate file damaged; fetching it again');
      void this.#options.disk.delete(id);
      return undefined;
    }
  }
}
